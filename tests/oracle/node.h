// SPDX-License-Identifier: Apache-2.0
// A node of an execution graph as its SPIR-V declares it.
#pragma once

#include <memory>

#include "oracle/layout.h"
#include "oracle/machine.h"

namespace millrace::oracle {

// What the application says of a node: VkPipelineShaderStageCreateInfo with VkPipelineShaderStageNodeCreateInfoAMDX.
struct NodeSource {
    std::vector<uint32_t> words;
    std::string entry = "main";
    std::optional<std::string> name;
    std::optional<uint32_t> index;
    Specialization specialization;
};

// A payload array type that a node allocates.
struct Output {
    uint32_t type = 0;  // OpTypeNodePayloadArrayAMDX
    std::string name;
    uint32_t baseIndex = 0;
    std::optional<uint32_t> arraySize;  // bounds base index + node index
    bool sparse = false;
    uint32_t pool = 0;    // type whose budget it draws on
    uint32_t budget = 0;  // of the pool
    uint64_t payloadBytes = 0;
    bool trackFinish = false;
};

struct Limits {
    uint32_t depth = 32;
    uint32_t outputNodes = 256;
    uint32_t payloadSize = 32768;
    uint32_t payloadCount = 256;
    uint32_t workgroupCount = 65535;
    uint32_t workgroups = (1u << 24) - 1;
    uint32_t sharedInputNodes = 256;
};

struct Node {
    explicit Node(const NodeSource& source);

    std::unique_ptr<Module> module;
    Program program;
    std::unique_ptr<Machine> machine;  // made at the first workgroup

    std::string name;
    uint32_t index = 0;
    Grid localSize = {1, 1, 1};
    bool isMesh = false;
    uint32_t maxVertices = 0;  // of a mesh node
    uint32_t maxPrimitives = 0;
    bool coalescing = false;
    bool isApiEntry = true;
    uint32_t recursion = 0;
    std::optional<Grid> staticGrid;
    std::optional<Grid> maxGrid;
    std::optional<GridMember> gridMember;  // absent: the grid does not come from the payload
    std::optional<std::pair<std::string, uint32_t>> shares;
    uint32_t maxPayloads = 1;  // NodeMaxPayloadsAMDX of the input
    uint64_t payloadBytes = 0;
    bool trackFinish = false;
    std::map<uint32_t, Output> outputs;  // by type

    std::string label() const { return name + "[" + std::to_string(index) + "]"; }
    Grid gridOf(const Payload& payload) const;
    void checkLimits(const Limits& limits) const;

private:
    void readModes(uint32_t function);
    void readLocalSize(uint32_t function);
    void readInput();
    void readOutputs();
    void readMesh(uint32_t function);
    Output readOutput(uint32_t type) const;
    uint32_t operand(const ExecutionMode& mode, size_t number) const;
};

}  // namespace millrace::oracle
