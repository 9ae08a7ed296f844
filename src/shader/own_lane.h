// SPDX-License-Identifier: Apache-2.0
// Which values are the number of the invocation that has them.
#pragma once

#include <array>
#include <cstdint>

#include "spirv/module.h"

namespace millrace::shader {

// A pointer without what leads to the same place: copies, and access chains that have no indices.
spirv::Id samePlace(const spirv::Module& module, spirv::Id pointer);

// As RADV decides it (nir_shader_gather_info): LocalInvocationIndex itself, or the only component of LocalInvocationId
// that counts in workgroups of one dimension. Values that are equal to it by arithmetic are not seen.
class OwnLane {
public:
    OwnLane(const spirv::Module& module, const std::array<uint32_t, 3>& workgroupSize);

    bool isOwn(spirv::Id index) const;

private:
    bool isLoadOfOwn(const spirv::Instruction& load) const;
    bool isOwnComponent(uint32_t component) const;
    bool isBuiltIn(spirv::Id variable, spv::BuiltIn builtIn) const;

    const spirv::Module& m_module;
    std::array<uint32_t, 3> m_workgroupSize;
};

}  // namespace millrace::shader
