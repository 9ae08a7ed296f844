// SPDX-License-Identifier: Apache-2.0
#include "shader/globals.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "spirv/id_set.h"

namespace millrace::shader {

using spirv::Id;
using spirv::Instruction;
using spirv::InstructionList;
using spirv::Module;
using spirv::Section;

namespace {

// What a node declares to receive says how large its payloads are and where their grid is, read or not.
std::vector<Id> declaredInputs(const Module& module, Id entry)
{
    std::vector<Id> inputs;
    for (const Instruction& i : module.section(Section::EntryPoints)) {
        for (size_t o = 3; i.id(1) == entry && o < i.operandCount(); ++o)
            if (module.storageOf(module.typeOf(i.id(o))) == spv::StorageClass::NodePayloadAMDX)
                inputs.push_back(i.id(o));
    }
    return inputs;
}

}  // namespace

namespace {

// All that the entry point mentions of the module's functions and global variables, and `roots`.
spirv::IdSet reachedBy(const Module& module, Id entry, const std::vector<Id>& roots, spirv::IdSet& variables)
{
    spirv::IdSet functions;
    for (const spirv::Function& function : module.functions)
        functions.insert(function.id());
    for (const Instruction& i : module.section(Section::Globals))
        if (i.op == spv::Op::OpVariable || i.op == spv::Op::OpUntypedVariableKHR)
            variables.insert(i.result);
    spirv::IdSet reached;
    std::vector<Id> pending;
    const auto reach = [&](Id id) {
        if ((functions.contains(id) || variables.contains(id)) && reached.insert(id))
            pending.push_back(id);
    };
    for (const Id root : roots)
        reach(root);
    for (reach(entry); !pending.empty();) {
        const Id id = pending.back();
        pending.pop_back();
        if (variables.contains(id)) {
            module.findDefinition(id)->forEachUse(reach);
            continue;
        }
        for (const spirv::Block& block : module.findFunction(id)->blocks)
            for (const Instruction& i : block.body)
                i.forEachUse(reach);
    }
    return reached;
}

void listInterface(Module& module, Id entry, const std::vector<Id>& roots)
{
    spirv::IdSet variables;
    const spirv::IdSet reached = reachedBy(module, entry, roots, variables);
    for (Instruction& i : module.section(Section::EntryPoints)) {
        if (i.id(1) != entry)
            continue;
        Instruction updated = spirv::instruction(i.op).add(i.literal(0)).add(entry).add(i.string(2));
        for (const Instruction& global : module.section(Section::Globals))
            if (variables.contains(global.result) && reached.contains(global.result))
                updated.add(global.result);
        i = std::move(updated);
    }
}

}  // namespace

void updateInterface(Module& module, Id entry)
{
    listInterface(module, entry, declaredInputs(module, entry));
}

void extendInterface(Module& module, Id entry)
{
    std::vector<Id> listed;
    for (const Instruction& i : module.section(Section::EntryPoints))
        for (size_t o = 3; i.id(1) == entry && o < i.operandCount(); ++o)
            listed.push_back(i.id(o));
    listInterface(module, entry, listed);
}

bool isStorageImage(const Instruction& type)
{
    constexpr size_t kSampled = 5;
    constexpr uint32_t kStorage = 2;
    return type.op == spv::Op::OpTypeImage && type.literal(kSampled) == kStorage;
}

bool hasStorageImages(const Module& module)
{
    return std::ranges::any_of(module.section(Section::Globals), isStorageImage);
}

Id getNull(Module& module, Id type)
{
    for (const Instruction& i : module.section(Section::Globals))
        if (i.op == spv::Op::OpConstantNull && i.type == type)
            return i.result;
    const Id null = module.newId();
    module.section(Section::Globals).push_back(spirv::instruction(spv::Op::OpConstantNull, type, null));
    return null;
}

Id findBuiltIn(const Module& module, spv::BuiltIn builtIn)
{
    for (const Instruction& i : module.section(Section::Annotations))
        if (i.op == spv::Op::OpDecorate && i.literal(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
            i.literal(2) == static_cast<uint32_t>(builtIn))
            return i.id(0);
    return {};
}

Id getBuiltInVariable(Module& module, spv::BuiltIn builtIn, Id type)
{
    const Id pointer = module.getPointerType(spv::StorageClass::Input, type);
    for (const Instruction& i : module.section(Section::Globals)) {
        if (i.op != spv::Op::OpVariable || i.type != pointer)
            continue;
        const Instruction* decoration = module.findDecoration(i.result, spv::Decoration::BuiltIn);
        if (decoration && decoration->literal(2) == static_cast<uint32_t>(builtIn))
            return i.result;
    }
    const Id variable = module.createVariable(pointer, spv::StorageClass::Input);
    const uint32_t literals[] = {static_cast<uint32_t>(builtIn)};
    module.decorate(variable, spv::Decoration::BuiltIn, literals);
    return variable;
}

void forget(Module& module, Id id)
{
    const auto isAbout = [&](const Instruction& i) { return i.isId(0) && i.id(0) == id; };
    std::erase_if(module.section(Section::DebugNames), isAbout);
    module.removeDecorations(isAbout);
    for (Instruction& i : module.section(Section::EntryPoints)) {
        Instruction updated = spirv::instruction(i.op).add(i.literal(0)).add(i.id(1)).add(i.string(2));
        for (size_t o = 3; o < i.operandCount(); ++o)
            if (i.id(o) != id)
                updated.add(i.id(o));
        i = std::move(updated);
    }
}

}  // namespace millrace::shader
