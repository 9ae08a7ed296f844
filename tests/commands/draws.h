// SPDX-License-Identifier: Apache-2.0
// Generated draws of points, and the picture that they make according to a loop on the host.
#pragma once

#include <vulkan/vulkan.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "commands/generated_device.h"
#include "commands/random_layout.h"

namespace millrace::commandtest {

inline constexpr uint32_t kSide = 64;
// Index buffers of sequences lie anywhere in memory that has this index as each word, as the bound one does.
inline constexpr uint32_t kIndices = 256;
inline constexpr uint32_t kIndexBufferWords = 64;
inline constexpr uint32_t kLookupWords = 16;
// Vertex buffers of sequences lie anywhere in memory that has this word at each place.
inline constexpr uint32_t kVertexMemoryWords = 8192;
inline constexpr uint32_t kVertexBufferWords = 2048;
inline constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;
inline constexpr VkPipelineBindPoint kGraphics = VK_PIPELINE_BIND_POINT_GRAPHICS;
inline constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
inline constexpr VkShaderStageFlags kMeshStages =
    VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_FRAGMENT_BIT;

// Of what has vertex buffers.
inline constexpr VkVertexInputBindingDescription kBindings[] = {{0, 16, VK_VERTEX_INPUT_RATE_VERTEX},
                                                                {1, 4, VK_VERTEX_INPUT_RATE_INSTANCE}};
inline constexpr VkVertexInputAttributeDescription kAttributes[] = {
    {0, 0, VK_FORMAT_R32G32_UINT, 0}, {1, 0, VK_FORMAT_R8G8B8A8_UNORM, 8}, {2, 1, VK_FORMAT_R32_UINT, 0}};

using Pixels = std::vector<uint32_t>;

inline uint32_t lookupWord(uint32_t i)
{
    return i * 0x01234567u + 1;
}

inline uint32_t indexAt(uint32_t i)
{
    return i % 64 * 3 + 1;
}

inline uint32_t vertexMemoryWord(uint32_t i)
{
    return mixed(0x1f2e3d4cu, i);
}

// Of the buffer that is bound, one for each instance.
inline uint32_t instanceWord(uint32_t instance)
{
    return instance * 0x9e3779b1u + 3;
}

// How the shaders and the state of draws are given to Vulkan.
enum class Maker {
    Whole,        // a pipeline
    Libraries,    // a pipeline of libraries, VK_EXT_graphics_pipeline_library
    Objects,      // shader objects, VK_EXT_shader_object; dynamic rendering alone
    Mesh,         // a pipeline with mesh shaders
    Streams,      // a pipeline, and tokens in streams, VK_NV_device_generated_commands
    MeshObjects,  // mesh shaders that are shader objects
    MeshStreams,  // a pipeline with mesh shaders, and tokens in streams
};
inline const char* nameOf(Maker maker)
{
    const char* const names[] = {"Whole", "Libraries", "Objects", "Mesh", "Streams", "MeshObjects", "MeshStreams"};
    return names[static_cast<int>(maker)];
}
inline bool usesObjects(Maker maker)
{
    return maker == Maker::Objects || maker == Maker::MeshObjects;
}
inline bool usesMesh(Maker maker)
{
    return maker == Maker::Mesh || maker == Maker::MeshObjects || maker == Maker::MeshStreams;
}
inline bool usesStreams(Maker maker)
{
    return maker == Maker::Streams || maker == Maker::MeshStreams;
}

// Of the pipelines in execution sets: a specialization constant. The first is the shader's own.
inline constexpr uint32_t kDrawSalts[] = {0, 1001, 5003};

// In sets of shader objects with mesh shaders, behind those.
inline constexpr uint32_t kMeshFragment = static_cast<uint32_t>(std::size(kDrawSalts));
inline constexpr uint32_t kTask = kMeshFragment + 1;

// Of the fragment shaders in sets of shader objects, which are behind the vertex shaders there. The last one of either
// stage has no salt: the vertex shader writes an output more, which that fragment shader alone reads. So that one fits
// no other vertex shader.
inline constexpr uint32_t kFragmentSalts[] = {0, 77};
inline constexpr uint32_t kMoreVertex = static_cast<uint32_t>(std::size(kDrawSalts));
inline constexpr uint32_t kFragmentBase = kMoreVertex + 1;
// The fragment shader of a pipeline, by the number of its salt.
inline uint32_t fragmentOf(uint32_t number)
{
    return kFragmentBase + (number == 2 ? 1 : 0);
}
inline constexpr uint32_t kMoreFragment = kFragmentBase + static_cast<uint32_t>(std::size(kFragmentSalts));

// Where a sequence's vertices are.
struct Vertices {
    uint32_t firstWord;
    uint32_t strideWords;
};

// Where a sequence's indices are.
struct Indices {
    uint32_t firstWord;
    bool isHalf;  // of 16 bits, not 32

    uint32_t at(uint32_t number) const
    {
        if (!isHalf)
            return indexAt(firstWord + number);
        return indexAt(firstWord + number / 2) >> (number % 2 * 16) & 0xffff;
    }
};

// One vkCmdDraw or vkCmdDrawIndexed.
struct Draw {
    uint32_t count;
    uint32_t instances;
    uint32_t first;  // vertex or index
    uint32_t base;   // vertex
    uint32_t firstInstance;
    bool isIndexed;
    uint32_t drawIndex = 0;
};

// What a pixel may be: the last value in the order of the API, or any where sequences have none.
struct Picture {
    Pixels last = Pixels(kSide * kSide);
    std::vector<std::vector<uint32_t>> drawn{kSide * kSide};

    bool allows(const Pixels& pixels, bool isUnordered) const;
};

// One call with everything that it is given. Drawn the same for every provider.
struct DrawCase {
    explicit DrawCase(uint32_t seed, Maker maker = Maker::Whole);

    Random random;
    bool isIndexed;
    bool isCounted;  // several draws for each sequence, whose commands lie elsewhere
    bool hasSet;     // of graphics pipelines or shader objects
    bool hasObjects;
    bool hasStreams;
    bool isUnordered;
    bool hasIndices;  // each sequence its own
    bool hasVertices;
    bool hasMesh;   // mesh shaders
    bool hasTasks;  // with task shaders in front
    RandomLayout layout;
    uint32_t maxSequences;
    uint32_t maxDraws = 1;      // of a sequence
    bool besideCounts = false;  // draws of the application's: none in front by a count, one behind indirectly
    uint32_t namedDraws = 0;    // by the command, if it is more than memory is asked for
    std::optional<uint32_t> deviceCount;
    bool inQuery = false;  // a query of compute shaders is active, so that nothing can be in front of the instance
    std::optional<uint32_t> view;  // that is expected, where there are several (Draws::views)
    bool isExplicit, inSecondary, hasRenderPass;
    bool inHalves = false;    // executed twice in a row, each time in one half of the picture
    uint32_t ownDraws = 0;    // of the application's, between those two and behind them
    uint32_t boundGroup = 0;  // that is bound by itself in place of the pipeline
    PushWords pushed{};
    std::vector<uint32_t> stream;
    std::vector<uint32_t> commands;  // that records with counts lead to
    // Changes the stream once it has addresses.
    std::function<void(DrawCase&)> spoil = [](DrawCase&) {};
    // Called when its execution is about to be recorded, and behind it.
    std::function<void(VkCommandBuffer)> beforeExecution = [](VkCommandBuffer) {};
    std::function<void(VkCommandBuffer)> behindExecution = [](VkCommandBuffer) {};
    // The same of the render pass instance.
    std::function<void(VkCommandBuffer)> beforeInstance = [](VkCommandBuffer) {};
    std::function<void(VkCommandBuffer)> behindInstance = [](VkCommandBuffer) {};
    // Of the pipelines in the set.
    std::vector<uint32_t> setSalts{std::begin(kDrawSalts), std::end(kDrawSalts)};
    // Of the index that chooses the salt. Indices of shader objects are in the order of their stages, mesh shaders
    // last.
    uint32_t saltWord() const
    {
        return static_cast<uint32_t>(layout.setWord) + (hasObjects && hasMesh ? (hasTasks ? 2 : 1) : 0);
    }
    // No count is above its maximum.
    void limitCounts();
    // Those that there are, again and again. Records without counts.
    void setSequences(uint32_t count);
    void omitDraws(uint32_t sequence) { counted[sequence].count = 0; }
    uint32_t drawsOf(uint32_t sequence) const { return isCounted ? counted[sequence].count : 1; }
    uint32_t* recordOf(uint32_t sequence) { return &stream[size_t{sequence} * layout.strideWords]; }

    uint32_t sequences() const { return std::min(maxSequences, deviceCount.value_or(maxSequences)); }
    Picture expected() const;

    // The memory that buffers lie in: records say addresses.
    void placeVertices(VkDeviceAddress memory);
    void placeIndices(VkDeviceAddress memory);
    void placeCommands(VkDeviceAddress memory);

private:
    void drawRecord(uint32_t* record);
    void drawCommand(uint32_t* command);
    void addSequence(Picture& picture, uint32_t sequence) const;
    Draw drawOf(const uint32_t* command, uint32_t drawIndex) const;
    // The shaders points.task and points.mesh.
    void addMesh(Picture& picture, const PushWords& push, const uint32_t* grid, uint32_t drawIndex,
                 uint32_t salt) const;
    uint32_t commandWords() const { return hasMesh ? 3 : isIndexed ? 5 : 4; }
    // Of a sequence with counts, in `commands`.
    struct Counted {
        uint32_t firstWord;
        uint32_t strideWords;
        uint32_t count;
    };
    std::vector<Counted> counted;
    std::vector<Vertices> vertices;  // of each sequence
    std::vector<Indices> indices;
};

// Commands of one of the extensions, with all that they are given.
struct Commands {
    std::function<void(VkCommandBuffer state)> preprocess;  // in a command buffer of its own, which is submitted
    std::function<void(VkCommandBuffer)> execute;
};

class Draws {
public:
    // The driver can do what `maker` needs.
    // `with`: besides what `maker` needs.
    explicit Draws(Provider provider, Maker maker = Maker::Whole, const GeneratedOptions& with = {});
    Pixels run(DrawCase& drawn);
    // The same of each view that there may be, one behind another.
    std::vector<Pixels> runViews(DrawCase& drawn);
    // Another pipeline in the place of one of the case's set. `isEarly`: its fragments are tested early.
    void replace(const DrawCase& drawn, uint32_t index, uint32_t salt, bool isEarly = false);
    // The shader object that is at `from` also in another place of the case's set.
    void copyObject(const DrawCase& drawn, uint32_t from, uint32_t to);

    GeneratedDevice generated;
    std::function<void()> afterRecording;  // of run(), before what was recorded is submitted
    // Behind each submission, with what it has drawn: true if the same is to be submitted again.
    std::function<bool(const Pixels&)> submitAgain;

private:
    VkRenderPass createRenderPass2() const;
    void createFramebuffer();
    void createLayout();
    std::span<const uint32_t> vertexCode(bool hasVertices, bool hasMore = false) const;
    std::span<const uint32_t> meshCode(bool hasTasks) const;
    static std::span<const uint32_t> taskCode();
    uint32_t layerCount() const { return std::max(1u, static_cast<uint32_t>(std::bit_width(m_views))); }
    VkShaderModule createModule(std::span<const uint32_t> words) const;
    VkPipeline createOne(VkGraphicsPipelineCreateInfo info);
    // `others`: whose shader groups are appended to its own ones (VK_NV_device_generated_commands).
    VkPipeline createPipeline(bool hasRenderPass, bool hasVertices, uint32_t salt,
                              const std::vector<VkPipeline>& others = {}, bool isEarly = false);
    // One with a shader group for each salt, of which it has the first two itself.
    // Likewise, with mesh shaders.
    VkPipeline createMeshPipeline(bool hasRenderPass, bool hasTasks, uint32_t salt,
                                  const std::vector<VkPipeline>& others = {});
    VkShaderStageFlags stages() const { return usesMesh(m_maker) ? kMeshStages : kStages; }
    VkPipeline createGroups(bool hasRenderPass, bool hasVertices);
    VkIndirectExecutionSetEXT createSet(const std::vector<VkPipeline>& pipelines);
    VkPipeline createLibrary(VkGraphicsPipelineLibraryFlagsEXT subset, VkRenderPass pass, bool hasVertices);
    VkPipeline createLinked(bool hasRenderPass, bool hasVertices);
    VkShaderEXT createObject(VkShaderStageFlagBits stage, std::span<const uint32_t> code, uint32_t salt);
    void createObjects(bool hasVertices);
    void createMeshObjects(bool hasTasks);
    // Of each stage those that there are.
    VkIndirectExecutionSetEXT createSetOfObjects(const std::vector<std::vector<VkShaderEXT>>& byStage);
    void setVertexInput(VkCommandBuffer cmd, bool hasVertices) const;
    void bindObjects(VkCommandBuffer cmd, bool hasVertices) const;
    // What runs the case, for the commands that are told.
    const void* chainOf(const DrawCase& drawn);
    void bind(VkCommandBuffer cmd, const DrawCase& drawn) const;
    void beginPass(VkCommandBuffer cmd, const DrawCase& drawn, bool inSecondary) const;
    // The left one is number 0.
    void setHalf(VkCommandBuffer cmd, int32_t half) const;
    // With state of their own, of which each changes some.
    void drawOwn(VkCommandBuffer cmd, const DrawCase& drawn, uint32_t seed) const;
    void record(VkCommandBuffer cmd, const Commands& commands, const DrawCase& drawn) const;
    VkQueryPool beginQuery(VkCommandBuffer cmd) const;
    VkCommandBuffer recordSecondary(const Commands& commands, const DrawCase& drawn);
    // All layers, one behind another.
    Pixels draw(const DrawCase& drawn, const Commands& commands);
    Pixels runStreams(DrawCase& drawn);
    Pixels submit(VkCommandBuffer cmd);
    VkImageMemoryBarrier2 transition(VkImageLayout from, VkImageLayout to) const;

    const Maker m_maker;
    const uint32_t m_views;  // a mask; 0: there is no multiview
    const bool m_hasDynamicInput;
    layertest::TestDevice& m_device;
    layertest::Image m_target;
    VkRenderPass m_pass = VK_NULL_HANDLE;
    VkFramebuffer m_framebuffer = VK_NULL_HANDLE;
    VkDescriptorSetLayout m_setLayout = VK_NULL_HANDLE;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    VkPipeline pipelineOf(const DrawCase& drawn) const
    {
        return m_pipelines[drawn.hasRenderPass][drawn.hasVertices || drawn.hasTasks][0];
    }

    VkGeneratedCommandsPipelineInfoEXT m_pipelineInfo{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT};
    VkGeneratedCommandsShaderInfoEXT m_shaderInfo{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_SHADER_INFO_EXT};
    // Without and with vertex buffers or task shaders.
    std::vector<VkShaderStageFlagBits> m_objectStages[2];
    std::vector<VkShaderEXT> m_objects[2];
    std::vector<VkShaderEXT> m_setObjects[2];  // by their places in the set
    // For dynamic rendering or the render pass, without and with vertex buffers: one for each salt.
    std::vector<VkPipeline> m_pipelines[2][2];
    VkIndirectExecutionSetEXT m_sets[2][2] = {};
    layertest::Buffer m_vertices;
    layertest::Buffer m_instances;
    VkDescriptorSet m_set = VK_NULL_HANDLE;
    layertest::Buffer m_indices;
    layertest::Buffer m_ownDraw;  // VkDrawIndirectCommand, and counts of 0 and 1
    layertest::Buffer m_readback;
};

}  // namespace millrace::commandtest
