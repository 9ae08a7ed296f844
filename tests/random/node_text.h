// SPDX-License-Identifier: Apache-2.0
// Turns the nodes of a random graph into SPIR-V assembly.
#pragma once

#include "random/payload_text.h"

namespace millrace::random {

// One module of a graph.
struct ModuleResult {
    std::string text;
    std::map<uint32_t, uint64_t> specialization;  // the same for all its nodes
    bool specifiedValidity = false;  // OpIsNodePayloadValidAMDX of a type, which spirv-val up to 2025.1 rejects
};

ModuleResult emitModule(const GraphSpec& graph, const ModuleSpec& module, Random& random);

// The module of the fragment shader of all mesh nodes, entry point "main": adds to the picture what the host finds with
// drawnValue().
std::string emitFragmentShader(const GraphSpec& graph);
uint32_t drawnValue(uint32_t vertexValue, uint32_t primitiveValue, uint32_t pixel);

// Writes one node. The parts of `main` are in node_text.cpp, what it sends in statement_text.cpp.
class NodeText {
public:
    NodeText(ModuleText& module, const GraphSpec& graph, const NodeSpec& node);
    void emit();
    bool specifiedValidity() const { return m_specifiedValidity; }

private:
    struct OutputType {
        PayloadType payload;
        Id array;          // OpTypeNodePayloadArrayAMDX
        Id pointer;        // to it, NodePayloadAMDX
        Id validityProxy;  // Function variable, DXC's operand of OpIsNodePayloadValidAMDX; empty until used
    };

    // The hashes that decide what a statement does.
    struct Decision {
        Id uniform;  // the same for the whole workgroup
        Id own;      // of the invocation
        Id active;   // boolean; empty: all invocations
    };

    // node_text.cpp
    void declareInput();
    void declareModes();
    void declareLocalSize();
    void declareOutputs();
    void declareIgnoredOutputs();
    Id mixExtras(const Id& hash);
    void emitBody();
    void readBuiltIns();
    void countRun();
    void emitGridBody();
    void emitCoalescingBody();
    void emitPerPayloadBody();
    void emitSinglePayload(const Id& element);
    void reportSinglePayload(const PayloadPlace& place, const Id& hash);
    void coalescingReports();
    void useWorkgroupMemory(const Id& hash);
    void useWorkgroupMemoryForPayloads();
    void writePayloads();
    void writeInput(const Id& hash);
    // Returns whether this workgroup is the last.
    Id finishWriting(const Id& key, const Id& hash);
    void emitStatements(const Decision& decision);
    void returnSometimes(const Id& hash);
    void sendPerPayload();
    void sendPerInvocation();
    void declareVariables();
    PayloadPlace input(const Id& element) const;
    Id readKey(const PayloadPlace& place);
    void declareUnused();
    void declareUnusedVariable(const std::string& storage);
    void declareUnusedFunction();

    // mesh_text.cpp
    void declareMesh();
    void drawPoints(const Id& uniform);

    // statement_text.cpp
    void emitStatement(const Statement& statement, const Decision& decision);
    void emitIteration(const Statement& statement, const Decision& decision);
    Id countOf(const Statement& statement, const Id& hash);
    Id indexOf(const Statement& statement, const Id& hash);
    Id validity(const Statement& statement, const Id& index);
    void allocateAndFill(const Statement& statement, const Decision& decision, const Id& count, const Id& index);
    Id allocate(const Statement& statement, const Id& count, const Id& index);
    void fill(const Statement& statement, const std::string& storage, const Id& array, const Id& count, const Id& hash);
    void enqueue(const Statement& statement, const Id& array);

    ModuleText& m_module;
    const GraphSpec& m_graph;
    const NodeSpec& m_node;
    const Family& m_family;
    Random& m_random;
    BodyText m_body;
    Id m_function;
    PayloadType m_inputType;
    Id m_inputVariable;
    std::vector<OutputType> m_outputs;
    Id m_lane;         // LocalInvocationIndex
    Id m_group;        // hash of WorkgroupId
    Id m_position;     // hash of GlobalInvocationId
    Id m_groupLinear;  // number of the workgroup in its grid, for finish writing
    Id m_workgroupTable;
    Id m_private;
    // Outputs of a mesh node.
    Id m_vertices;  // position and size
    Id m_points;    // the vertex of each primitive
    Id m_vertexValues;
    Id m_primitiveValues;
    std::vector<Id> m_later;  // arrays to be enqueued at the end
    bool m_specifiedValidity = false;
};

}  // namespace millrace::random
