// SPDX-License-Identifier: Apache-2.0
#include "nodes/fusion/kept_memory.h"

#include <algorithm>
#include <string_view>

#include "graph/saturating.h"

namespace millrace::nodes {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

constexpr std::string_view kMark = "millrace.kept";
// What is smaller stays in workgroup memory, where it is in nobody's way.
constexpr uint64_t kLeastBytes = 65;
constexpr uint32_t kGroupAlignment = 128;  // a cache line

bool isMark(const Instruction& i)
{
    return i.op == spv::Op::OpDecorateString && i.literal(1) == static_cast<uint32_t>(spv::Decoration::UserSemantic) &&
           i.string(2) == kMark;
}

std::optional<PlainSize> structSize(const Module& module, const Instruction& type)
{
    PlainSize all;
    for (size_t o = 0; o < type.operandCount(); ++o) {
        const auto member = plainSizeOf(module, type.id(o));
        if (!member)
            return std::nullopt;
        all.bytes = graph::roundUp(all.bytes, member->alignment) + member->bytes;
        all.alignment = std::max(all.alignment, member->alignment);
    }
    return PlainSize{graph::roundUp(all.bytes, all.alignment), all.alignment};
}

// Where they end, and where each begins.
uint64_t layOut(const Module& module, std::vector<KeptVariable>& variables)
{
    uint64_t end = 0;
    for (const Instruction& i : module.section(Section::Annotations)) {
        const auto size = isMark(i) ? plainSizeOf(module, module.pointee(module.typeOf(i.id(0)))) : std::nullopt;
        if (size && size->bytes >= kLeastBytes) {
            variables.push_back({i.id(0), static_cast<uint32_t>(end)});
            end = graph::roundUp(end + size->bytes, kKeptAlignment);
        }
    }
    return graph::roundUp(end, kGroupAlignment);
}

}  // namespace

void markKept(Module& module, Id variable)
{
    module.section(Section::Annotations)
        .push_back(spirv::instruction(spv::Op::OpDecorateString)
                       .add(variable)
                       .add(static_cast<uint32_t>(spv::Decoration::UserSemantic))
                       .add(kMark));
}

void unmarkKept(Module& module)
{
    module.removeDecorations(isMark);
}

std::optional<PlainSize> plainSizeOf(const Module& module, Id type)
{
    constexpr uint32_t kPointerBytes = 8;
    const Instruction* t = module.findDefinition(type);
    if (!t)
        return std::nullopt;
    switch (t->op) {
        case spv::Op::OpTypeInt:
        case spv::Op::OpTypeFloat:
            return PlainSize{t->literal(0) / 8, t->literal(0) / 8};
        case spv::Op::OpTypePointer:
            return module.storageOf(type) == spv::StorageClass::PhysicalStorageBuffer
                       ? std::optional(PlainSize{kPointerBytes, kPointerBytes})
                       : std::nullopt;
        case spv::Op::OpTypeVector: {
            const auto component = plainSizeOf(module, t->id(0));
            const uint32_t count = t->literal(1);
            if (!component)
                return std::nullopt;
            // Three take the room of four, so that whatever follows is aligned.
            const uint32_t bytes = component->alignment * (count == 3 ? 4 : count);
            return PlainSize{bytes, bytes};
        }
        case spv::Op::OpTypeArray: {
            const auto element = plainSizeOf(module, t->id(0));
            uint32_t length = 0;
            if (!element || !module.constantValue(t->id(1), length))
                return std::nullopt;
            return PlainSize{element->bytes * length, element->alignment};
        }
        case spv::Op::OpTypeStruct:
            return structSize(module, *t);
        default:
            return std::nullopt;
    }
}

std::vector<KeptVariable> keptVariables(const Module& module)
{
    std::vector<KeptVariable> variables;
    layOut(module, variables);
    return variables;
}

uint32_t keptMemoryBytes(const Module& module)
{
    std::vector<KeptVariable> variables;
    return static_cast<uint32_t>(layOut(module, variables));
}

}  // namespace millrace::nodes
