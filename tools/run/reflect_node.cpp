// SPDX-License-Identifier: Apache-2.0
#include "tools/run/reflect_node.h"

#include <algorithm>
#include <unordered_set>

#include "base/near_word.h"
#include "nodes/reflect_types.h"
#include "spirv/edit.h"
#include "spirv/module.h"
#include "tools/run/numbers.h"

namespace millrace::tools::run {

namespace {

using nodes::TypeReflection;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;
using Kind = DataType::Kind;

struct SpecializationConstant {
    std::string name;
    uint32_t id = 0;
    DataTypeRef type;
    bool isBoolean = false;
};

std::vector<SpecializationConstant> specializationConstants(const Module& module)
{
    std::vector<SpecializationConstant> out;
    TypeReflection types(module);
    for (const Instruction& i : module.section(Section::Annotations)) {
        if (i.op != spv::Op::OpDecorate || i.literal(1) != static_cast<uint32_t>(spv::Decoration::SpecId))
            continue;
        const Instruction* type = module.findDefinition(module.typeOf(i.id(0)));
        if (type == nullptr)
            continue;
        std::string ignored;
        const bool isBoolean = type->op == spv::Op::OpTypeBool;
        const DataTypeRef scalar = isBoolean ? scalarType(Kind::Unsigned, 32) : types.reflect(type->result, ignored);
        if (scalar)
            out.push_back({module.name(i.id(0)), i.literal(2), scalar, isBoolean});
    }
    return out;
}

spirv::SpecializationValue encode(const SpecializationConstant& constant, const Value& value)
{
    spirv::SpecializationValue out{constant.id, std::vector<uint8_t>(constant.type->bytes)};
    if (constant.isBoolean)
        out.data[0] = value.boolean() ? 1 : 0;
    else if (const auto error = scalarFromJson(*constant.type, value.json(), out.data.data()))
        value.fail(*error);
    return out;
}

// An entry point, with constants specialized.
struct Entry {
    std::string file;
    std::string name;
    spv::ExecutionModel model = spv::ExecutionModel::GLCompute;
    Module module;
};

// Reflects the variables of an entry point.
class Reflection {
public:
    Reflection(const Value& place, const Entry& entry, ProgramNode& node)
        : m_place(place),
          m_entry(entry),
          m_module(entry.module),
          m_node(node),
          m_types(entry.module),
          m_accesses(findImageAccesses(entry.module))
    {
    }

    void run()
    {
        const std::unordered_set<uint32_t> interface = findInterface();
        for (const Instruction& i : m_module.section(Section::Globals)) {
            // Before SPIR-V 1.4 the interface is inputs and outputs alone.
            if (i.op == spv::Op::OpVariable && (m_module.version < 0x00010400 || interface.contains(i.result.value)))
                variable(i);
        }
    }

private:
    std::unordered_set<uint32_t> findInterface() const
    {
        std::unordered_set<uint32_t> out;
        for (const Instruction& i : m_module.section(Section::EntryPoints)) {
            if (i.literal(0) == static_cast<uint32_t>(m_entry.model) && i.string(2) == m_entry.name)
                for (size_t o = 3; o < i.operandCount(); ++o)
                    out.insert(i.id(o).value);
        }
        return out;
    }

    void variable(const Instruction& variable)
    {
        const Id type = m_module.pointee(variable.type);
        switch (static_cast<spv::StorageClass>(variable.literal(0))) {
            case spv::StorageClass::NodePayloadAMDX: {
                const Instruction* array = m_module.findDefinition(type);
                const bool isArray = array != nullptr && array->op == spv::Op::OpTypeNodePayloadArrayAMDX;
                m_node.payload = reflect(isArray ? array->id(0) : type, "the payload");
                if (m_node.payload->bytes == 0)
                    m_node.payload = nullptr;
                break;
            }
            case spv::StorageClass::PushConstant:
                m_node.constants.push_back(reflect(type, "the push constants"));
                break;
            case spv::StorageClass::StorageBuffer:
                buffer(variable, type, DescriptorKind::StorageBuffer);
                break;
            case spv::StorageClass::Uniform: {
                // How SPIR-V 1.0 wrote storage buffers.
                const bool isStorage = m_module.findDecoration(type, spv::Decoration::BufferBlock) != nullptr;
                buffer(variable, type, isStorage ? DescriptorKind::StorageBuffer : DescriptorKind::UniformBuffer);
                break;
            }
            case spv::StorageClass::UniformConstant:
                image(variable, type);
                break;
            case spv::StorageClass::Output:
                if (m_entry.model == spv::ExecutionModel::Fragment)
                    output(variable, type);
                break;
            default:
                break;
        }
    }

    DataTypeRef reflect(Id type, const std::string& what)
    {
        std::string error;
        DataTypeRef out = m_types.reflect(type, error);
        if (!out)
            fail("cannot read the layout of " + what + ": " + error);
        return out;
    }

    BindingUse describe(const Instruction& variable, Id type, DescriptorKind kind)
    {
        BindingUse use;
        use.kind = kind;
        use.name = m_module.name(variable.result);
        use.name = use.name.empty() ? m_module.name(type) : use.name;
        const Instruction* set = m_module.findDecoration(variable.result, spv::Decoration::DescriptorSet);
        const Instruction* binding = m_module.findDecoration(variable.result, spv::Decoration::Binding);
        if (set == nullptr || binding == nullptr)
            fail("variable \"" + use.name + "\" has no set and binding");
        use.set = set->literal(2);
        use.binding = binding->literal(2);
        return use;
    }

    const Instruction& definition(Id type, const BindingUse& use)
    {
        const Instruction* found = m_module.findDefinition(type);
        if (found == nullptr || found->op == spv::Op::OpTypeArray || found->op == spv::Op::OpTypeRuntimeArray)
            fail("\"" + use.name + "\" is an array of descriptors, which millrace run does not support");
        return *found;
    }

    void buffer(const Instruction& variable, Id type, DescriptorKind kind)
    {
        BindingUse use = describe(variable, type, kind);
        (void)definition(type, use);
        use.type = reflect(type, "\"" + use.name + "\"");
        add(std::move(use));
    }

    void image(const Instruction& variable, Id type)
    {
        BindingUse use = describe(variable, type, DescriptorKind::StorageImage);
        const Instruction& found = imageType(type, use);
        const bool isStorage = found.literal(5) == 2;
        if (found.literal(1) == static_cast<uint32_t>(spv::Dim::Buffer))
            use.kind = isStorage ? DescriptorKind::StorageTexelBuffer : DescriptorKind::UniformTexelBuffer;
        const Instruction* sampled = m_module.findDefinition(found.id(0));
        if (sampled == nullptr || sampled->literal(0) != 32)
            fail("\"" + use.name + "\" has no texels of 32-bit numbers, and millrace run supports no others");
        const bool isFloat = sampled->op == spv::Op::OpTypeFloat;
        const bool isSigned = !isFloat && sampled->literal(1) != 0;
        use.scalarKind = static_cast<uint32_t>(isFloat ? Kind::Float : isSigned ? Kind::Signed : Kind::Unsigned);
        if (isStorage) {
            use.format = found.literal(6);
            use.access = m_accesses[variable.result.value];
            use.access.reads &= use.format == 0;
            use.access.writes &= use.format == 0;
        }
        add(std::move(use));
    }

    // Of a storage image or a texel buffer.
    const Instruction& imageType(Id type, const BindingUse& use)
    {
        const auto isBuffer = [](const Instruction& image) {
            return image.op == spv::Op::OpTypeImage && image.literal(1) == static_cast<uint32_t>(spv::Dim::Buffer);
        };
        const Instruction* found = &definition(type, use);
        if (found->op == spv::Op::OpTypeSampledImage) {
            // How GLSL's samplerBuffer is written.
            const Instruction& image = definition(found->id(0), use);
            found = isBuffer(image) ? &image : found;
        }
        const bool isPlain =
            isBuffer(*found) ||
            (found->op == spv::Op::OpTypeImage && found->literal(1) == static_cast<uint32_t>(spv::Dim::Dim2D) &&
             found->literal(3) == 0 && found->literal(4) == 0 && found->literal(5) == 2);
        if (!isPlain) {
            fail("\"" + use.name +
                 "\" is neither a two-dimensional storage image nor a texel buffer, and millrace run supports no "
                 "others");
        }
        return *found;
    }

    // What goes into the target.
    void output(const Instruction& variable, Id type)
    {
        const Instruction* location = m_module.findDecoration(variable.result, spv::Decoration::Location);
        if (location == nullptr || location->literal(2) != 0)
            return;
        const Instruction* found = m_module.findDefinition(type);
        if (found != nullptr && found->op == spv::Op::OpTypeVector)
            found = m_module.findDefinition(found->id(0));
        if (found != nullptr && (found->op == spv::Op::OpTypeFloat || found->op == spv::Op::OpTypeInt)) {
            const bool isFloat = found->op == spv::Op::OpTypeFloat;
            m_node.fragment->outputKind = isFloat                  ? Kind::Float
                                          : found->literal(1) != 0 ? Kind::Signed
                                                                   : Kind::Unsigned;
        }
    }

    // Mesh and fragment shader may have it in common.
    void add(BindingUse&& use)
    {
        const auto known = std::ranges::find_if(m_node.bindings, [&](const BindingUse& each) {
            return each.set == use.set && each.binding == use.binding;
        });
        if (known == m_node.bindings.end()) {
            m_node.bindings.push_back(std::move(use));
        } else if (const auto conflict = joinUses(*known, use)) {
            fail("set " + std::to_string(use.set) + ", binding " + std::to_string(use.binding) + " is " +
                 conflict->other + " here and " + conflict->known + " elsewhere in the node");
        }
    }

    [[noreturn]] void fail(const std::string& message) const { m_place.fail(m_entry.file + ": " + message); }

    const Value& m_place;
    const Entry& m_entry;
    const Module& m_module;
    ProgramNode& m_node;
    TypeReflection m_types;
    std::unordered_map<uint32_t, ImageAccess> m_accesses;
};

// Lengths of arrays may be specialization constants.
Module specialized(const ShaderDescription& description, const spirv::Words& words,
                   const std::vector<spirv::SpecializationValue>& values)
{
    auto module = spirv::read(words);
    const Status status = module ? spirv::specialize(*module, values) : Status(module.error());
    if (!status)
        description.place.fail(description.file + ": " + status.error().text());
    return std::move(*module);
}

}  // namespace

std::vector<spirv::SpecializationValue> encodeSpecialization(const ShaderDescription& description,
                                                             const spirv::Words& words)
{
    const auto module = spirv::read(words);
    if (!module)
        description.place.fail(description.file + ": " + module.error().text());
    const std::vector<SpecializationConstant> constants = specializationConstants(*module);
    std::vector<spirv::SpecializationValue> out;
    for (const auto& [key, value] : description.specialization) {
        const auto found = std::ranges::find_if(constants, [&, key = key](const SpecializationConstant& constant) {
            return constant.name == key || std::to_string(constant.id) == key;
        });
        if (found == constants.end()) {
            std::vector<std::string> names;
            for (const SpecializationConstant& constant : constants)
                names.push_back(constant.name.empty() ? std::to_string(constant.id) : constant.name);
            value.fail(description.file + " has no specialization constant \"" + key + "\"" + suggestion(key, names));
        }
        out.push_back(encode(*found, value));
    }
    return out;
}

void reflectNode(const NodeDescription& description, ProgramNode& node)
{
    const auto model = node.isMesh() ? spv::ExecutionModel::MeshEXT : spv::ExecutionModel::GLCompute;
    const Entry entry{node.file, node.entryPoint, model, specialized(description, node.words, node.specialization)};
    Reflection(description.place, entry, node).run();
    if (!node.payload && !node.declared.declaresPayload && node.declared.mode == graph::LaunchMode::Dynamic)
        node.payload = structureType({{"grid", 0, vectorType(scalarType(Kind::Unsigned, 32), 3)}});
    if (const auto& fragment = node.fragment) {
        const ShaderDescription& own = description.draw->fragment;
        const Entry drawn{fragment->file, fragment->entryPoint, spv::ExecutionModel::Fragment,
                          specialized(own, fragment->words, fragment->specialization)};
        Reflection(own.place, drawn, node).run();
    }
}

}  // namespace millrace::tools::run
