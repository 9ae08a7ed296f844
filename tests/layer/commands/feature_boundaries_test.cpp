// SPDX-License-Identifier: Apache-2.0
// Every command that the layer intercepts, in front of and behind what mesh shaders and generated commands of the
// layer's record: the driver gets the command as it does without the layer.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "layer/commands/generated_objects.h"
#include "layer/commands/recorded_commands.h"
#include "layer/commands/text.h"
#include "layer/loader/device.h"
#include "layer/recording/command_buffer.h"
#include "shaders/generated_test_shaders.h"

namespace millrace::layertest {

namespace {

// What lies between two commands.
enum class Feature {
    Begin,       // of an instance, which has a front then
    End,         // of it
    LegacyPass,  // begins
    MeshDraw,    // in an instance with a front, likewise the next
    IndirectMeshDraw,
    DividedInstance,  // by a mesh draw, since it has no front
    DividedPass,      // of the legacy kind, by a mesh draw in a subpass that waits
    Draw,             // that is generated from the stream
    DrawInOrder,      // with several pipelines as one, in a stream of its own, likewise the next
    DrawInPass,       // of the legacy kind, likewise
    DrawUnordered,    // with each by itself, and kernels in front
    DispatchOfSet,
    GeneratedMeshDraw,
    Dispatch,  // that is generated
    Preprocess,
};

struct Row {
    Feature feature;
    Place before;
    Place behind;
    const char* name;
};

constexpr Row kRows[] = {
    {Feature::Begin, Place::Outside, Place::InRendering, "Begin"},
    {Feature::End, Place::InRendering, Place::Outside, "End"},
    {Feature::LegacyPass, Place::Outside, Place::InRendering, "LegacyPass"},
    {Feature::MeshDraw, Place::InRendering, Place::InRendering, "MeshDraw"},
    {Feature::IndirectMeshDraw, Place::InRendering, Place::InRendering, "IndirectMeshDraw"},
    {Feature::DividedInstance, Place::InRendering, Place::InRendering, "DividedInstance"},
    {Feature::DividedPass, Place::InRendering, Place::InRendering, "DividedPass"},
    {Feature::Draw, Place::InRendering, Place::InRendering, "Draw"},
    {Feature::DrawInOrder, Place::InRendering, Place::InRendering, "DrawInOrder"},
    {Feature::DrawInPass, Place::InRendering, Place::InRendering, "DrawInPass"},
    {Feature::DrawUnordered, Place::InRendering, Place::InRendering, "DrawUnordered"},
    {Feature::DispatchOfSet, Place::Outside, Place::Outside, "DispatchOfSet"},
    {Feature::DispatchOfSet, Place::Conditional, Place::Conditional, "ConditionalDispatchOfSet"},
    {Feature::GeneratedMeshDraw, Place::InRendering, Place::InRendering, "GeneratedMeshDraw"},
    {Feature::Dispatch, Place::Outside, Place::Outside, "Dispatch"},
    {Feature::Dispatch, Place::Conditional, Place::Conditional, "ConditionalDispatch"},
    {Feature::Preprocess, Place::Outside, Place::Outside, "Preprocess"},
};

// What runs in a stream of its own, unless a command in front has structures that nobody can keep for it.
bool isLate(Feature feature)
{
    switch (feature) {
        case Feature::DrawInOrder:
        case Feature::DrawInPass:
        case Feature::DrawUnordered:
        case Feature::DispatchOfSet:
            return true;
        default:
            return false;
    }
}

// Where both commands are in an instance of a render pass object.
bool isInPass(Feature feature)
{
    return feature == Feature::DividedPass || feature == Feature::DrawInPass;
}

// Where the command buffer is divided on the way.
bool divides(Feature feature)
{
    return feature == Feature::DividedInstance || feature == Feature::DividedPass || isLate(feature);
}

// The features' own, and what begins and ends instances and goes on in them, which are rows here.
bool isOther(std::string_view name)
{
    for (const char* own : {"GeneratedCommands", "vkCmdDrawMeshTasksEXT", "vkCmdDrawMeshTasksIndirectEXT",
                            "vkCmdDrawMeshTasksIndirectCountEXT", "PipelineIndirectBufferNV", "vkCmdBeginRender",
                            "vkCmdEndRender", "vkCmdNextSubpass"})
        if (name.find(own) != name.npos)
            return false;
    return true;
}

// Of two subpasses, the second of which waits for the first.
VkRenderPass createPass(VkDevice device)
{
    const VkSubpassDescription subpasses[2] = {};
    VkSubpassDependency dependency{};
    dependency.dstSubpass = 1;
    dependency.srcStageMask = dependency.dstStageMask = VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT;
    VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
    info.subpassCount = 2;
    info.pSubpasses = subpasses;
    info.dependencyCount = 1;
    info.pDependencies = &dependency;
    VkRenderPass pass = VK_NULL_HANDLE;
    FakeDriver::get<PFN_vkCreateRenderPass>("vkCreateRenderPass")(device, &info, nullptr, &pass);
    return pass;
}

class FeatureBoundaries : public RecordedCommands, public testing::WithParamInterface<std::tuple<Row, Version>> {
protected:
    FeatureBoundaries()
    {
        const GeneratedObjects::Stage stages[] = {{VK_SHADER_STAGE_MESH_BIT_EXT, shaders::points_mesh},
                                                  {VK_SHADER_STAGE_FRAGMENT_BIT, shaders::points_fragment}};
        m_mesh = m_objects.createGraphics(stages);
        m_pass = createPass(driver.handle());
    }
    ~FeatureBoundaries() override
    {
        FakeDriver::get<PFN_vkDestroyRenderPass>("vkDestroyRenderPass")(driver.handle(), m_pass, nullptr);
    }

    static Row row() { return std::get<0>(GetParam()); }

    void enter(VkCommandBuffer cmd) const
    {
        if (isInPass(row().feature))
            return beginPass(cmd);
        driver.device().needsFronts = row().feature != Feature::DividedInstance;
        layertest::enter(cmd, row().before);
        driver.device().needsFronts = true;
    }

    void cross(VkCommandBuffer cmd) const
    {
        switch (row().feature) {
            case Feature::Begin:
                return layertest::enter(cmd, Place::InRendering);
            case Feature::End:
                return FakeDriver::get<PFN_vkCmdEndRendering>("vkCmdEndRendering")(cmd);
            case Feature::LegacyPass:
                return beginPass(cmd);
            case Feature::MeshDraw:
            case Feature::DividedInstance:
                return drawMesh(cmd);
            case Feature::IndirectMeshDraw:
                bindMesh(cmd);
                return FakeDriver::get<PFN_vkCmdDrawMeshTasksIndirectEXT>("vkCmdDrawMeshTasksIndirectEXT")(
                    cmd, fakeHandle<VkBuffer>(9), 0, 2, sizeof(VkDrawMeshTasksIndirectCommandEXT));
            case Feature::DividedPass:
                nextSubpass(cmd);
                return drawMesh(cmd);
            case Feature::Draw:
                return m_objects.draw(cmd, 0);
            case Feature::DrawInOrder:
            case Feature::DrawInPass:
                return m_objects.drawInOrder(cmd);
            case Feature::DrawUnordered:
                return m_objects.drawUnordered(cmd);
            case Feature::DispatchOfSet:
                return m_objects.dispatchOfSet(cmd);
            case Feature::GeneratedMeshDraw:
                return m_objects.drawMeshes(cmd, m_mesh);
            case Feature::Dispatch:
                return m_objects.dispatch(cmd);
            case Feature::Preprocess:
                return m_objects.preprocess(cmd);
        }
    }

    // In another command buffer of the driver's, by nothing else than that.
    void goOn(VkCommandBuffer cmd) const
    {
        if (row().feature == Feature::DividedInstance)
            return divideInstance(FakeDriver::of(cmd));
        if (row().feature != Feature::DividedPass) {
            cross(cmd);
            return FakeDriver::of(cmd).current.recordUnminding();
        }
        nextSubpass(cmd);
        settleWait(FakeDriver::of(cmd));
    }

    // In instances of render pass objects there is no state of dynamic ones
    // (VUID-vkCmdSetRenderingAttachmentLocations-commandBuffer-09511).
    static bool isOfOtherInstances(const Command& command)
    {
        return isInPass(row().feature) && std::string_view(command.name()).starts_with("vkCmdSetRendering");
    }

    // State that is set inside of instances alone, or may not be set in front of them.
    static bool isOfInstance(const Command& command)
    {
        const std::string_view name = command.name();
        return name.starts_with("vkCmdSetRendering") || name.starts_with("vkCmdSetPerformance");
    }

    // In a scope that a command has opened no instance can be divided.
    static bool isPossibleBehind(const Command& command)
    {
        return !divides(row().feature) || !std::string_view(command.name()).starts_with("vkCmdBegin");
    }

    // Draws that go to a stream of the layer's commands where one is open.
    static bool mayShareStream(const Command& command)
    {
        const std::string_view name = command.name();
        return name == "vkCmdDraw" || name == "vkCmdDrawIndexed" || name == "vkCmdDrawIndirect" ||
               name == "vkCmdDrawIndexedIndirect" || name.starts_with("vkCmdDrawIndirectCount") ||
               name.starts_with("vkCmdDrawIndexedIndirectCount");
    }

    // What else the driver gets is in front of the command: what the layer had put off, and what is bound for the
    // application again.
    static void compare(const Command& command, Shape shape, const Dispatchables& objects, uint32_t number,
                        const std::string& what)
    {
        layer::CommandBuffer& known = FakeDriver::of(objects.commandBuffer);
        const bool mayBindAgain = known.lent.isLent() && readsWhatIsBound(command.name());
        const bool hasPutOff = known.current.hasPutOff();
        Dispatchables current = objects;
        current.commandBuffer = known.current.inFrontOfPutOff();
        const Direct direct(command, current, shape, number);
        Arguments arguments(command, objects, shape, number);
        arguments.call(FakeDriver::find(command.name()));
        std::vector<Call> got = FakeDriver::takeCalls();
        ASSERT_EQ(direct.calls.size(), 1u) << what;
        ASSERT_FALSE(got.empty()) << what;
        // What was put off may end the driver's command buffer, or go on elsewhere.
        const bool goesOnThere = hasOpenLateStream(known) && mayShareStream(command);
        const VkCommandBuffer target = goesOnThere ? got.back().target
                                       : hasPutOff ? known.current.inFrontOfPutOff()
                                                   : current.commandBuffer;
        EXPECT_TRUE(!goesOnThere || std::ranges::count(known.streams, target) == 0) << what;
        EXPECT_TRUE(got.size() == 1 || mayBindAgain || hasPutOff) << what << textOf(got);
        expectSame({got.back()}, direct.calls[0], command, target, what);
        EXPECT_EQ(textOfOutputs(comparable(command), arguments.data()), direct.memory) << what;
        arguments.overwrite();
    }

    // Calls `test` with a command buffer in which nothing but where it is has been recorded.
    template <typename Test>
    void forEachOther(const Test& test)
    {
        const VkCommandBuffer other = driver.begin();
        for (const Command* command : recordedCommands())
            for (Shape shape : kShapes) {
                if (!isOther(command->name()) ||
                    (std::get<1>(GetParam()) == Version::Vulkan13 && command->isOfVulkan14))
                    continue;
                const VkCommandBuffer cmd = driver.begin();
                enter(cmd);
                FakeDriver::takeAllCalls();
                test(*command, shape, objectsOf(driver, cmd, other));
                FakeDriver::get<PFN_vkResetCommandBuffer>("vkResetCommandBuffer")(cmd, 0);
                FakeDriver::takeAllCalls();
            }
    }

    FakeDriver driver{std::get<1>(GetParam()), Provided::MeshShaders};
    const ToldOfUnknown told{driver};

private:
    void beginPass(VkCommandBuffer cmd) const
    {
        VkRenderPassBeginInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
        info.renderPass = m_pass;
        FakeDriver::get<PFN_vkCmdBeginRenderPass>("vkCmdBeginRenderPass")(cmd, &info, VK_SUBPASS_CONTENTS_INLINE);
    }
    static void nextSubpass(VkCommandBuffer cmd)
    {
        FakeDriver::get<PFN_vkCmdNextSubpass>("vkCmdNextSubpass")(cmd, VK_SUBPASS_CONTENTS_INLINE);
    }
    void bindMesh(VkCommandBuffer cmd) const
    {
        FakeDriver::get<PFN_vkCmdBindPipeline>("vkCmdBindPipeline")(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, m_mesh);
    }
    void drawMesh(VkCommandBuffer cmd) const
    {
        bindMesh(cmd);
        FakeDriver::get<PFN_vkCmdDrawMeshTasksEXT>("vkCmdDrawMeshTasksEXT")(cmd, 2, 3, 1);
    }

    GeneratedObjects m_objects{driver, true};
    VkPipeline m_mesh = VK_NULL_HANDLE;
    VkRenderPass m_pass = VK_NULL_HANDLE;
};

std::string nameOf(const testing::TestParamInfo<std::tuple<Row, Version>>& info)
{
    return std::string(std::get<0>(info.param).name) +
           (std::get<1>(info.param) == Version::Vulkan13 ? "OnVulkan13" : "");
}

TEST_P(FeatureBoundaries, BeforeAndBehind_DriverCalledAsWithoutTheLayer)
{
    size_t count = 0;
    forEachOther([&](const Command& command, Shape shape, const Dispatchables& objects) {
        const VkCommandBuffer cmd = objects.commandBuffer;
        if (isAllowed(command, row().before))
            compare(command, shape, objects, 0, describe(command, shape, row().before) + ", before");
        FakeDriver::takeAllCalls();
        const layer::CommandBuffer& known = FakeDriver::of(cmd);
        const size_t streams = known.streams.size();
        cross(cmd);
        const bool hasCrossed = known.current.hasPutOff() || !FakeDriver::takeCalls().empty();
        const bool isDivided = divides(row().feature) && !(isLate(row().feature) && shape == Shape::Tomorrow);
        const bool hasDivided = known.streams.size() > streams || hasOpenLateStream(known);
        EXPECT_TRUE(!isPossibleBehind(command) || (hasCrossed && (!isDivided || hasDivided))) << command.name();
        if (!isAllowed(command, row().behind))
            return;
        compare(command, shape, objects, 1, describe(command, shape, row().behind) + ", behind");
        // State is set in front of what goes on behind a stream of its own, and ends no series of such commands. Draws
        // are part of it.
        if (isDivided && isLate(row().feature) && isPossibleBehind(command))
            EXPECT_EQ(hasOpenLateStream(known), (isState(command) && !isOfInstance(command)) || mayShareStream(command))
                << command.name();
        ++count;
    });
    EXPECT_GT(count, 300u);
}

INSTANTIATE_TEST_SUITE_P(Rows, FeatureBoundaries,
                         testing::Combine(testing::ValuesIn(kRows), testing::Values(Version::All, Version::Vulkan13)),
                         nameOf);

class FeatureDivisions : public FeatureBoundaries {};

TEST_P(FeatureDivisions, Behind_StateAndNothingElseGivenAgain)
{
    size_t count = 0;
    forEachOther([&](const Command& command, Shape shape, const Dispatchables& objects) {
        if (!isAllowed(command, row().before) || isOfOtherInstances(command) || !isPossibleBehind(command) ||
            (isLate(row().feature) && shape == Shape::Tomorrow))
            return;
        const std::string what = describe(command, shape, row().before);
        const bool isWhole = expectStateGivenAgain(command, shape, objects, what, [&] { goOn(objects.commandBuffer); });
        EXPECT_TRUE(isWhole || told.has(command)) << what;
        ++count;
    });
    EXPECT_GT(count, 300u);
}

constexpr Row kDivisions[] = {
    {Feature::Begin, Place::Outside, Place::InRendering, "Begin"},
    {Feature::LegacyPass, Place::Outside, Place::InRendering, "LegacyPass"},
    {Feature::DividedInstance, Place::InRendering, Place::InRendering, "DividedInstance"},
    {Feature::DividedPass, Place::InRendering, Place::InRendering, "DividedPass"},
    {Feature::DrawInOrder, Place::InRendering, Place::InRendering, "DrawInOrder"},
    {Feature::DrawInPass, Place::InRendering, Place::InRendering, "DrawInPass"},
    {Feature::DispatchOfSet, Place::Outside, Place::Outside, "DispatchOfSet"},
    {Feature::DispatchOfSet, Place::Conditional, Place::Conditional, "ConditionalDispatchOfSet"},
};

INSTANTIATE_TEST_SUITE_P(Rows, FeatureDivisions,
                         testing::Combine(testing::ValuesIn(kDivisions),
                                          testing::Values(Version::All, Version::Vulkan13)),
                         nameOf);

}  // namespace

}  // namespace millrace::layertest
