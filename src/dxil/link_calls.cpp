// SPDX-License-Identifier: Apache-2.0
#include "dxil/link_calls.h"

#include <algorithm>
#include <map>

namespace millrace::dxil {

namespace {

struct Definition {
    Module* module = nullptr;
    Function* function = nullptr;
    bool isOnly = true;
};

bool haveSameTypes(const Function& a, const Function& b)
{
    return a.resultType->text() == b.resultType->text() &&
           std::ranges::equal(a.arguments, b.arguments, [](const Value* left, const Value* right) {
               return left->type->text() == right->type->text();
           });
}

bool isOfDxil(const std::string& name)
{
    return name.starts_with("dx.") || name.starts_with("llvm.");
}

Status linkCall(const std::map<std::string, Definition>& definitions, const Module& module, Value& call)
{
    const Function& declared = *call.function;
    const auto found = definitions.find(declared.name);
    if (found == definitions.end())
        return {};
    const Definition& definition = found->second;
    if (!definition.isOnly)
        return Diagnostic{"dxil", declared.name, "several libraries define this function, which another one calls"};
    if (!haveSameTypes(declared, *definition.function)) {
        return Diagnostic{"dxil", declared.name,
                          "one library calls this function with other types than another defines"};
    }
    if (definition.module->minPrecision != module.minPrecision) {
        return Diagnostic{"dxil", declared.name,
                          "called by a library that was compiled with another meaning of 16-bit types"};
    }
    call.function = definition.function;
    return {};
}

}  // namespace

Status linkCalls(std::span<Module* const> modules)
{
    std::map<std::string, Definition> definitions;
    for (Module* module : modules) {
        for (const auto& function : module->functions) {
            if (function->blocks.empty())
                continue;
            const auto [found, isNew] = definitions.try_emplace(function->name, Definition{module, function.get()});
            found->second.isOnly = isNew;
        }
    }
    for (Module* module : modules) {
        for (Value& value : module->values) {
            const bool isOpen = value.isInstruction(Op::Call) && value.function && value.function->blocks.empty() &&
                                !isOfDxil(value.function->name);
            if (!isOpen)
                continue;
            if (Status status = linkCall(definitions, *module, value); !status)
                return status;
        }
    }
    return {};
}

}  // namespace millrace::dxil
