// SPDX-License-Identifier: Apache-2.0
// One multi-draw-indirect with variants does what one draw for each sequence does with the application's shaders.
#include <algorithm>
#include <cstring>
#include <random>

#include "abi/commands.h"
#include "commands/shader_variants.h"
#include "commands_shaders/random_layout.h"
#include "commands_shaders/variant_test.h"
#include "shaders/commands_shaders.h"

namespace millrace::commands {

namespace {

constexpr uint32_t kSize = 8;  // of the framebuffer, in pixels
constexpr uint32_t kIndices = 64;

struct StageChoice {
    spv::ExecutionModel model;
    VkShaderStageFlagBits bit;
    std::span<const uint32_t> plain;
    std::span<const uint32_t> push;
};

const std::vector<StageChoice>& allStages()
{
    static const std::vector<StageChoice> kStages = {
        {spv::ExecutionModel::Vertex, VK_SHADER_STAGE_VERTEX_BIT, shaders::vertex_plain, shaders::vertex_push},
        {spv::ExecutionModel::TessellationControl, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, shaders::control_plain,
         shaders::control_push},
        {spv::ExecutionModel::TessellationEvaluation, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
         shaders::evaluation_plain, shaders::evaluation_push},
        {spv::ExecutionModel::Geometry, VK_SHADER_STAGE_GEOMETRY_BIT, shaders::geometry_plain, shaders::geometry_push},
        {spv::ExecutionModel::Fragment, VK_SHADER_STAGE_FRAGMENT_BIT, shaders::fragment_plain, shaders::fragment_push},
    };
    return kStages;
}

constexpr VkShaderStageFlags kAll = VK_SHADER_STAGE_ALL_GRAPHICS;

struct Combination {
    bool tessellation;
    bool geometry;
};

// Which of the stages have push constants is random.
std::vector<StageCode> chooseStages(std::mt19937& random, Combination combination)
{
    std::vector<StageCode> chosen;
    for (const StageChoice& stage : allStages()) {
        const bool isTessellation = stage.model == spv::ExecutionModel::TessellationControl ||
                                    stage.model == spv::ExecutionModel::TessellationEvaluation;
        if ((isTessellation && !combination.tessellation) ||
            (stage.model == spv::ExecutionModel::Geometry && !combination.geometry))
            continue;
        const std::span<const uint32_t> words = random() % 2 == 0 ? stage.plain : stage.push;
        chosen.push_back({stage.model, "main", {words.begin(), words.end()}});
    }
    return chosen;
}

VkShaderStageFlagBits bitOf(spv::ExecutionModel model)
{
    return std::ranges::find(allStages(), model, &StageChoice::model)->bit;
}

uint32_t below(std::mt19937& random, uint32_t end)
{
    return std::uniform_int_distribution<uint32_t>(0, end - 1)(random);
}

class DrawVariant : public VariantTest {
protected:
    void SetUp() override
    {
        VariantTest::SetUp();
        createTarget();
        m_indices = createBuffer(kIndices * 2, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
        for (uint32_t i = 0; i < kIndices; ++i)
            reinterpret_cast<uint16_t*>(m_indices.mapped)[i] = static_cast<uint16_t>(i * 7 % 12);
    }

    void compareRandom(Action action, Combination combination, uint32_t seed, uint32_t layouts)
    {
        std::mt19937 random(seed);
        for (uint32_t n = 0; n < layouts; ++n) {
            const Layout layout = randomLayout(random, {action, {kAll}, true});
            const uint32_t count = 1 + below(random, 24);
            std::vector<uint32_t> stream = randomStream(random, layout, count);
            for (uint32_t s = 0; s < count; ++s)
                writeCommand(random, layout, &stream[(layout.stride * s + layout.actionOffset) / 4]);
            compare(chooseStages(random, combination), layout, stream, count, random);
        }
    }

private:
    struct Pipeline {
        VkPipelineLayout layout = VK_NULL_HANDLE;
        VkPipeline handle = VK_NULL_HANDLE;
    };

    // Some draw nothing.
    static void writeCommand(std::mt19937& random, const Layout& layout, uint32_t* words)
    {
        const uint32_t vertices = 3 * below(random, 4), instances = below(random, 3);
        const uint32_t first = below(random, 20), firstInstance = below(random, 5);
        if (layout.action == Action::Draw) {
            const VkDrawIndirectCommand command{vertices, instances, first, firstInstance};
            std::memcpy(words, &command, sizeof(command));
        } else {
            const VkDrawIndexedIndirectCommand command{vertices, instances, first,
                                                       static_cast<int32_t>(below(random, 9)), firstInstance};
            std::memcpy(words, &command, sizeof(command));
        }
    }

    void compare(const std::vector<StageCode>& stages, const Layout& layout, const std::vector<uint32_t>& stream,
                 uint32_t sequences, std::mt19937& random)
    {
        std::vector<uint32_t> pushed(kPushBytes / 4);
        std::ranges::generate(pushed, [&] { return static_cast<uint32_t>(random()); });
        const auto variant = makeDrawVariant(stages, layout, {});
        ASSERT_TRUE(variant) << variant.error().text();
        for (const StageCode& stage : *variant) {
            const Status valid = spirv::validate(stage.words);
            ASSERT_TRUE(valid) << valid.error().text();
        }
        const std::vector<uint32_t> expected = runEach(stages, layout, pushed, stream, sequences);
        const std::vector<uint32_t> actual = runAtOnce(*variant, layout, pushed, stream, sequences);
        EXPECT_TRUE(expected == actual) << "layout of stride " << layout.stride << " with " << layout.pushRanges.size()
                                        << " ranges, " << sequences << " sequences";
        m_drawn |= std::ranges::count(expected, 0u) != kCounters;
    }

    void createTarget()
    {
        VkSubpassDescription subpass{};
        subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
        VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
        info.subpassCount = 1;
        info.pSubpasses = &subpass;
        harness::check(vkCreateRenderPass(m_device->device, &info, nullptr, &m_renderPass), "render pass");
        VkFramebufferCreateInfo frame{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
        frame.renderPass = m_renderPass;
        frame.width = frame.height = kSize;
        frame.layers = 1;
        harness::check(vkCreateFramebuffer(m_device->device, &frame, nullptr, &m_framebuffer), "framebuffer");
        onEnd([this] {
            vkDestroyFramebuffer(m_device->device, m_framebuffer, nullptr);
            vkDestroyRenderPass(m_device->device, m_renderPass, nullptr);
        });
    }

    Pipeline createPipeline(const std::vector<StageCode>& stages, uint32_t pushBytes)
    {
        Pipeline pipeline;
        pipeline.layout = createPipelineLayout(kAll, pushBytes);
        std::vector<VkPipelineShaderStageCreateInfo> infos;
        bool hasTessellation = false;
        for (const StageCode& stage : stages) {
            VkPipelineShaderStageCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
            info.stage = bitOf(stage.model);
            info.module = m_device->createModule(stage.words);
            info.pName = stage.entryPoint.c_str();
            infos.push_back(info);
            hasTessellation |= stage.model == spv::ExecutionModel::TessellationControl;
        }
        const VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
        VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
        assembly.topology = hasTessellation ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
        VkPipelineTessellationStateCreateInfo patches{VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO};
        patches.patchControlPoints = 3;
        const VkViewport viewport{0, 0, kSize, kSize, 0, 1};
        const VkRect2D scissor{{0, 0}, {kSize, kSize}};
        VkPipelineViewportStateCreateInfo view{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
        view.viewportCount = view.scissorCount = 1;
        view.pViewports = &viewport;
        view.pScissors = &scissor;
        VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
        raster.lineWidth = 1;
        VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
        samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
        VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
        info.stageCount = static_cast<uint32_t>(infos.size());
        info.pStages = infos.data();
        info.pVertexInputState = &input;
        info.pInputAssemblyState = &assembly;
        info.pTessellationState = &patches;
        info.pViewportState = &view;
        info.pRasterizationState = &raster;
        info.pMultisampleState = &samples;
        info.layout = pipeline.layout;
        info.renderPass = m_renderPass;
        harness::check(vkCreateGraphicsPipelines(m_device->device, nullptr, 1, &info, nullptr, &pipeline.handle),
                       "vkCreateGraphicsPipelines");
        for (const VkPipelineShaderStageCreateInfo& stage : infos)
            vkDestroyShaderModule(m_device->device, stage.module, nullptr);
        onEnd([this, pipeline] { vkDestroyPipeline(m_device->device, pipeline.handle, nullptr); });
        return pipeline;
    }

    std::vector<uint32_t> run(const Pipeline& pipeline, const std::function<void(VkCommandBuffer)>& record)
    {
        return count([&](VkCommandBuffer cmd) {
            VkRenderPassBeginInfo begin{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
            begin.renderPass = m_renderPass;
            begin.framebuffer = m_framebuffer;
            begin.renderArea = {{0, 0}, {kSize, kSize}};
            vkCmdBeginRenderPass(cmd, &begin, VK_SUBPASS_CONTENTS_INLINE);
            vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.handle);
            vkCmdBindIndexBuffer(cmd, m_indices.handle, 0, VK_INDEX_TYPE_UINT16);
            bindSet(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout);
            record(cmd);
            vkCmdEndRenderPass(cmd);
        });
    }

    std::vector<uint32_t> runEach(const std::vector<StageCode>& stages, const Layout& layout,
                                  const std::vector<uint32_t>& pushed, const std::vector<uint32_t>& stream,
                                  uint32_t sequences)
    {
        const Pipeline pipeline = createPipeline(stages, kPushBytes);
        return run(pipeline, [&](VkCommandBuffer cmd) {
            for (uint32_t s = 0; s < sequences; ++s) {
                const std::vector<uint32_t> words = pushConstantsOf(layout, pushed, stream, s, kAll);
                vkCmdPushConstants(cmd, pipeline.layout, kAll, 0, kPushBytes, words.data());
                const uint32_t* w = &stream[(layout.stride * s + layout.actionOffset) / 4];
                if (layout.action == Action::Draw)
                    vkCmdDraw(cmd, w[0], w[1], w[2], w[3]);
                else
                    vkCmdDrawIndexed(cmd, w[0], w[1], w[2], static_cast<int32_t>(w[3]), w[4]);
            }
        });
    }

    // In two halves, as a layer has to where the device draws fewer at a time.
    std::vector<uint32_t> runAtOnce(const std::vector<StageCode>& stages, const Layout& layout,
                                    const std::vector<uint32_t>& pushed, const std::vector<uint32_t>& stream,
                                    uint32_t sequences)
    {
        const Pipeline pipeline = createPipeline(stages, sizeof(abi::SequenceArguments));
        const harness::Buffer records = createBuffer(
            stream.size() * 4 + 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
        const harness::Buffer values = createBuffer(kPushBytes);
        std::memcpy(records.words() + 1, stream.data(), stream.size() * 4);
        std::memcpy(values.mapped, pushed.data(), kPushBytes);
        const uint32_t half = sequences / 2;
        return run(pipeline, [&](VkCommandBuffer cmd) {
            for (const auto& [first, end] : {std::pair(0u, half), std::pair(half, sequences)}) {
                const abi::SequenceArguments arguments{records.address + 4, values.address, 0, layout.stride, first};
                vkCmdPushConstants(cmd, pipeline.layout, kAll, 0, sizeof(arguments), &arguments);
                const VkDeviceSize offset = 4 + VkDeviceSize{layout.stride} * first + layout.actionOffset;
                if (layout.action == Action::Draw)
                    vkCmdDrawIndirect(cmd, records.handle, offset, end - first, layout.stride);
                else
                    vkCmdDrawIndexedIndirect(cmd, records.handle, offset, end - first, layout.stride);
            }
        });
    }

protected:
    bool m_drawn = false;  // some comparison had pixels

private:
    harness::Buffer m_indices;
    VkRenderPass m_renderPass = VK_NULL_HANDLE;
    VkFramebuffer m_framebuffer = VK_NULL_HANDLE;
};

}  // namespace

TEST_F(DrawVariant, VertexAndFragment_EqualOneDrawEach)
{
    compareRandom(Action::Draw, {false, false}, 1, 40);
    EXPECT_TRUE(m_drawn);
}

TEST_F(DrawVariant, Indexed_EqualsOneDrawEach)
{
    compareRandom(Action::DrawIndexed, {false, false}, 2, 30);
    EXPECT_TRUE(m_drawn);
}

TEST_F(DrawVariant, Geometry_EqualsOneDrawEach)
{
    compareRandom(Action::Draw, {false, true}, 3, 30);
    EXPECT_TRUE(m_drawn);
}

TEST_F(DrawVariant, Tessellation_EqualsOneDrawEach)
{
    compareRandom(Action::DrawIndexed, {true, false}, 4, 30);
    EXPECT_TRUE(m_drawn);
}

TEST_F(DrawVariant, AllStages_EqualOneDrawEach)
{
    compareRandom(Action::Draw, {true, true}, 5, 30);
    EXPECT_TRUE(m_drawn);
}

}  // namespace millrace::commands
