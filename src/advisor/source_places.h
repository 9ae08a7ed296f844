// SPDX-License-Identifier: Apache-2.0
// Source lines of instructions: OpLine, or DebugLine of NonSemantic.Shader.DebugInfo.100.
#pragma once

#include "advisor/place.h"
#include "spirv/module.h"

namespace millrace::advisor {

// Follows the instructions of a block in their order. The module must outlive it.
class SourcePlaces {
public:
    explicit SourcePlaces(const spirv::Module& module);

    void beginBlock() { m_place = {}; }
    // Takes an instruction; true for one that only says where the next ones stand.
    bool step(const spirv::Instruction& i);
    const Place& place() const { return m_place; }

private:
    bool stepDebug(const spirv::Instruction& i);
    std::string fileOf(spirv::Id source) const;

    const spirv::Module& m_module;
    spirv::Id m_debugInfo;
    Place m_place;
};

}  // namespace millrace::advisor
