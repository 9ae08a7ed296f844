// SPDX-License-Identifier: Apache-2.0
// Writes the small nodes of the conformance tests.
#pragma once

#include "harness/runner.h"
#include "random/module_text.h"

namespace millrace::conformance {

using random::BodyText;
using random::Grid;
using random::Id;
using random::ModuleText;

// A member of a payload structure.
struct Field {
    Id type;
    uint32_t offset = 0;
    std::string decoration;  // such as "PayloadDispatchIndirectAMDX"
};

struct PayloadArrayType {
    Id structure;
    Id array;
    Id pointer;  // to the array, NodePayloadAMDX
};

// What an output type is decorated with besides its name.
struct OutputOptions {
    std::optional<uint32_t> budget = 1;  // NodeMaxPayloadsAMDX
    std::optional<uint32_t> baseIndex;
    std::optional<uint32_t> arraySize;
    bool sparse = false;
    Id sharesWith;  // payload array type
};

// One entry point in a module of its own, or several in one.
class NodeWriter {
public:
    explicit NodeWriter(const std::string& entry, Grid localSize = {1, 1, 1});
    NodeWriter(const NodeWriter&) = delete;

    ModuleText& module() { return m_module; }
    BodyText& body() { return *m_body; }

    // Ends the entry point and begins another one in the same module.
    void nextEntry(const std::string& entry, Grid localSize = {1, 1, 1});

    Id uintType() { return m_module.uintType(); }
    // A member of 32 bits.
    Field word(uint32_t offset = 0, const std::string& decoration = "") { return {uintType(), offset, decoration}; }
    Id uintVector(uint32_t count) { return m_module.vectorType(uintType(), count); }
    Id c(uint32_t value) { return m_module.constant(value); }
    // A specialization constant; its value comes from Stage::specialization.
    Id specConstant(uint32_t id, uint32_t initial);

    void mode(const std::string& text) { m_module.executionMode("OpExecutionModeId " + m_function + " " + text); }
    void coalescing() { m_module.executionMode("OpExecutionMode " + m_function + " CoalescingAMDX"); }
    void staticGrid(uint32_t x, uint32_t y = 1, uint32_t z = 1);
    void noEntry() { mode("IsApiEntryAMDX " + m_module.boolConstant(false)); }

    Id structure(const std::vector<Field>& fields, bool trackFinish = false);
    // The input as a payload array of up to `most`; the variable.
    Id inputArray(const std::vector<Field>& fields, uint32_t most = 1, bool trackFinish = false);
    Id inputArrayOf(const Id& structure, const Id& most) { return declareInput(structure, most).second; }
    // Array type and variable.
    std::pair<Id, Id> inputWithType(const std::vector<Field>& fields, uint32_t most)
    {
        return declareInput(structure(fields), c(most));
    }
    Id inputStructure(const std::vector<Field>& fields);
    // An input of one word.
    Id input() { return inputArray({word()}); }
    PayloadArrayType output(const std::string& node, const std::vector<Field>& fields,
                            const OutputOptions& options = {});
    PayloadArrayType outputOf(const std::string& node, const Id& structure, const OutputOptions& options);

    Id builtIn(const std::string& name);                      // a number
    Id builtIn(const std::string& name, uint32_t component);  // of a vector of three
    Id lane() { return builtIn("LocalInvocationIndex"); }

    // Member `member` of payload `element`; storage class Function for handles in variables.
    Id payloadPointer(const Id& type, const Id& array, const Id& element, const std::string& member,
                      const std::string& storage = "NodePayloadAMDX");
    Id readPayload(const Id& array, const Id& element, uint32_t member);  // a 32-bit member
    void writePayload(const Id& array, const Id& element, uint32_t member, const Id& value);
    Id allocate(const PayloadArrayType& type, const Id& count, const Id& nodeIndex, bool workgroup = true);
    void enqueue(const Id& array) { m_body->line("OpEnqueueNodePayloadsAMDX " + array); }
    Id length(const Id& array);
    Id isValid(const PayloadArrayType& type, const Id& nodeIndex);  // in the form that spirv-val accepts

    Id plus(const Id& a, const Id& b) { return m_body->u("OpIAdd", a, b); }
    Id times(const Id& a, const Id& b) { return m_body->u("OpIMul", a, b); }
    void add(uint32_t word, const Id& value) { m_body->atomicAdd(c(word), value); }
    void add(const Id& word, const Id& value) { m_body->atomicAdd(word, value); }
    // Allocates one payload of one word for each invocation, or one for the workgroup, and enqueues it.
    void send(const PayloadArrayType& type, const Id& value, const Id& nodeIndex, bool workgroup = true);
    void onFirstLane(const std::function<void()>& then);

    std::string text();
    std::vector<uint32_t> words();
    // A node of the entry point written first.
    harness::Stage stage();
    harness::Stage stage(const std::string& name, uint32_t index);

private:
    void finishEntry();
    std::pair<Id, Id> declareInput(const Id& structure, const Id& most);

    random::Random m_random{1};
    random::ModuleSpec m_spec;
    ModuleText m_module;
    std::unique_ptr<BodyText> m_body;
    std::string m_entry, m_firstEntry;
    Id m_function;
    std::map<Id, Id> m_proxies;
};

// One node in a module of its own.
harness::Stage writeNode(const std::string& name, const std::function<void(NodeWriter&)>& write,
                         Grid localSize = {1, 1, 1});
// A node "name" that adds member 0 of each payload to out[word] and counts its workgroups in out[word + 1].
harness::Stage adder(const std::string& name, uint32_t word, uint32_t index = 0);
// A node "name", a single workgroup, that sends `count` payloads of one word, value + i, to node `to`.
harness::Stage senderOf(const std::string& name, const std::string& to, uint32_t count, uint32_t value = 1);

}  // namespace millrace::conformance
