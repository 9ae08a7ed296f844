// SPDX-License-Identifier: Apache-2.0
// Which invocation of a workgroup writes a vertex.
#pragma once

#include <unordered_set>

#include "mesh/lower_pipeline.h"
#include "shader/own_lane.h"
#include "spirv/module.h"

namespace millrace::mesh {

// Numbers of vertices that are the invocation's own: LocalInvocationIndex, or larger by a multiple of the workgroup's
// size. So of all invocations only that with the number modulo the size has it. The module must not change meanwhile.
class OwnVertices {
public:
    OwnVertices(const spirv::Module& module, const GroupSize& size);

    uint32_t invocations() const { return m_invocations; }
    // As loops have it, too: i = own; i < count; i += size. Only values are looked at, no local variables.
    bool isOwn(spirv::Id index) const;

private:
    bool isOwn(spirv::Id index, std::unordered_set<uint32_t>& assumed) const;
    bool isStep(spirv::Id value) const;

    const spirv::Module& m_module;
    shader::OwnLane m_lane;
    uint32_t m_invocations;
};

}  // namespace millrace::mesh
