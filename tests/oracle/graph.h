// SPDX-License-Identifier: Apache-2.0
// Runs an execution graph by the rules of VK_AMDX_shader_enqueue and reports what the program does against them.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <tuple>

#include "oracle/node.h"

namespace millrace::oracle {

// Payloads that the API sends to one node.
struct Launch {
    std::string name;
    uint32_t index = 0;
    uint32_t count = 0;
    std::vector<uint8_t> payloads;  // payload i begins at i * stride
    uint64_t stride = 0;
};

// Which payloads meet in a workgroup of a coalescing node is up to the implementation.
enum class Grouping { Random, Full, Single };

struct Options {
    uint32_t seed = 1;  // order of payloads and workgroups, groups of coalescing nodes, undefined memory
    Grouping grouping = Grouping::Random;
    Limits limits;
    uint64_t maxWorkgroups = 10'000'000;
    uint64_t maxOperations = 1ull << 40;
};

// The program is correct but does more than Options allow.
struct TooMuchWork : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Of one node at one remaining recursion level.
struct NodeStatistics {
    uint64_t payloads = 0;  // that started a workgroup or took part in one
    uint64_t workgroups = 0;
    uint64_t invocations = 0;
    uint64_t bytesSent = 0;
};

struct Statistics {
    uint64_t workgroups = 0;
    uint64_t invocations = 0;
    uint64_t payloads = 0;
    uint64_t operations = 0;
    uint64_t mostPayloadsOfOneLevel = 0;
    uint64_t mostBytesOfOneLevel = 0;
    uint32_t depth = 0;
    std::map<std::tuple<std::string, uint32_t, uint32_t>, NodeStatistics> nodes;  // by name, index, remaining
    uint64_t bytesFromApi = 0;
};

class Graph final : private NodeActions {
public:
    // Links the nodes. Throws RuleError where they don't fit together.
    Graph(const std::vector<NodeSource>& nodes, const Options& options);

    // The memory stays the caller's. `address` is its device address, 0 if no shader uses that.
    void bindBuffer(uint32_t set, uint32_t binding, std::span<uint8_t> memory, uint64_t address = 0);
    void setPushConstants(std::vector<uint8_t> bytes);
    void dispatch(const std::vector<Launch>& launches);
    // Called with what each workgroup of a mesh node gives out. That is gone afterwards.
    void onMesh(std::function<void(const Node&, const MeshOutputs&)> sink) { m_meshSink = std::move(sink); }

    const Statistics& statistics() const { return m_statistics; }
    const std::vector<std::unique_ptr<Node>>& nodes() const { return m_nodes; }

private:
    using Key = std::pair<std::string, uint32_t>;

    // Payloads that live from one level to the next.
    struct Store {
        std::deque<Payload> payloads;
        std::vector<std::unique_ptr<uint8_t[]>> chunks;
        uint64_t used = 0, capacity = 0, bytes = 0;
    };

    struct Target {
        Node* node;
        std::vector<Node*> sharers;
    };

    // By node and remaining recursion: payloads of different depth never meet in a workgroup.
    using Level = std::map<std::pair<Node*, uint32_t>, std::vector<Payload*>>;

    void link();
    void checkFamilies() const;
    void checkOutput(const Node& node, const Output& output) const;
    void checkSharing();
    void checkPayloadCounts() const;
    Payload* newPayload(uint64_t bytes);
    void add(const Target& target, Payload* payload);
    void send(const Launch& launch);
    void runLevel(Level& level);
    void runCoalescing(Node& node, uint32_t remaining, std::vector<Payload*>& payloads);
    void runGrid(Node& node, uint32_t remaining, Payload* payload);
    void runWorkgroup(Node& node, uint32_t remaining, Grid id, PayloadArray& input);
    const Target* find(const Key& key) const;
    Key keyOf(const Output& output, uint32_t nodeIndex) const;

    PayloadArray* allocate(uint32_t arrayType, uint32_t count, uint32_t nodeIndex) override;
    void enqueue(PayloadArray* array) override;
    bool isValid(uint32_t arrayType, uint32_t nodeIndex) override;
    bool finishWriting() override;
    void setMeshOutputs(uint32_t vertices, uint32_t primitives) override;

    Options m_options;
    std::vector<std::unique_ptr<Node>> m_nodes;
    std::map<Key, Target> m_targets;
    std::vector<const Target*> m_targetList;  // PayloadArray::target counts into it
    std::map<const Target*, uint32_t> m_targetNumbers;
    Memory m_memory;
    std::vector<uint8_t> m_pushConstants;
    std::function<void(const Node&, const MeshOutputs&)> m_meshSink;
    std::minstd_rand m_random;
    Statistics m_statistics;

    Store m_current, m_following;
    Level m_next;

    // The workgroup that runs.
    Node* m_node = nullptr;
    uint32_t m_remaining = 0;
    NodeStatistics* m_nodeStatistics = nullptr;
    Payload* m_input = nullptr;
    uint64_t m_workgroupsLeft = 0;
    bool m_finished = false;
    bool m_hasMeshOutputs = false;
    std::deque<PayloadArray> m_allocated;
    std::map<uint32_t, uint32_t> m_spent;
};

}  // namespace millrace::oracle
