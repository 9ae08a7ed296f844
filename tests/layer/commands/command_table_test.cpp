// SPDX-License-Identifier: Apache-2.0
// Every command that the layer intercepts, called through it and without it: the driver must not see a difference,
// neither in arguments nor in what they lead to, and the application none in what comes back.
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "layer/commands/recorded_commands.h"
#include "layer/commands/text.h"
#include "layer/loader/entry_points.h"
#include "layer/recording/command_buffer.h"
#include "layer/submission/held_work.h"
#include "layer/submission/queue.h"

namespace millrace::layertest {

namespace {

// What lies between commands: a division of the command buffer alone, or a graph, of which each step may be a
// submission of its own.
enum class Boundary { Division, GraphThatFits, GraphThatMayBeContinued, Steps };

class Boundaries : public RecordedCommands, public testing::WithParamInterface<Boundary> {
protected:
    // True if there is one: in a scope that a command has opened there may be no graph, and secondaries undo what was
    // bound.
    static bool isPossibleBehind(const Command& command)
    {
        const std::string_view name = command.name();
        return !name.starts_with("vkCmdBegin") && name != "vkCmdExecuteCommands";
    }

    static std::vector<VkLayerSettingEXT> settings()
    {
        if (GetParam() == Boundary::Steps)
            return {switchedOn("step_by_step")};
        return {};
    }

    static void cross(FakeDriver& driver, VkCommandBuffer cmd)
    {
        if (GetParam() == Boundary::Division)
            driver.split(cmd);
        else
            driver.dispatchGraph(cmd, GetParam() != Boundary::GraphThatMayBeContinued);
    }

    // That the layer has divided the command buffer as it should, with these calls.
    static void expectCrossed(VkCommandBuffer cmd, const std::vector<Call>& calls, const std::string& what)
    {
        using Kind = layer::Boundary::Kind;
        const auto count = [&](Kind kind) {
            return std::ranges::count(FakeDriver::of(cmd).boundaries, kind, &layer::Boundary::kind);
        };
        const bool waits = GetParam() == Boundary::Division || GetParam() == Boundary::Steps;
        EXPECT_EQ(count(Kind::Waits) > 0, waits) << what;
        EXPECT_EQ(count(Kind::Completes), GetParam() == Boundary::GraphThatMayBeContinued ? 1 : 0) << what;
        std::set<VkCommandBuffer> dispatched;
        for (const Call& call : calls)
            if (call.command.starts_with("vkCmdDispatch"))
                dispatched.insert(call.target);
        if (GetParam() == Boundary::Steps)
            EXPECT_GT(dispatched.size(), 2u) << what;
        else
            EXPECT_EQ(dispatched.empty(), GetParam() == Boundary::Division) << what;
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
                cross(driver, cmd);
                const std::vector<Call> between = FakeDriver::takeCalls();
                if (isPossibleBehind(command))
                    expectCrossed(cmd, between, what);
                compare(command, shape, objects, 1, what + ", behind");
            },
            version, settings());
    }
}

INSTANTIATE_TEST_SUITE_P(All, Boundaries,
                         testing::Values(Boundary::Division, Boundary::GraphThatFits, Boundary::GraphThatMayBeContinued,
                                         Boundary::Steps));

class Divisions : public Boundaries {};

TEST_P(Divisions, Behind_StateAndNothingElseGivenAgain)
{
    size_t losses = 0;
    for (Version version : {Version::All, Version::Vulkan13}) {
        forEach(
            [&, this](FakeDriver& driver, const Command& command, Shape shape, const Dispatchables& objects,
                      const std::string& what) {
                const bool isGraph = GetParam() != Boundary::Division;
                if (isGraph && !isPossibleBehind(command))
                    return;
                if (isGraph)
                    driver.bindGraph(objects.commandBuffer);
                const bool isWhole =
                    expectStateGivenAgain(command, shape, objects, what, [&] { cross(driver, objects.commandBuffer); });
                losses += !isWhole;
                if (isGraph)
                    EXPECT_TRUE(isWhole || isTold(command)) << what;
            },
            version, settings());
    }
    EXPECT_GT(losses, 30u);
}

INSTANTIATE_TEST_SUITE_P(All, Divisions,
                         testing::Values(Boundary::Division, Boundary::GraphThatMayBeContinued, Boundary::Steps));

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
        // Of objects that the driver does not have: generated_calls_test.cpp, late_streams_test.cpp, tests/commands.
        "vkCreateIndirectCommandsLayoutEXT",
        "vkDestroyIndirectCommandsLayoutEXT",
        "vkCreateIndirectExecutionSetEXT",
        "vkDestroyIndirectExecutionSetEXT",
        "vkUpdateIndirectExecutionSetPipelineEXT",
        "vkUpdateIndirectExecutionSetShaderEXT",
        "vkGetGeneratedCommandsMemoryRequirementsEXT",
        // On devices that are none of those here: tests/commands/streams_test.cpp,
        "vkCreateIndirectCommandsLayoutNV",
        "vkDestroyIndirectCommandsLayoutNV",
        "vkGetGeneratedCommandsMemoryRequirementsNV",
        "vkGetPipelineIndirectDeviceAddressNV",
        "vkGetPipelineIndirectMemoryRequirementsNV",
        // and extensions_test.cpp and tomorrow_test.cpp, where the layer provides VK_KHR_maintenance5.
        "vkCreateBufferView",
        "vkGetDeviceImageSubresourceLayoutKHR",
        "vkGetImageSubresourceLayout2KHR",
        "vkGetRenderingAreaGranularityKHR",
    };
    return names.contains(name);
}

constexpr Provided kDevices[] = {Provided::Graphs, Provided::GeneratedCommands, Provided::MeshShaders};

// All others are compared on at least one of the devices.
TEST(CommandTable, EveryOtherCommand_InterceptedOnSomeDeviceHere)
{
    std::set<std::string> left;
    for (const Command* command : commands()) {
        const bool isKnown =
            layer::findDeviceEntryPoint(command->name()) || layer::findInstanceEntryPoint(command->name());
        if (isKnown && !isRecorded(*command) && !isAnswered(command->name()))
            left.insert(command->name());
    }
    EXPECT_GT(left.size(), 80u);
    for (Provided provided : kDevices) {
        const FakeDriver driver(Version::All, provided);
        std::erase_if(left, [&](const std::string& name) { return driver.isIntercepted(name.c_str()); });
    }
    EXPECT_EQ(left, std::set<std::string>());
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

// And where the layer provides more than graphs: structures of what it provides are not for the driver, memory has an
// address, and shader objects are not linked.
std::string withoutProvided(const std::string& command, const std::string& text)
{
    static const std::regex structures(
        "VkPhysicalDevice(DeviceGeneratedCommands\\w*|MeshShader(Features|Properties)EXT)(\\{[^}]*\\})?( -> )?");
    static const std::regex addresses("VkMemoryAllocateFlagsInfo\\{[^}]*\\} -> ");
    static const std::regex links("flags=0[01], stage=");
    if (command == "vkCreateShadersEXT")
        return std::regex_replace(text, links, "stage=");
    return std::regex_replace(text, command == "vkAllocateMemory" ? addresses : structures, "");
}

// Properties are answers: what the driver says to more structures is not what it says to fewer.
bool hasOtherAnswers(const std::string& command)
{
    return command.starts_with("vkGetPhysicalDeviceProperties2");
}

// What the layer makes at once beside the application's object: layouts, and render passes that go on with an instance.
bool isBeside(const Call& call, const std::string& command)
{
    if (command.starts_with("vkCreateRenderPass"))
        return call.command == command;
    return call.command.ends_with("PipelineLayout") &&
           (command == "vkCreatePipelineLayout" || command == "vkCreateShadersEXT");
}

// On devices with each feature: some commands are the layer's for the sake of one alone.
class OtherCommands : public testing::TestWithParam<Provided> {
protected:
    static bool takesQueue(const Command& command)
    {
        return std::string_view(command.arguments.members[0].typeName) == "VkQueue";
    }

    // Where the layer is, and where it is not. False if it is in neither. Structures that are newer than all headers go
    // to the driver with all others.
    bool compare(const Command& command, Shape shape, uint32_t family, uint32_t index)
    {
        FakeDriver driver(Version::All, GetParam());
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
        std::string left = textOfOutputs(comparable(command), arguments.data());
        Call wanted = direct.calls.at(0);
        withUnknown += withoutUnknown(wanted.arguments) != wanted.arguments;
        for (Call& call : got)
            call.arguments = withoutOwn(call.command, call.arguments);
        wanted.arguments = withoutOwn(wanted.command, wanted.arguments);
        std::string wantedLeft = direct.memory;
        if (GetParam() != Provided::Graphs && hasOtherAnswers(wanted.command))
            left = wantedLeft;
        if (GetParam() != Provided::Graphs)
            for (std::string* text : {&left, &wantedLeft, &got.at(0).arguments, &wanted.arguments})
                *text = withoutProvided(wanted.command, *text);
        EXPECT_EQ(left, wantedLeft) << what;
        while (got.size() > 1 && isBeside(got.back(), wanted.command))
            got.pop_back();
        expectSame(got, wanted, command, VK_NULL_HANDLE, what);
        return true;
    }

    size_t withUnknown = 0;  // calls with structures that are newer than all headers
};

// All that do not record: of devices, queues, and instances.
TEST_P(OtherCommands, OnEachQueue_DriverCalledAsWithoutTheLayer)
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
    EXPECT_GT(withUnknown, 60u);
}

INSTANTIATE_TEST_SUITE_P(Devices, OtherCommands, testing::ValuesIn(kDevices));

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
            const Direct direct(command, objects, shape, family);
            layer::Queue& queue = *driver.device().queues.find(layer::handleId(objects.queue));
            std::promise<void> waits;
            queue.enqueue(
                [&] {
                    waits.get_future().wait();
                    return VK_SUCCESS;
                },
                {}, VK_NULL_HANDLE);
            Arguments arguments(command, objects, shape, family);
            const auto goOn = [&] {
                EXPECT_EQ(FakeDriver::takeAllCalls().size(), 0u);
                waits.set_value();
            };
            // What cannot be copied is told, and waited for.
            const bool isWaitedFor = shape == Shape::Tomorrow;
            const ToldOfUnknown told(driver, isWaitedFor ? goOn : std::function<void()>());
            EXPECT_EQ(arguments.call(FakeDriver::find(command.name())), uint64_t{VK_SUCCESS});
            EXPECT_EQ(told.has(command), isWaitedFor);
            arguments.overwrite();
            if (!isWaitedFor)
                goOn();
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
