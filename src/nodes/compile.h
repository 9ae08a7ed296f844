// SPDX-License-Identifier: Apache-2.0
// One node shader with enqueue operations into plain compute SPIR-V plus a reflection record.
// Thread-safe: calls share nothing but the immutable device library.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abi/graph_memory.h"
#include "base/result.h"
#include "graph/graph.h"
#include "spirv/specialization.h"
#include "spirv/tools.h"

namespace millrace::nodes {

// Numbers of recursion levels that remain; `most` is one of them.
struct RecursionRange {
    uint32_t least = 0;
    uint32_t most = 0;
};

// Recursion in which an invocation goes on with what it has sent (device/depth_first.glsl).
struct DepthFirst {
    uint32_t recursion = 0;      // levels of it
    uint32_t sentMost = 0;       // payloads that the node sends at a time
    uint32_t queuePayloads = 0;  // that are kept in front of the stack
    uint32_t levelBits = 0;      // that count what is kept of a level
    bool shares = false;         // what invocations keep, with others of their subgroup (device/sharing.glsl)
};

// What the application asks for: which node a stage is, and where its pipeline layout has room for our arguments.
struct Request {
    std::string entryPoint = "main";
    std::optional<std::string> nodeName;  // VkPipelineShaderStageNodeCreateInfoAMDX::pName
    std::optional<uint32_t> shaderIndex;  // ...::index, unless VK_SHADER_INDEX_UNUSED_AMDX
    std::vector<spirv::SpecializationValue> specialization;
    // Where abi::NodeArguments begins behind the application's push constants; multiple of 8.
    uint32_t argumentsOffsetBytes = 0;
    // The application's push constants are in memory at NodeArguments::pushConstants (they do not fit beside ours).
    bool pushConstantsInMemory = false;
};

// What the device can do, and what is fast on it. The same for all nodes of a device but for longIntegers.
struct Target {
    uint32_t minSubgroupSize = 4;
    uint32_t packWidth = 64;  // invocations of a packed workgroup; 0 packs nothing
    // Invocations of one of our workgroups where several of the node's run side by side: with a static grid, with one
    // that comes with the payload.
    uint32_t staticInvocations = 64;
    uint32_t dynamicInvocations = 64;
    // Likewise of small workgroups that send, with any grid; less than twice as many as they have: none.
    uint32_t sendingInvocations = 64;
    // Workgroups of ours that one takes at a time, at most graph::kMaxChunkGroups; and if the node sends nothing and
    // has grids that come with the payload. Longer chunks have fewer divisions and searches, shorter ones balance
    // better.
    uint32_t chunkGroups = 16;
    uint32_t silentChunkGroups = 128;
    // Where each invocation of a subgroup sends as many payloads, of more bytes than this, payload i of one lies beside
    // payload i of the next.
    uint32_t orderedBytes = 64;
    // Rows of a grid at most that a workgroup does one after the other in a leaf dispatch, if the code has no loops and
    // if it has.
    uint32_t leafRows = 16;
    uint32_t loopingLeafRows = 1;
    // Of payloads that a workgroup keeps; what has more is in scratch memory where the node is a leaf. Needs the Vulkan
    // memory model.
    uint32_t keptBytes = UINT32_MAX;
    // Payloads that keep the device busy: invocations of a level with fewer leave what they send to others.
    uint32_t busyPayloads = 1;
    bool longIntegers = true;  // the device has 64-bit integers, or else the code is not to need any
    bool longAtomics = true;   // and 64-bit atomics on buffers
    uint32_t subgroupOperations = abi::kSubgroupArithmetic;  // abi::kSubgroup*, that the device functions may use
    bool nonUniformIndexing = false;                         // invocations may index arrays of descriptors differently
    // Integers are reduced over a subgroup by scans (passes/scan_reductions.h): the driver compiles reductions wrongly.
    bool scansToReduce = false;
    // Buffers are not read only (passes/drop_read_only.h): the driver compiles loads from such wrongly.
    bool dropsReadOnly = false;
    // The driver gets functions in place of their calls (passes/inline_calls.h).
    bool inlinesCalls = false;
};

// Which code of the node is built: for which of its levels, and for which way of running graphs.
struct Variant {
    // The code is for these levels of the node's recursion alone: RemainingRecursionLevelsAMDX is one of these numbers.
    std::optional<RecursionRange> remainingRecursion;
    std::optional<DepthFirst> depthFirst;  // of code that makeDepthFirst() made
    uint32_t parts = 1;                    // of code that fuseLevels() made: LevelsInOne::parts()
    bool indirect = false;                 // for the indirect path: no loop over workgroups
    bool counted = false;                  // finished workgroups are counted behind abi::GraphStatus in host memory
    // Workgroups that allocate more payloads than they declare are noted, and nodes that may do so not fused.
    bool checkBudgets = false;
};

// How compiling is watched. Changes no code.
struct Checks {
    bool isValid = false;   // the input was prepared before, so that nobody need validate it
    bool validate = false;  // run spirv-val on the output and fail with its message
    // Called after each pass, by the thread that compiles, with the pass's name and the module's words; for
    // --print-after. May be empty.
    std::function<void(std::string_view pass, std::span<const uint32_t> words)> afterPass;
};

// No Vulkan types. Functions take the parts that they look at.
struct Options {
    Request request;
    Target target;
    Variant variant;
    Checks checks;
};

struct NodeShader;

// A node as the first passes leave it: simplified, a module of the extension still, with what it declares.
struct PreparedNode {
    graph::Node node;
    std::shared_ptr<const NodeShader> shader;
    // All of the module that the node's entry point needs, where the module has others as well. Null: the module's.
    spirv::SharedWords words = nullptr;
};

// A node with all that its code has in common, whatever it is for: no module of the extension any more, with calls of
// device functions which it does not have yet.
struct LoweredNode {
    std::shared_ptr<const NodeShader> shader;
};

struct CompiledNode {
    spirv::Words words;  // GLCompute, entry point "main"
    graph::Node node;
};

// Errors: not SPIR-V, revision 1 of the extension, no such entry point, a rule of the extension broken in a way that
// leaves no meaning. The diagnostic names pass and instruction. Does not look at Checks::validate.
Result<PreparedNode> prepare(std::span<const uint32_t> words, const Options& options);

// What the code is for.
struct Code {
    graph::MemoryUse memory = graph::MemoryUse::Reserves;
    bool batched = false;      // several nodes of a graph have this code: one dispatch can run them
    graph::CodeTraits traits;  // of the node in any graph, or in this one
};

// Whoever finishes a node several times lowers it once. `options` as for prepare(). Errors: an instruction that cannot
// be lowered.
Result<LoweredNode> lower(const PreparedNode& prepared, const Options& options);

// Gives a node the device functions. `options` as for prepare(). Errors: code that these cannot be linked into; an
// invalid output (Checks::validate).
Result<spirv::Words> finish(const LoweredNode& lowered, const Code& code, const Options& options);

// All three, for any graph.
Result<CompiledNode> compile(std::span<const uint32_t> words, const Options& options,
                             graph::MemoryUse memory = graph::MemoryUse::Reserves);

// Of the passes in their order; Checks::afterPass is called with each.
std::span<const std::string_view> passNames();

// True if the module declares ShaderEnqueueAMDX. Reads the capabilities only.
bool usesShaderEnqueue(std::span<const uint32_t> words);
// Likewise Int64: the application's own code needs it.
bool usesLongIntegers(std::span<const uint32_t> words);

}  // namespace millrace::nodes
