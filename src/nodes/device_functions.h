// SPDX-License-Identifier: Apache-2.0
// The functions of src/shaders/device/node.glsl that node shaders import; docs/device-functions.md.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "spirv/module.h"

namespace millrace::nodes {

enum class DeviceFunction {
    Begin,
    Next,
    Step,
    Active,
    WorkgroupId,
    InputHandle,
    InputCount,
    InputElement,
    OutputElement,
    Element,
    ArrayLength,
    RemainingRecursion,
    ShaderIndex,
    AllocateInvocation,
    AllocateWorkgroup,
    AllocateToOne,
    Enqueue,
    EnqueueInvocation,
    EnqueueWorkgroup,
    IsValid,
    FinishWriting,
    NextDepthFirst,  // and the next: device/depth_first.glsl
    KeptCount,
    TakeKept,
    TakeToLeave,
    PlaceOfFirst,
    PlaceToKeep,
    Keep,
    Stays,  // device/sharing.glsl
    Shares,
    PlaceToGive,
    OfGiver,
    OfGiverLong,
    TakesGiven,
    HasPayload,
    LeavesNow,
    WorkgroupMemory,  // device/leaf.glsl
    NoteBudget,
    Count,
};

// The one of that name.
std::optional<DeviceFunction> findDeviceFunction(std::string_view name);

// Belongs to one module and remembers what that module imports.
class DeviceFunctions {
public:
    // Emits a call. Requires: declare() before the module is written.
    spirv::Id call(spirv::Emitter& emitter, DeviceFunction function, std::initializer_list<spirv::Id> arguments);
    // The same with a given result id.
    void callAs(spirv::Emitter& emitter, spirv::Id result, DeviceFunction function,
                std::initializer_list<spirv::Id> arguments);

    bool isCall(const spirv::Instruction& i, DeviceFunction function) const;

    // Adds a declaration with import linkage for each function that was called since. Not while a function of the
    // module is being rewritten.
    void declare(spirv::Module& module);

private:
    struct Import {
        spirv::Id id;
        spirv::Id resultType;
        bool declared = false;
    };
    const Import& import(spirv::Module& module, DeviceFunction function);

    std::array<Import, static_cast<size_t>(DeviceFunction::Count)> m_imports;
};

}  // namespace millrace::nodes
