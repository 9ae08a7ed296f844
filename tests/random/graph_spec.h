// SPDX-License-Identifier: Apache-2.0
// What a random graph consists of, before it becomes SPIR-V.
//
// Everything a workgroup does follows from the key in its payload, its workgroup id and its invocation index, through
// mix(). The result is a buffer of commutative sums, so it does not depend on any order.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace millrace::random {

using Grid = std::array<uint32_t, 3>;

inline uint64_t volume(const Grid& grid)
{
    return uint64_t{grid[0]} * grid[1] * grid[2];
}

enum class Role { Key, Grid, Data, Slots };

struct Member {
    Role role = Role::Data;
    uint32_t bits = 32;
    bool isFloat = false;
    uint32_t components = 1;   // of the vector
    uint32_t length = 0;       // of the array, 0 if it is none
    bool nested = false;       // wrapped in a structure of its own
    uint32_t innerOffset = 0;  // of a nested member in that structure
    uint32_t offset = 0;
    uint32_t strideBytes = 0;  // of the array, from a vector to the next

    uint32_t vectorBytes() const { return bits / 8 * components; }
    uint32_t bytes() const { return length ? strideBytes * length : vectorBytes(); }
    uint32_t elements() const { return components * (length ? length : 1); }
};

// Grids that producers ask for; component i is at most max[i].
struct GridRange {
    Grid max = {1, 1, 1};
    bool zeros = false;   // some components are 0: nothing runs
    bool skewed = false;  // 1 payload in 16 asks for the maximum, the others for little
};

// All receivers of one name take payloads of one layout.
struct Layout {
    std::vector<Member> members;
    uint32_t size = 0;
    bool isScalar = true;  // vectors may lie wherever their numbers may (scalarBlockLayout)
    bool trackFinish = false;
    GridRange grid;

    const Member* find(Role role) const
    {
        for (const Member& member : members)
            if (member.role == role)
                return &member;
        return nullptr;
    }
};

enum class Kind { Static, Dynamic, Coalescing };

// What a node declares and does not use, as compilers leave it behind: bits of NodeSpec::unused.
inline constexpr uint32_t kUnusedResources = 1;        // in the interface: buffers, push constants
inline constexpr uint32_t kUnusedVariables = 2;        // in the interface: built-ins, memory of the invocation
inline constexpr uint32_t kUnusedWorkgroupMemory = 4;  // in the interface
inline constexpr uint32_t kUnusedFunction = 8;         // reads the input
inline constexpr uint32_t kUnusedPayload = 16;         // a payload variable in nobody's interface

struct OutputSpec {
    uint32_t family = 0;
    uint32_t baseIndex = 0;
    std::optional<uint32_t> arraySize;
    bool sparse = false;
    int sharesWith = -1;  // output whose budget it uses
    uint32_t budget = 0;
    bool decorateGrid = false;  // also the producer's structure carries PayloadDispatchIndirectAMDX
};

enum class Scope { Workgroup, Invocation };
enum class Count { Fixed, AtLeastOne, MayBeZero, Chosen };  // `count`, 1 .. count, 0 .. count, 0 or `count`
enum class Fill { Strided, FirstInvocation, Together };
enum class Enqueue { Now, Later, Never };
enum class Handle { Pointer, Variable, CopiedVariable, EitherOf };
enum class Guard { None, Branch, Select, CountOnly };  // how an index that may be invalid is kept from use

// One place where a node allocates payloads.
struct Statement {
    uint32_t output = 0;
    Scope scope = Scope::Workgroup;
    Count countKind = Count::Fixed;
    uint32_t count = 1;
    uint32_t loops = 1;
    bool dynamicLoops = false;  // 0 .. loops times
    uint32_t rarity = 1;        // runs for one in `rarity`
    Fill fill = Fill::Strided;
    Enqueue enqueue = Enqueue::Now;
    Handle handle = Handle::Pointer;
    Guard guard = Guard::None;
    bool recursive = false;
    std::vector<uint32_t> nodeIndices;  // without the base index; one is picked by hash
    uint32_t salt = 0;

    uint64_t most() const { return uint64_t{count} * loops; }  // per invocation or workgroup
};

struct NodeSpec {
    uint32_t id = 0;
    uint32_t family = 0;  // whose payloads it takes
    uint32_t index = 0;
    std::string name;   // of the node
    std::string entry;  // of the entry point
    bool nameFromApi = false;
    bool indexFromApi = false;
    Kind kind = Kind::Static;
    bool perPayload = false;  // coalescing: an invocation does nothing but work on the payload of its number
    Grid localSize = {1, 1, 1};
    Grid staticGrid = {1, 1, 1};
    bool declareMax = false;
    uint32_t maxPayloads = 1;
    uint32_t recursion = 0;
    bool isQuietAbove = false;            // what others see is written by the last level of its recursion alone
    std::optional<uint32_t> sharesIndex;  // shares the input of this index of the family
    bool inputVariable = true;
    uint32_t readMembers = ~0u;  // bit i: it reads member i of its payloads; 0: it only declares them
    bool structInput = false;
    std::optional<bool> isApiEntry;  // IsApiEntryAMDX, if declared
    uint32_t salt = 0;
    // Runs the shader of this node, which gets its index from the application. The counters are that node's.
    std::optional<uint32_t> twinOf;

    bool usesPushConstants = false;
    bool usesTable = false;
    bool usesWorkgroupMemory = false;
    bool zeroWorkgroupMemory = false;
    bool usesPrivate = false;
    bool usesAddress = false;  // writes results through a device address
    bool writesInput = false;  // a lone workgroup uses its payload as memory, or writes what nobody reads
    bool finishes = false;
    bool sendsWhenFinished = false;  // the last workgroup of a payload does, and no other
    bool earlyReturn = false;
    bool returnsBetween = false;  // what it sends
    bool lateReturn = false;
    bool isEmpty = false;  // it does nothing, whatever it declares
    uint32_t unused = 0;
    bool localSizeById = false;

    // A mesh shader: it draws up to so many points.
    struct Mesh {
        uint32_t vertices = 1;
        uint32_t primitives = 1;
    };
    std::optional<Mesh> mesh;

    std::vector<OutputSpec> outputs;
    std::vector<Statement> statements;

    uint32_t invocations() const { return static_cast<uint32_t>(volume(localSize)); }
    bool reads(uint32_t member) const { return readMembers >> member & 1; }
    // Declares payloads of which its code reads and writes nothing.
    bool ignoresInput() const { return inputVariable && readMembers == 0 && !writesInput && !finishes; }
    // Declares the output, and no more.
    bool ignoresOutput(uint32_t output) const
    {
        return std::ranges::none_of(statements, [&](const Statement& item) { return item.output == output; });
    }
};

// All nodes of one name. Sharers have names of their own and are no members.
struct Family {
    std::string name;
    std::vector<uint32_t> indices;
    Layout layout;
    Kind kind = Kind::Static;
    bool perPayload = false;  // all nodes are; one output of one node sends to them
    bool isMate = false;      // static nodes of the shape of the one that sends to them
    uint32_t recursion = 0;
    bool isEntry = false;
    bool sparse = false;
    uint32_t receivers = 1;  // the most nodes that one payload reaches
    double expectedPayloads = 0;
    double meanGrid = 1;
};

struct LaunchSpec {
    uint32_t family = 0;
    uint32_t index = 0;
    uint32_t count = 0;
    uint32_t stride = 0;
    std::vector<uint32_t> keys;
};

struct ModuleSpec {
    std::vector<uint32_t> nodes;
    bool vulkanMemoryModel = false;
    bool specConstants = false;
};

// What members of payloads may be on a device: of which integers besides those of 32 bits, and where they may lie.
struct MemberRules {
    bool has8 = true;
    bool has16 = true;
    bool has64 = true;
    bool hasScalarLayout = true;

    bool has(uint32_t bits) const { return bits == 8 ? has8 : bits == 16 ? has16 : bits != 64 || has64; }
};

struct GraphSpec {
    MemberRules rules;  // which all members obey
    uint64_t seed = 0;
    uint32_t attempt = 0;
    uint64_t targetWorkgroups = 0;
    std::vector<Family> families;
    std::vector<NodeSpec> nodes;
    std::vector<ModuleSpec> modules;
    std::vector<LaunchSpec> launches;
    uint32_t pushConstantBytes = 16;
    std::optional<bool> vulkanMemoryModel;  // of all modules, where that is possible

    bool hasMesh() const
    {
        return std::ranges::any_of(nodes, [](const NodeSpec& node) { return node.mesh.has_value(); });
    }
};

// The output buffer: hashed sums, then the counters of each node, then, where there are mesh nodes, the picture: sums
// of what is drawn to each pixel.
inline constexpr uint32_t kSumWords = 256;
inline constexpr uint32_t kCountersPerNode = 4;  // workgroups, invocations, payloads, remaining levels
inline constexpr uint32_t kTableWords = 64;      // of the read-only buffer at set 1, binding 3

inline constexpr uint32_t kPictureSide = 32;  // pixels

inline uint32_t pictureWord(const GraphSpec& graph)
{
    return kSumWords + kCountersPerNode * static_cast<uint32_t>(graph.nodes.size());
}

inline uint32_t outputWords(const GraphSpec& graph)
{
    return pictureWord(graph) + (graph.hasMesh() ? kPictureSide * kPictureSide : 0);
}

// Push constants: word 0 is a salt, bytes 8 to 15 the address of the output buffer.
inline constexpr uint32_t kPushSalt = 0x5eed1234;

// `withMesh`: the same graph, of which nodes that send nothing may be mesh nodes.
GraphSpec chooseGraph(uint64_t seed, uint32_t attempt, const MemberRules& rules = {}, bool withMesh = false);

// The bytes of a payload with this key, as producers write them.
std::vector<uint8_t> payloadBytes(const Layout& layout, uint32_t key);
uint32_t gridComponent(const GridRange& range, uint32_t key, uint32_t component);

// One line per node, for people.
std::string describe(const GraphSpec& graph);

}  // namespace millrace::random
