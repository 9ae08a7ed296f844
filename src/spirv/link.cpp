// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <tuple>

#include <spirv-tools/linker.hpp>

#include "spirv/check.h"
#include "spirv/messages.h"
#include "spirv/module.h"
#include "spirv/tools.h"

namespace millrace::spirv {

namespace {

// The first module and a library may both declare, say, gl_LocalInvocationIndex; one entry point may not list both
// (VUID-StandaloneSpirv-OpEntryPoint-09658). The variable that was there first stays.
void mergeBuiltinInputs(Module& module)
{
    std::map<std::tuple<uint32_t, uint32_t>, Id> first;  // by builtin and type
    std::unordered_map<uint32_t, uint32_t> replaced;
    for (const Instruction& i : module.section(Section::Globals)) {
        const bool isInput =
            i.op == spv::Op::OpVariable && i.literal(0) == static_cast<uint32_t>(spv::StorageClass::Input);
        const Instruction* builtin = isInput ? module.findDecoration(i.result, spv::Decoration::BuiltIn) : nullptr;
        if (!builtin) {
            continue;
        }
        const auto [same, isNew] = first.try_emplace({builtin->literal(2), i.type.value}, i.result);
        if (!isNew) {
            replaced[i.result.value] = same->second.value;
        }
    }
    if (replaced.empty()) {
        return;
    }
    const auto ofReplaced = [&](const Instruction& i) {
        return i.operandCount() > 0 && i.isId(0) && replaced.contains(i.id(0).value);
    };
    std::erase_if(module.section(Section::DebugNames), ofReplaced);
    std::erase_if(module.section(Section::Annotations), ofReplaced);
    std::erase_if(module.section(Section::Globals),
                  [&](const Instruction& i) { return replaced.contains(i.result.value); });
    module.replaceUses(replaced);
}

// Each variable once in each interface.
void tidyInterfaces(Module& module)
{
    for (Instruction& entryPoint : module.section(Section::EntryPoints)) {
        Instruction tidy = instruction(entryPoint.op);
        tidy.add(entryPoint.literal(0)).add(entryPoint.id(1)).add(entryPoint.string(2));
        std::set<Id> seen;
        for (size_t o = 3; o < entryPoint.operandCount(); o++) {
            if (seen.insert(entryPoint.id(o)).second) {
                tidy.add(entryPoint.id(o));
            }
        }
        entryPoint = std::move(tidy);
    }
}

}  // namespace

Result<Words> link(std::span<const std::span<const uint32_t>> modules)
{
    std::vector<const uint32_t*> words;
    std::vector<size_t> sizes;
    for (const std::span<const uint32_t> input : modules) {
        const auto module = read(input);
        const Status sound = module ? checkStructure(*module) : Status(module.error());
        if (!sound) {
            return sound.error();
        }
        words.push_back(input.data());
        sizes.push_back(input.size());
    }
    Messages messages;
    spvtools::Context context(SPV_ENV_UNIVERSAL_1_6);
    context.SetMessageConsumer(messages.consumer());
    spvtools::LinkerOptions options;
    options.SetUseHighestVersion(true);
    Words out;
    if (spvtools::Link(context, words.data(), sizes.data(), words.size(), &out, options) != SPV_SUCCESS) {
        return messages.failure("cannot link");
    }
    auto module = read(out);
    if (!module) {
        return module.error();
    }
    mergeBuiltinInputs(*module);
    tidyInterfaces(*module);
    return write(*module);
}

}  // namespace millrace::spirv
