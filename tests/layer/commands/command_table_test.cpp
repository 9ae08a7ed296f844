// SPDX-License-Identifier: Apache-2.0
// Every command that the layer intercepts, called through it and without it: the driver must not see a difference,
// neither in arguments nor in what they lead to, and the application none in what comes back.
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "layer/commands/arguments.h"
#include "layer/commands/text.h"
#include "layer/fake_driver.h"
#include "layer/loader/entry_points.h"
#include "layer/recording/command_buffer.h"
#include "layer/submission/held_work.h"
#include "layer/submission/queue.h"

namespace millrace::layertest {

namespace {

constexpr Shape kShapes[] = {Shape::Full, Shape::Single, Shape::Bare};

bool isRecorded(const Command& command)
{
    return std::string_view(command.name()).starts_with("vkCmd");
}

std::vector<const Command*> recordedCommands()
{
    std::vector<const Command*> out;
    for (const Command* command : commands())
        if (isRecorded(*command) && layer::findDeviceEntryPoint(command->name()))
            out.push_back(command);
    return out;
}

// What a driver gets without the layer, and leaves in the application's memory.
struct Direct {
    std::vector<Call> calls;
    std::string memory;

    Direct(const Command& command, const Dispatchables& objects, Shape shape, uint32_t number)
    {
        const Arguments arguments(command, objects, shape, number);
        FakeDriver::takeAllCalls();
        arguments.call(command.driver);
        calls = FakeDriver::takeAllCalls();
        memory = textOfOutputs(comparable(command), arguments.data());
    }
};

// For push descriptors: of one buffer.
VkDescriptorUpdateTemplate pushTemplateOf(const FakeDriver& driver)
{
    VkDescriptorUpdateTemplateEntry entry{};
    entry.descriptorCount = 1;
    entry.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    VkDescriptorUpdateTemplateCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO};
    info.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS;
    info.descriptorUpdateEntryCount = 1;
    info.pDescriptorUpdateEntries = &entry;
    VkDescriptorUpdateTemplate out = VK_NULL_HANDLE;
    FakeDriver::get<PFN_vkCreateDescriptorUpdateTemplate>("vkCreateDescriptorUpdateTemplate")(driver.handle(), &info,
                                                                                              nullptr, &out);
    return out;
}

Dispatchables objectsOf(const FakeDriver& driver, VkCommandBuffer commandBuffer, VkCommandBuffer other)
{
    return {driver.instanceHandle(), driver.physical(), driver.handle(), driver.queue(), commandBuffer, other,
            pushTemplateOf(driver)};
}

// Where a command buffer is when a command comes.
enum class Place { Outside, InRendering, Conditional };
constexpr Place kPlaces[] = {Place::Outside, Place::InRendering, Place::Conditional};

void enter(VkCommandBuffer cmd, Place place)
{
    if (place == Place::InRendering) {
        const VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
        FakeDriver::get<PFN_vkCmdBeginRendering>("vkCmdBeginRendering")(cmd, &info);
    } else if (place == Place::Conditional) {
        const VkConditionalRenderingBeginInfoEXT info{VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT};
        FakeDriver::get<PFN_vkCmdBeginConditionalRenderingEXT>("vkCmdBeginConditionalRenderingEXT")(cmd, &info);
    }
}

std::string describe(const Command& command, Shape shape, Place place)
{
    constexpr const char* kShapeNames[] = {", full", ", single", ", bare"};
    constexpr const char* kPlaceNames[] = {"", ", in rendering", ", conditional"};
    return std::string(command.name()) + kShapeNames[static_cast<size_t>(shape)] +
           kPlaceNames[static_cast<size_t>(place)];
}

std::string textOf(const std::vector<Call>& calls)
{
    std::string text = "; driver got:";
    for (const Call& call : calls)
        text += ' ' + call.command;
    return text;
}

std::string firstDifference(const std::string& got, const std::string& wanted)
{
    const size_t at = std::ranges::mismatch(got, wanted).in1 - got.begin();
    const size_t from = at < 60 ? 0 : at - 60;
    return "\n  first difference: " + got.substr(from, 120) + "\n            wanted: " + wanted.substr(from, 120);
}

void expectSame(const std::vector<Call>& got, const Call& wanted, const Command& command, VkCommandBuffer target,
                const std::string& what)
{
    ASSERT_EQ(got.size(), 1u) << what << textOf(got);
    EXPECT_TRUE(got[0].command == command.name() || (command.promoted && got[0].command == command.promoted)) << what;
    EXPECT_EQ(got[0].target, target) << what;
    EXPECT_EQ(got[0].arguments, wanted.arguments) << what << firstDifference(got[0].arguments, wanted.arguments);
}

class RecordedCommands : public testing::Test {
protected:
    // Calls `test` with a command buffer in each place where a command may be.
    template <typename Test>
    void forEach(const Test& test, Version version = Version::All)
    {
        FakeDriver driver(version);
        const VkCommandBuffer other = driver.begin();
        for (const Command* command : recordedCommands())
            for (Shape shape : kShapes)
                for (Place place : kPlaces) {
                    if (version == Version::Vulkan13 && command->isOfVulkan14)
                        continue;
                    if (!(place == Place::InRendering ? command->insideRendering : command->outsideRendering))
                        continue;
                    const VkCommandBuffer cmd = driver.begin();
                    const Dispatchables objects = objectsOf(driver, cmd, other);
                    enter(cmd, place);
                    const std::string what = describe(*command, shape, place);
                    test(driver, *command, shape, objects, what);
                    FakeDriver::get<PFN_vkResetCommandBuffer>("vkResetCommandBuffer")(cmd, 0);
                    FakeDriver::takeAllCalls();
                }
    }

    // Where the layer is, and where it is not.
    static void compare(const Command& command, Shape shape, const Dispatchables& objects, uint32_t number,
                        const std::string& what)
    {
        Dispatchables current = objects;
        current.commandBuffer = FakeDriver::of(objects.commandBuffer).current;
        const Direct direct(command, current, shape, number);
        Arguments arguments(command, objects, shape, number);
        arguments.call(FakeDriver::find(command.name()));
        const std::vector<Call> got = FakeDriver::takeCalls();
        ASSERT_EQ(direct.calls.size(), 1u) << what;
        expectSame(got, direct.calls[0], command, current.commandBuffer, what);
        EXPECT_EQ(textOfOutputs(comparable(command), arguments.data()), direct.memory) << what;
        arguments.overwrite();
    }
};

// What lies between commands: a division of the command buffer alone, or a graph.
enum class Boundary { Division, GraphThatFits, GraphThatMayBeContinued };

class Boundaries : public RecordedCommands, public testing::WithParamInterface<Boundary> {
protected:
    // True if there is one: in a scope that a command has opened there may be no graph, and secondaries undo what was
    // bound.
    static bool isPossibleBehind(const Command& command)
    {
        const std::string_view name = command.name();
        return !name.starts_with("vkCmdBegin") && name != "vkCmdExecuteCommands";
    }

    // Returns what the driver is called with.
    static std::vector<Call> cross(FakeDriver& driver, VkCommandBuffer cmd)
    {
        if (GetParam() == Boundary::Division)
            driver.split(cmd);
        else
            driver.dispatchGraph(cmd, GetParam() == Boundary::GraphThatFits);
        return FakeDriver::takeCalls();
    }
};

TEST_P(Boundaries, BeforeAndBehind_DriverCalledAsWithoutTheLayer)
{
    for (Version version : {Version::All, Version::Vulkan13}) {
        forEach(
            [](FakeDriver& driver, const Command& command, Shape shape, const Dispatchables& objects,
               const std::string& what) {
                const VkCommandBuffer cmd = objects.commandBuffer;
                if (GetParam() != Boundary::Division)
                    driver.bindGraph(cmd);
                compare(command, shape, objects, 0, what + ", before");
                const VkCommandBuffer before = FakeDriver::of(cmd).current;
                const std::vector<Call> between = cross(driver, cmd);
                if (isPossibleBehind(command)) {
                    EXPECT_EQ(FakeDriver::of(cmd).current == before, GetParam() == Boundary::GraphThatFits) << what;
                    EXPECT_TRUE(
                        GetParam() == Boundary::Division ||
                        std::ranges::any_of(between,
                                            [](const Call& call) { return call.command.starts_with("vkCmdDispatch"); }))
                        << what;
                }
                compare(command, shape, objects, 1, what + ", behind");
            },
            version);
    }
}

INSTANTIATE_TEST_SUITE_P(All, Boundaries,
                         testing::Values(Boundary::Division, Boundary::GraphThatFits,
                                         Boundary::GraphThatMayBeContinued));

// Of those that are newer than this header, src/layer/loader/unknown_commands.h speaks.
TEST(CommandTable, EveryCommandThatRecords_Intercepted)
{
    size_t count = 0;
    for (const Command* command : commands())
        if (isRecorded(*command)) {
            ++count;
            EXPECT_NE(layer::findDeviceEntryPoint(command->name()), nullptr) << command->name();
        }
    EXPECT_GT(count, 250u);
}

// Begin and end are no state, though the registry says so of some: what has begun is continued by whom it belongs to.
bool isState(const Command& command)
{
    const std::string_view name = command.name();
    return command.setsState && !name.starts_with("vkCmdBegin") && !name.starts_with("vkCmdEnd") &&
           !name.starts_with("vkCmdNextSubpass");
}

// Commands that set several things, each of which a later one may replace: they come in pieces, one for each.
bool comesInPieces(std::string_view name)
{
    return (name.starts_with("vkCmdPushDescriptorSet") && name.find("Template") == name.npos) ||
           name.starts_with("vkCmdSetDescriptorBufferOffsets") || name == "vkCmdBindShadersEXT";
}

// Without a layout it stays in one piece.
constexpr std::string_view kOffsets2 = "vkCmdSetDescriptorBufferOffsets2EXT";

// Commands with a structure in which a layout is given are set again by the command without.
std::string nameBehind(const Command& command, Shape shape)
{
    static const std::map<std::string, std::string> withoutStructure = {
        {"vkCmdBindDescriptorSets2", "vkCmdBindDescriptorSets"},
        {"vkCmdBindDescriptorSets2KHR", "vkCmdBindDescriptorSets"},
        {"vkCmdPushConstants2", "vkCmdPushConstants"},
        {"vkCmdPushConstants2KHR", "vkCmdPushConstants"},
        {"vkCmdPushDescriptorSet2", "vkCmdPushDescriptorSet"},
        {"vkCmdPushDescriptorSet2KHR", "vkCmdPushDescriptorSet"},
        {"vkCmdSetDescriptorBufferOffsets2EXT", "vkCmdSetDescriptorBufferOffsetsEXT"},
        {"vkCmdBindDescriptorBufferEmbeddedSamplers2EXT", "vkCmdBindDescriptorBufferEmbeddedSamplersEXT"},
    };
    const std::string name = command.name();
    if (name == "vkCmdPushDescriptorSetKHR")
        return "vkCmdPushDescriptorSet";
    const size_t withTemplate = name.find("WithTemplate");
    if (withTemplate != name.npos && (shape != Shape::Bare || name.find('2') == name.npos))
        return "vkCmdPushDescriptorSet";
    if (withTemplate != name.npos)
        return "vkCmdPushDescriptorSet2";
    const auto found = withoutStructure.find(name);
    return found == withoutStructure.end() || shape == Shape::Bare ? name : found->second;
}

TEST_F(RecordedCommands, BehindASplit_StateAndNothingElseGivenAgain)
{
    forEach([](FakeDriver& driver, const Command& command, Shape shape, const Dispatchables& objects,
               const std::string& what) {
        FakeDriver::takeCalls();
        Arguments arguments(command, objects, shape);
        arguments.call(FakeDriver::find(command.name()));
        arguments.overwrite();
        const std::vector<Call> before = FakeDriver::takeCalls();
        driver.split(objects.commandBuffer);
        const std::vector<Call> behind = FakeDriver::takeCalls();
        ASSERT_EQ(before.size(), 1u) << what;
        const auto same = [&](const Call& call) {
            return call.command == before[0].command && call.arguments == before[0].arguments;
        };
        if (!isState(command)) {
            // What has begun goes on.
            const bool begins = std::string_view(command.name()).starts_with("vkCmdBegin");
            EXPECT_TRUE(begins || std::ranges::none_of(behind, same)) << what << textOf(behind);
            return;
        }
        const std::string name = nameBehind(command, shape);
        const bool isWhole = shape == Shape::Single || !comesInPieces(command.name()) ||
                             (shape == Shape::Bare && std::string_view(command.name()) == kOffsets2);
        const ptrdiff_t pieces = isWhole ? 1 : 2;
        EXPECT_EQ(std::ranges::count(behind, name, &Call::command), pieces) << what << textOf(behind);
        if (pieces == 1 && name == command.name())
            EXPECT_EQ(std::ranges::count_if(behind, same), 1) << what << "\n" << before[0].arguments;
        for (const Call& call : behind)
            EXPECT_TRUE(call.command != name || call.target == FakeDriver::of(objects.commandBuffer).current) << what;
    });
}

// By their names, not by the layer's tables.
bool readsWhatIsBound(std::string_view name)
{
    return name.starts_with("vkCmdDraw") || name.starts_with("vkCmdDispatch") || name.starts_with("vkCmdTraceRays") ||
           name.starts_with("vkCmdSubpassShading") || name.find("GeneratedCommands") != name.npos;
}

// Behind a command of the layer's that has bound its own.
TEST_F(RecordedCommands, WhatReadsWhatIsBound_FindsTheApplicationsAgain_AndNothingElseBindsIt)
{
    forEach(
        [](FakeDriver&, const Command& command, Shape shape, const Dispatchables& objects, const std::string& what) {
            const VkCommandBuffer cmd = objects.commandBuffer;
            const uint32_t pushed = 7;
            FakeDriver::get<PFN_vkCmdPushConstants>("vkCmdPushConstants")(cmd, VK_NULL_HANDLE, VK_SHADER_STAGE_ALL, 0,
                                                                          4, &pushed);
            layer::CommandBuffer& known = FakeDriver::of(cmd);
            known.lent.lend(known.current, VK_PIPELINE_BIND_POINT_GRAPHICS);
            FakeDriver::takeCalls();
            Arguments(command, objects, shape).call(FakeDriver::find(command.name()));
            const std::vector<Call> got = FakeDriver::takeCalls();
            const bool isSettled = got.size() == 2 && got[0].command == "vkCmdPushConstants";
            EXPECT_EQ(isSettled, readsWhatIsBound(command.name())) << what << textOf(got);
            EXPECT_EQ(known.lent.isLent(), !isSettled) << what;
            EXPECT_EQ(got.size(), isSettled ? 2u : 1u) << what << textOf(got);
        });
}

// Commands that are no business of the driver's, or not as they are, and where that is tested.
bool isAnswered(const std::string& name)
{
    static const std::set<std::string> names = {
        // With the layer around the driver in every test.
        "vkCreateInstance",
        "vkDestroyInstance",
        "vkCreateDevice",
        "vkDestroyDevice",
        // The layer's own are in the lists: extensions_test.cpp.
        "vkEnumerateInstanceExtensionProperties",
        "vkEnumerateInstanceLayerProperties",
        "vkEnumerateDeviceExtensionProperties",
        "vkEnumerateDeviceLayerProperties",
        "vkGetPhysicalDeviceToolProperties",
        "vkGetPhysicalDeviceToolPropertiesEXT",
    };
    return names.contains(name);
}

// Cuts one out: a number with a comma behind it, what is in brackets, or null.
std::string withoutParameter(std::string arguments, const std::string& name)
{
    const size_t begin = arguments.find(' ' + name + '=');
    if (begin == arguments.npos)
        return arguments;
    size_t end = begin + name.size() + 2;
    if (arguments[end] == '[')
        end = arguments.find(']', end) + 1;
    else
        end = arguments.find_first_of(",}[ ", end);
    return arguments.erase(begin, end - begin);
}

// What of a call need not be equal.
std::string withoutOwn(const std::string& command, std::string arguments)
{
    // Pipelines are made in a cache on threads of the layer's, so it has callbacks of the layer's.
    if (command.ends_with("PipelineCache"))
        arguments = withoutParameter(std::move(arguments), "pAllocator");
    // Waits come in slices, since the device may be lost meanwhile.
    if (command.starts_with("vkWait"))
        arguments = withoutParameter(std::move(arguments), "timeout");
    return arguments;
}

class OtherCommands : public testing::Test {
protected:
    static bool takesQueue(const Command& command)
    {
        return std::string_view(command.arguments.members[0].typeName) == "VkQueue";
    }

    // Where the layer is, and where it is not. False if it is in neither.
    static bool compare(const Command& command, Shape shape, uint32_t family, uint32_t index)
    {
        FakeDriver driver;
        if (!driver.isIntercepted(command.name()))
            return false;
        const std::string what = describe(command, shape, Place::Outside) + ", queue " + std::to_string(family) + "," +
                                 std::to_string(index);
        Dispatchables objects = objectsOf(driver, driver.begin(), driver.begin());
        objects.queue = driver.queue(family, index);
        FakeDriver::forget(command.name());
        const Direct direct(command, objects, shape, 0);
        FakeDriver::forget(command.name());
        const Arguments arguments(command, objects, shape, 0);
        arguments.call(FakeDriver::find(command.name()));
        std::vector<Call> got = FakeDriver::takeAllCalls();
        EXPECT_EQ(textOfOutputs(comparable(command), arguments.data()), direct.memory) << what;
        Call wanted = direct.calls.at(0);
        for (Call& call : got)
            call.arguments = withoutOwn(call.command, call.arguments);
        wanted.arguments = withoutOwn(wanted.command, wanted.arguments);
        // Beside the application's layout there is one for nodes.
        if (wanted.command == "vkCreatePipelineLayout" && got.size() == 2)
            got.pop_back();
        expectSame(got, wanted, command, VK_NULL_HANDLE, what);
        return true;
    }
};

// All that do not record: of devices, queues, and instances.
TEST_F(OtherCommands, OnEachQueue_DriverCalledAsWithoutTheLayer)
{
    size_t count = 0;
    for (const Command* command : commands()) {
        if (isRecorded(*command) || isAnswered(command->name()))
            continue;
        const bool hasQueue = takesQueue(*command);
        for (Shape shape : kShapes)
            for (uint32_t family = 0; family < (hasQueue ? FakeDriver::kFamilyCount : 1); ++family)
                for (uint32_t index = 0; index < (hasQueue ? FakeDriver::kQueueCount : 1); ++index)
                    count += compare(*command, shape, family, index);
    }
    EXPECT_GT(count, 300u);
}

// While work is held, what comes behind it is kept: the driver gets it later, when the application's memory is
// something else.
class BehindHeldWork : public testing::TestWithParam<const char*> {
protected:
    FakeDriver driver;
    Dispatchables objects = objectsOf(driver, driver.begin(), driver.begin());
};

TEST_P(BehindHeldWork, OnEachQueue_DriverCalledAsWithoutTheLayer)
{
    const auto found = std::ranges::find(commands(), std::string_view(GetParam()), &Command::name);
    const Command& command = **found;
    for (Shape shape : kShapes) {
        for (uint32_t family = 0; family < FakeDriver::kFamilyCount; ++family) {
            objects.queue = driver.queue(family, 1);
            const Direct direct(command, objects, shape, 0);
            layer::Queue& queue = *driver.device().queues.find(layer::handleId(objects.queue));
            std::promise<void> waits;
            queue.enqueue(
                [&] {
                    waits.get_future().wait();
                    return VK_SUCCESS;
                },
                {}, VK_NULL_HANDLE);
            Arguments arguments(command, objects, shape, 0);
            EXPECT_EQ(arguments.call(FakeDriver::find(command.name())), uint64_t{VK_SUCCESS});
            arguments.overwrite();
            EXPECT_EQ(FakeDriver::takeAllCalls().size(), 0u);
            waits.set_value();
            queue.drain();
            expectSame(FakeDriver::takeAllCalls(), direct.calls.at(0), command, VK_NULL_HANDLE,
                       describe(command, shape, Place::Outside));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Commands, BehindHeldWork,
                         testing::Values("vkQueueSubmit2", "vkQueueSubmit2KHR", "vkQueueBindSparse"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace

}  // namespace millrace::layertest
