// SPDX-License-Identifier: Apache-2.0
// Runs a program for one workgroup at a time: every invocation runs up to the next collective instruction, then the
// whole workgroup takes that together.
#pragma once

#include <array>
#include <memory>
#include <random>
#include <span>

#include "oracle/program.h"

namespace millrace::oracle {

using Grid = std::array<uint32_t, 3>;

// A piece of memory that pointers refer to.
struct Block {
    uint8_t* data = nullptr;
    uint64_t size = 0;
    bool locked = false;    // a payload after its enqueue
    bool readOnly = false;  // the input of a node that shares it
};

struct Payload {
    Block block;
    uint32_t remaining = 0;  // recursion levels of the node it was sent to
    bool fromApi = false;
};

// What OpAllocateNodePayloadsAMDX returns or a node receives.
struct PayloadArray {
    std::vector<Payload*> items;
    uint32_t type = 0;    // OpTypeNodePayloadArrayAMDX
    uint32_t target = 0;  // for the owner
    bool isInput = false;
    bool enqueued = false;
};

// What all workgroups see.
struct Memory {
    std::map<std::pair<uint32_t, uint32_t>, Block> buffers;  // by set and binding
    std::vector<std::pair<uint64_t, Block*>> addresses;
    Block pushConstants;
};

// What a workgroup asks of its graph.
class NodeActions {
public:
    virtual PayloadArray* allocate(uint32_t arrayType, uint32_t count, uint32_t nodeIndex) = 0;
    virtual void enqueue(PayloadArray* array) = 0;
    virtual bool isValid(uint32_t arrayType, uint32_t nodeIndex) = 0;
    virtual bool finishWriting() = 0;
    virtual void setMeshOutputs(uint32_t vertices, uint32_t primitives) = 0;

protected:
    ~NodeActions() = default;
};

struct WorkgroupInput {
    Grid id{};
    PayloadArray* payloads = nullptr;
    uint32_t remaining = 0;
    uint32_t shaderIndex = 0;
};

// What the workgroup of a mesh shader that ran last has given out.
struct MeshOutputs {
    uint32_t vertices = 0;
    uint32_t primitives = 0;
    std::span<const MeshVariable> variables;
    std::span<const uint8_t> memory;

    // Of a vertex or primitive. Throws RuleError where the shader has no such output, or not as many.
    std::span<const uint8_t> at(spv::BuiltIn builtIn, uint32_t element) const;
    std::span<const uint8_t> at(uint32_t location, uint32_t element) const;
};

class Machine {
public:
    Machine(const Program& program, Grid localSize, Memory& memory);
    Machine(const Machine&) = delete;

    void run(const WorkgroupInput& input, NodeActions& actions, std::minstd_rand& random);
    uint64_t operations() const { return m_operationCount; }
    MeshOutputs meshOutputs() const
    {
        return {m_meshCounts[0], m_meshCounts[1], m_program.meshVariables, m_groupStorage};
    }

private:
    struct Lane {
        uint64_t* slots = nullptr;
        Block memory;
        uint32_t at = 0;
        bool finished = false;
        std::vector<uint32_t> returns;
    };

    void preset();
    void prepare(const WorkgroupInput& input, std::minstd_rand& random);
    void writeBuiltIns(Lane& lane, uint32_t index, const WorkgroupInput& input);
    void runLane(Lane& lane);
    bool runMemory(const Operation& operation, uint64_t* slots);
    void runCollective();
    void allocate(const Operation& operation);
    void setMeshOutputs(const Operation& operation);
    void enqueue(const Operation& operation);
    void runAtomic(const Operation& operation, uint64_t* slots);
    void runElement(const Operation& operation, uint64_t* slots);
    void runIndex(const Operation& operation, uint64_t* slots);
    uint32_t switchTarget(const Operation& operation, uint64_t value) const;
    uint8_t* access(const uint64_t* pointer, uint64_t offset, uint64_t size, bool write);
    uint8_t* physical(uint64_t address, uint64_t size);

    const Program& m_program;
    Memory& m_memory;
    Grid m_localSize;
    std::vector<uint64_t> m_slotStorage;
    std::vector<uint8_t> m_laneStorage;
    std::vector<uint8_t> m_groupStorage;
    Block m_groupMemory;
    std::vector<Lane> m_lanes;
    NodeActions* m_actions = nullptr;
    std::array<uint32_t, 2> m_meshCounts{};  // vertices and primitives
    uint64_t m_operationCount = 0;
    uint64_t m_jumpBudget = 0;
};

// old value and operand to new value, bits of `width`.
uint64_t applyAtomic(spv::Op op, uint32_t width, uint64_t old, uint64_t value, uint64_t comparator);

}  // namespace millrace::oracle
