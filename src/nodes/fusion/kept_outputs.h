// SPDX-License-Identifier: Apache-2.0
// Outputs whose payloads stay with the invocation that allocates them, or with its workgroup, in variables.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "nodes/fusion/leaves.h"
#include "nodes/fusion/plain_memory.h"
#include "nodes/node_shader.h"
#include "shader/diagnose.h"

namespace millrace::nodes {

inline constexpr uint32_t kHandleCountBit = 16;
inline constexpr uint32_t kHandleFirstMask = 0xffff;

struct KeptOutput {
    uint32_t output = 0;       // into graph::NodeDeclaration::outputs
    spirv::Id array;           // the payload array type
    spirv::Id payload;         // what it is an array of
    uint32_t most = 0;         // payloads that the keeper has at most; what is beyond is dropped
    std::vector<Leaf> leaves;  // of a payload
    spirv::Id allocation;      // type and scope of the allocation
    spirv::Id scope;
    // Variables: an array of payloads; how many were allocated, for which node index (base index included); and, if not
    // none, where they begin in the array, but for the first of them, if that has a place of its own.
    spirv::Id payloads, count, index, first, placeOfFirst;
    uint32_t room = 0;  // payloads in the array
    // The array is in workgroup memory. Where invocations allocate, they take their payloads from it: workgroup
    // variables of how many were taken, and the node index of each, and a function that takes some.
    bool byWorkgroup = false;
    spirv::Id taken, indices, take;
    // An invocation allocates more than once: `count` and `indices` are of all its allocations, and a handle is a
    // number, which the function leaves in `handle`: where the allocation begins in the array, and kHandleCountBit
    // above that how many payloads it has.
    bool isRepeated = false;
    spirv::Id handle;
};

// Of the payloads that a keeper may have: `bytesOfMany` where they may be more than kFewPayloads, and the code does not
// say how many an allocation has.
struct KeptLimits {
    uint32_t bytes;
    uint32_t bytesOfMany;
};
inline constexpr uint32_t kFewPayloads = 32;

class KeptOutputs {
public:
    KeptOutputs(NodeShader& shader, PlainMemory& memory, shader::Failure& failure)
        : m_shader(shader), m_module(shader.module), m_memory(memory), m_failure(failure)
    {
    }

    enum class Keeper { Invocation, Workgroup };

    // Requires: one allocation, not in a loop, if workgroups keep payloads; all of invocation scope if invocations do
    // and there are several of them. Fails if a keeper may have more.
    bool add(uint32_t output, Keeper keeper, const KeptLimits& limits);
    // Of the output added last, room for `room` payloads. Variables of unsigned integers say where those of an
    // allocation are: the first one at `placeOfFirst`, number i at `first` + i.
    void makeStack(uint32_t room, spirv::Id placeOfFirst, spirv::Id first);
    // Variables take the place of payloads in all functions. Fails where code does more with them than that.
    bool lower();

    const std::vector<KeptOutput>& all() const { return m_kept; }
    bool inWorkgroup() const;                            // some of them
    uint32_t arrayLength(const KeptOutput& kept) const;  // of its variable `payloads`

private:
    void createVariables(KeptOutput& kept);
    void shareArray(KeptOutput& kept);
    void lineUp(KeptOutput& kept);
    bool checkScopes(const std::vector<spirv::Instruction>& allocations);
    void findHandles();
    const KeptOutput* keptIn(const spirv::Instruction& i) const;
    void visit(const spirv::Instruction& i, spirv::Emitter& out);
    void allocate(const KeptOutput& kept, const spirv::Instruction& i, spirv::Emitter& out);
    void visitHandle(const KeptOutput& kept, const spirv::Instruction& i, spirv::Emitter& out);
    void access(const KeptOutput& kept, const spirv::Instruction& i, spirv::Emitter& out);
    spirv::Id placeInStack(const KeptOutput& kept, spirv::Id index, spirv::Emitter& out);
    spirv::Id placeOf(const KeptOutput& kept, const spirv::Instruction& i, spirv::Emitter& out);
    spirv::Id handleValue(spirv::Id handle, spirv::Emitter& out);
    spirv::Id toUint(const spirv::Instruction& i, spirv::Id value, spirv::Emitter& out);
    spirv::Id smaller(spirv::Id value, uint32_t most, spirv::Emitter& out);

    NodeShader& m_shader;
    spirv::Module& m_module;
    PlainMemory& m_memory;
    shader::Failure& m_failure;
    std::vector<KeptOutput> m_kept;
    std::unordered_map<uint32_t, const KeptOutput*> m_handles;
    std::unordered_set<uint32_t> m_queried;    // operands of OpIsNodePayloadValidAMDX
    std::unordered_set<uint32_t> m_variables;  // that hold handles
};

}  // namespace millrace::nodes
