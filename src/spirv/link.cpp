// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <tuple>

#include <spirv-tools/linker.hpp>

#include "spirv/check.h"
#include "spirv/messages.h"
#include "spirv/module.h"
#include "spirv/reach.h"
#include "spirv/tools.h"

namespace millrace::spirv {

namespace {

void forEachLinkage(const Module& module, spv::LinkageType type, const std::function<void(Id, std::string)>& visit)
{
    for (const Instruction& i : module.section(Section::Annotations)) {
        const bool hasLinkage = i.op == spv::Op::OpDecorate && i.operandCount() == 4 &&
                                i.literal(1) == static_cast<uint32_t>(spv::Decoration::LinkageAttributes);
        if (hasLinkage && i.literal(3) == static_cast<uint32_t>(type)) {
            visit(i.id(0), i.string(2));
        }
    }
}

// Keeps what is imported by someone, with all it needs. The linker's time grows faster than its input: a library of
// 14000 words takes 10 ms whole, a tenth of that when two of its functions are wanted.
void trimLibrary(Module& library, const std::set<std::string>& imported)
{
    Reach reach(library);
    forEachLinkage(library, spv::LinkageType::Export, [&](Id id, std::string name) {
        if (imported.contains(name)) {
            reach.add(id);
        }
    });
    for (const Instruction& i : library.section(Section::EntryPoints)) {
        reach.addUses(i);
    }
    reach.addDescriptions();
    removeUnreached(library, reach.takeIds());
}

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
    std::vector<Module> inputs;
    std::set<std::string> imported;
    for (const std::span<const uint32_t> words : modules) {
        auto module = read(words);
        const Status sound = module ? checkStructure(*module) : Status(module.error());
        if (!sound) {
            return sound.error();
        }
        forEachLinkage(*module, spv::LinkageType::Import, [&](Id, std::string name) { imported.insert(name); });
        inputs.push_back(std::move(*module));
    }
    std::vector<Words> trimmed;
    for (Module& input : inputs) {
        if (!trimmed.empty()) {
            trimLibrary(input, imported);
        }
        trimmed.push_back(write(input));
    }
    Messages messages;
    spvtools::Context context(SPV_ENV_UNIVERSAL_1_6);
    context.SetMessageConsumer(messages.consumer());
    spvtools::LinkerOptions options;
    options.SetUseHighestVersion(true);
    Words out;
    if (spvtools::Link(context, trimmed, &out, options) != SPV_SUCCESS) {
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
