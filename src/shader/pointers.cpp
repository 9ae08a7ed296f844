// SPDX-License-Identifier: Apache-2.0
#include "shader/pointers.h"

#include <optional>
#include <vector>

#include "shader/type_layouts.h"

namespace millrace::shader {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

bool passesPointerOn(spv::Op op)
{
    return isAccessChain(op) || op == spv::Op::OpCopyObject || op == spv::Op::OpPhi || op == spv::Op::OpSelect;
}

// An operand in whose place a pointer would change the meaning of the instruction.
bool escapes(const Instruction& i, size_t operand)
{
    return (i.op == spv::Op::OpFunctionCall && operand > 0) || (i.op == spv::Op::OpStore && operand == 1) ||
           i.op == spv::Op::OpReturnValue || i.op == spv::Op::OpCompositeConstruct;
}

struct State {
    Module& module;
    std::unordered_map<uint32_t, spv::StorageClass> storages;
    Failure& failure;
    bool changed = false;

    std::optional<spv::StorageClass> storageOfOperand(const Instruction& i)
    {
        const size_t last = isAccessChain(i.op) ? 1 : i.operandCount();
        for (size_t o = 0; o < last; ++o) {
            const auto found = i.isId(o) ? storages.find(i.id(o).value) : storages.end();
            if (found != storages.end())
                return found->second;
        }
        return std::nullopt;
    }

    void spread()
    {
        for (const spirv::Function& function : module.functions) {
            for (const spirv::Block& block : function.blocks) {
                for (const Instruction& i : block.body) {
                    const bool isNew = passesPointerOn(i.op) && !storages.contains(i.result.value);
                    const auto storage = isNew ? storageOfOperand(i) : std::nullopt;
                    if (storage) {
                        storages[i.result.value] = *storage;
                        changed = true;
                    }
                }
            }
        }
    }

    bool retype(const std::unordered_map<uint32_t, spv::StorageClass>& roots)
    {
        for (spirv::Function& function : module.functions) {
            for (spirv::Block& block : function.blocks) {
                for (Instruction& i : block.body) {
                    for (size_t o = 0; o < i.operandCount(); ++o)
                        if (i.isId(o) && escapes(i, o) && storages.contains(i.id(o).value))
                            return failure.at(module, i, "takes a pointer to a variable that moves to other memory");
                    const auto storage = storages.find(i.result.value);
                    if (i.result && storage != storages.end() && !roots.contains(i.result.value))
                        i.type = module.getPointerType(storage->second, module.pointee(i.type));
                }
            }
        }
        return true;
    }
};

}  // namespace

bool changeDerivedPointers(Module& module, const std::unordered_map<uint32_t, spv::StorageClass>& roots,
                           Failure& failure)
{
    State state{module, roots, failure};
    do {
        state.changed = false;
        state.spread();
    } while (state.changed);
    return state.retype(roots);
}

bool changeStorage(Module& module, Id variable, spv::StorageClass storage, Failure& failure)
{
    const Id type = module.getPointerType(storage, module.pointee(module.typeOf(variable)));
    Instruction* definition = module.findDefinition(variable);
    definition->type = type;
    definition->setLiteral(0, static_cast<uint32_t>(storage));
    return changeDerivedPointers(module, {{variable.value, storage}}, failure);
}

void addPhysicalStorageCapabilities(Module& module)
{
    TypeLayouts layouts(module);
    uint32_t widths = 0;
    for (const Instruction& i : module.section(spirv::Section::Globals))
        if (i.op == spv::Op::OpTypePointer &&
            i.literal(0) == static_cast<uint32_t>(spv::StorageClass::PhysicalStorageBuffer))
            widths |= layouts.scalarWidths(i.id(1));
    if ((widths & 8) != 0)
        module.addCapability(spv::Capability::StorageBuffer8BitAccess);
    if ((widths & 16) != 0)
        module.addCapability(spv::Capability::StorageBuffer16BitAccess);
}

void decoratePhysicalPointers(Module& module)
{
    const auto isPhysical = [&](Id type) { return module.storageOf(type) == spv::StorageClass::PhysicalStorageBuffer; };
    std::vector<std::pair<Id, bool>> found;  // with "is a parameter"
    for (const spirv::Function& function : module.functions) {
        for (const Instruction& parameter : function.parameters)
            if (isPhysical(parameter.type))
                found.emplace_back(parameter.result, true);
    }
    module.forEachInstruction([&](const Instruction& i) {
        if (i.op == spv::Op::OpVariable && isPhysical(module.pointee(i.type)))
            found.emplace_back(i.result, false);
    });
    for (const auto& [id, isParameter] : found) {
        const auto aliased = isParameter ? spv::Decoration::Aliased : spv::Decoration::AliasedPointer;
        const auto restricted = isParameter ? spv::Decoration::Restrict : spv::Decoration::RestrictPointer;
        if (!module.findDecoration(id, aliased) && !module.findDecoration(id, restricted))
            module.decorate(id, aliased);
    }
}

}  // namespace millrace::shader
