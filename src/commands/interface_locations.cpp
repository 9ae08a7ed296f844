// SPDX-License-Identifier: Apache-2.0
#include "commands/interface_locations.h"

#include <algorithm>

namespace millrace::commands {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

constexpr uint32_t kMaxLocations = 0x10000;  // more than any device has

class Locations {
public:
    explicit Locations(uint32_t end) : m_taken(end) {}

    void add(const Variant& stage)
    {
        for (const Instruction& i : stage.module.section(spirv::Section::Globals))
            if (i.op == spv::Op::OpVariable && isHandedOn(stage.model, storageOf(i)))
                add(stage, i);
    }

    std::optional<uint32_t> firstFree() const
    {
        const auto found = std::ranges::find(m_taken, false);
        return found == m_taken.end() ? std::nullopt : std::optional(static_cast<uint32_t>(found - m_taken.begin()));
    }

    void add(const Variant& stage, const Instruction& variable)
    {
        const Module& module = stage.module;
        Id type = module.pointee(variable.type);
        if (isPerVertex(stage, variable))
            type = module.findDefinition(type)->id(0);
        if (const Instruction* location = module.findDecoration(variable.result, spv::Decoration::Location))
            take(location->literal(2), count(module, type));
        // Members of blocks may have numbers of their own.
        while (module.findDefinition(type) && module.findDefinition(type)->op == spv::Op::OpTypeArray)
            type = module.findDefinition(type)->id(0);
        const Instruction* block = module.findDefinition(type);
        for (uint32_t m = 0; block && block->op == spv::Op::OpTypeStruct && m < block->operandCount(); ++m)
            if (const Instruction* location = module.findMemberDecoration(type, m, spv::Decoration::Location))
                take(location->literal(3), count(module, block->id(m)));
    }

    bool overlap(const Locations& other) const
    {
        for (size_t location = 0; location < m_taken.size(); ++location)
            if (m_taken[location] && other.m_taken[location])
                return true;
        return false;
    }

    static spv::StorageClass storageOf(const Instruction& variable)
    {
        return static_cast<spv::StorageClass>(variable.literal(0));
    }

private:
    static bool isHandedOn(spv::ExecutionModel model, spv::StorageClass storage)
    {
        return (storage == spv::StorageClass::Input && model != spv::ExecutionModel::Vertex) ||
               (storage == spv::StorageClass::Output && model != spv::ExecutionModel::Fragment);
    }

    // Specification of Vulkan, "Location Assignment".
    static uint32_t count(const Module& module, Id type)
    {
        const Instruction* definition = module.findDefinition(type);
        switch (definition ? definition->op : spv::Op::OpNop) {
            case spv::Op::OpTypeVector: {
                const Instruction* component = module.findDefinition(definition->id(0));
                return component->literal(0) == 64 && definition->literal(1) > 2 ? 2 : 1;
            }
            case spv::Op::OpTypeMatrix:
                return definition->literal(1) * count(module, definition->id(0));
            case spv::Op::OpTypeArray: {
                uint32_t length = 0;
                // A specialization constant may become any number.
                const bool isKnown = module.isConstant(definition->id(1)) &&
                                     module.constantValue(definition->id(1), length) && length < kMaxLocations;
                return isKnown ? std::min(length * count(module, definition->id(0)), kMaxLocations) : kMaxLocations;
            }
            case spv::Op::OpTypeStruct: {
                uint32_t sum = 0;
                for (size_t m = 0; m < definition->operandCount(); ++m)
                    sum = std::min(sum + count(module, definition->id(m)), kMaxLocations);
                return sum;
            }
            default:
                return 1;
        }
    }

    void take(uint32_t first, uint32_t count)
    {
        for (uint64_t location = first; location < std::min<uint64_t>(uint64_t{first} + count, m_taken.size());
             ++location)
            m_taken[location] = true;
    }

    std::vector<bool> m_taken;
};

bool isPatch(const Module& module, const Instruction& variable)
{
    const Id type = module.pointee(variable.type);
    return module.findDecoration(variable.result, spv::Decoration::Patch) ||
           module.findMemberDecoration(type, 0, spv::Decoration::Patch);
}

}  // namespace

bool isPerVertex(const Variant& stage, const Instruction& variable)
{
    const Module& module = stage.module;
    const Instruction* type = module.findDefinition(module.pointee(variable.type));
    if (!type || type->op != spv::Op::OpTypeArray)
        return false;
    const bool isInput = Locations::storageOf(variable) == spv::StorageClass::Input;
    switch (stage.model) {
        case spv::ExecutionModel::TessellationControl:
            return !isPatch(module, variable);
        case spv::ExecutionModel::TessellationEvaluation:
            return isInput && !isPatch(module, variable);
        case spv::ExecutionModel::Geometry:
            return isInput;
        case spv::ExecutionModel::MeshEXT:
            return !isInput;
        case spv::ExecutionModel::Fragment:
            return isInput && module.findDecoration(variable.result, spv::Decoration::PerVertexKHR);
        default:
            return false;
    }
}

std::optional<uint32_t> findFreeLocation(const std::vector<Variant>& stages, uint32_t end)
{
    Locations locations(end);
    for (const Variant& stage : stages)
        locations.add(stage);
    return locations.firstFree();
}

bool readsLocations(const Variant& from, const std::vector<Id>& outputs, const Variant& to)
{
    Locations written(kMaxLocations), read(kMaxLocations);
    for (const Id output : outputs)
        written.add(from, *from.module.findDefinition(output));
    for (const Instruction& i : to.module.section(spirv::Section::Globals))
        if (i.op == spv::Op::OpVariable && Locations::storageOf(i) == spv::StorageClass::Input)
            read.add(to, i);
    return written.overlap(read);
}

}  // namespace millrace::commands
