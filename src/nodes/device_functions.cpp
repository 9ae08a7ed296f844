// SPDX-License-Identifier: Apache-2.0
#include "nodes/device_functions.h"

#include <algorithm>
#include <vector>

namespace millrace::nodes {

using spirv::Id;
using spirv::Instruction;

namespace {

// One letter per type: v void, b bool, u uint, l uint64_t, 3 uvec3, 4 uvec4. The first is the result.
struct Signature {
    const char* name;
    std::string_view types;
};

constexpr std::array<Signature, static_cast<size_t>(DeviceFunction::Count)> kSignatures = {{
    {"mr_begin", "v44"},
    {"mr_next", "b"},
    {"mr_step", "b"},
    {"mr_active", "b"},
    {"mr_workgroup_id", "3"},
    {"mr_input_handle", "4"},
    {"mr_input_count", "u"},
    {"mr_input_element", "lu"},
    {"mr_output_element", "l4u"},
    {"mr_element", "l4u"},
    {"mr_array_length", "u4"},
    {"mr_remaining_recursion", "u"},
    {"mr_shader_index", "u"},
    {"mr_allocate_invocation", "4uuu"},
    {"mr_allocate_workgroup", "4uuu"},
    {"mr_allocate_to_one", "4uuu"},
    {"mr_enqueue", "v4"},
    {"mr_enqueue_invocation", "v4"},
    {"mr_enqueue_workgroup", "v4"},
    {"mr_is_valid", "buu"},
    {"mr_finish_writing", "b"},
    {"mr_next_depth_first", "u"},
    {"mr_kept_count", "u"},
    {"mr_take_kept", "u"},
    {"mr_take_to_leave", "uu"},
    {"mr_place_of_first", "u"},
    {"mr_place_to_keep", "u"},
    {"mr_keep", "bu"},
    {"mr_stays", "bu"},
    {"mr_shares", "bu"},
    {"mr_place_to_give", "u"},
    {"mr_of_giver", "uu"},
    {"mr_of_giver_long", "ll"},
    {"mr_takes_given", "b"},
    {"mr_has_payload", "bu"},
    {"mr_leaves_now", "bu"},
    {"mr_workgroup_memory", "lu"},
    {"mr_note_budget", "vu"},
}};

const Signature& signatureOf(DeviceFunction function)
{
    return kSignatures[static_cast<size_t>(function)];
}

Id getType(spirv::Module& module, char letter)
{
    switch (letter) {
        case 'b':
            return module.getBoolType();
        case 'u':
            return module.getIntType(32, false);
        case 'l':
            return module.getIntType(64, false);
        case '3':
            return module.getVectorType(module.getIntType(32, false), 3);
        case '4':
            return module.getVectorType(module.getIntType(32, false), 4);
        default:
            return module.getVoidType();
    }
}

}  // namespace

std::optional<DeviceFunction> findDeviceFunction(std::string_view name)
{
    const auto found = std::ranges::find(kSignatures, name, &Signature::name);
    return found == kSignatures.end() ? std::nullopt
                                      : std::optional(static_cast<DeviceFunction>(found - kSignatures.begin()));
}

const DeviceFunctions::Import& DeviceFunctions::import(spirv::Module& module, DeviceFunction function)
{
    Import& import = m_imports[static_cast<size_t>(function)];
    if (!import.id) {
        import.id = module.newId();
        import.resultType = getType(module, signatureOf(function).types[0]);
    }
    return import;
}

Id DeviceFunctions::call(spirv::Emitter& emitter, DeviceFunction function, std::initializer_list<Id> arguments)
{
    const Import& callee = import(emitter.module(), function);
    return emitter.call(callee.id, callee.resultType, arguments);
}

void DeviceFunctions::callAs(spirv::Emitter& emitter, Id result, DeviceFunction function,
                             std::initializer_list<Id> arguments)
{
    const Import& callee = import(emitter.module(), function);
    Instruction i = spirv::instruction(spv::Op::OpFunctionCall, callee.resultType, result).add(callee.id);
    for (const Id argument : arguments)
        i.add(argument);
    emitter.keep(std::move(i));
}

bool DeviceFunctions::isCall(const Instruction& i, DeviceFunction function) const
{
    const Id callee = m_imports[static_cast<size_t>(function)].id;
    return callee && i.op == spv::Op::OpFunctionCall && i.id(0) == callee;
}

void DeviceFunctions::declare(spirv::Module& module)
{
    for (size_t f = 0; f < m_imports.size(); ++f) {
        Import& import = m_imports[f];
        if (!import.id || import.declared)
            continue;
        import.declared = true;
        std::vector<Id> parameters;
        for (const char letter : kSignatures[f].types.substr(1))
            parameters.push_back(getType(module, letter));
        spirv::Function declaration;
        declaration.definition = spirv::instruction(spv::Op::OpFunction, import.resultType, import.id)
                                     .add(static_cast<uint32_t>(spv::FunctionControlMask::MaskNone))
                                     .add(module.getFunctionType(import.resultType, parameters));
        for (const Id parameter : parameters) {
            declaration.parameters.push_back(
                spirv::instruction(spv::Op::OpFunctionParameter, parameter, module.newId()));
        }
        module.functions.push_back(std::move(declaration));
        module.setName(import.id, kSignatures[f].name);
        module.section(spirv::Section::Annotations)
            .push_back(spirv::instruction(spv::Op::OpDecorate)
                           .add(import.id)
                           .add(static_cast<uint32_t>(spv::Decoration::LinkageAttributes))
                           .add(std::string_view(kSignatures[f].name))
                           .add(static_cast<uint32_t>(spv::LinkageType::Import)));
        module.addCapability(spv::Capability::Linkage);
    }
}

}  // namespace millrace::nodes
