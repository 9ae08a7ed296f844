// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/recorded_commands.h"

#include <algorithm>
#include <map>
#include <regex>

#include "layer/commands/text.h"
#include "layer/loader/entry_points.h"
#include "layer/loader/instance.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layertest {

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

Direct::Direct(const Command& command, const Dispatchables& objects, Shape shape, uint32_t number)
{
    const Arguments arguments(command, objects, shape, number);
    FakeDriver::takeAllCalls();
    arguments.call(command.driver);
    calls = FakeDriver::takeAllCalls();
    memory = textOfOutputs(comparable(command), arguments.data());
}

namespace {

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

}  // namespace

Dispatchables objectsOf(const FakeDriver& driver, VkCommandBuffer commandBuffer, VkCommandBuffer other)
{
    return {driver.instanceHandle(), driver.physical(), driver.handle(), driver.queue(), commandBuffer, other,
            pushTemplateOf(driver)};
}

bool isAllowed(const Command& command, Place place)
{
    return place == Place::InRendering ? command.insideRendering : command.outsideRendering;
}

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
    constexpr const char* kShapeNames[] = {", full", ", single", ", bare", ", tomorrow"};
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

ToldOfUnknown::ToldOfUnknown(const FakeDriver& driver, std::function<void()> then)
    : m_driver(driver), m_then(std::move(then))
{
    VkDebugUtilsMessengerCreateInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    info.messageSeverity =
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
    info.pfnUserCallback = callBack;
    info.pUserData = this;
    m_driver.instance().messages.add(fakeHandle<VkDebugUtilsMessengerEXT>(1), info);
}

ToldOfUnknown::~ToldOfUnknown()
{
    m_driver.instance().messages.remove(fakeHandle<VkDebugUtilsMessengerEXT>(1));
}

bool ToldOfUnknown::has(const Command& command) const
{
    const std::lock_guard lock(m_mutex);
    return std::ranges::any_of(m_commands, [name = std::string_view(command.name())](const std::string& told) {
        return name.starts_with(told);
    });
}

// Its text begins with the command, and a colon.
VkBool32 ToldOfUnknown::callBack(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                 const VkDebugUtilsMessengerCallbackDataEXT* data, void* user)
{
    auto& self = *static_cast<ToldOfUnknown*>(user);
    if (data->pMessageIdName != std::string_view("Millrace-unknown-structure"))
        return VK_FALSE;
    const std::string_view text = data->pMessage;
    {
        const std::lock_guard lock(self.m_mutex);
        self.m_commands.emplace(text.substr(0, text.find(':')));
    }
    if (self.m_then)
        self.m_then();
    return VK_FALSE;
}

std::string withoutUnknown(const std::string& arguments)
{
    static const std::regex unknown("unknown [0-9]+ -> ");
    return std::regex_replace(arguments, unknown, "");
}

bool isCallOf(const Call& call, const Command& command)
{
    return call.command == command.name() || (command.promoted && call.command == command.promoted);
}

void expectSame(const std::vector<Call>& got, const Call& wanted, const Command& command, VkCommandBuffer target,
                const std::string& what)
{
    ASSERT_EQ(got.size(), 1u) << what << textOf(got);
    EXPECT_TRUE(isCallOf(got[0], command)) << what;
    EXPECT_EQ(got[0].target, target) << what;
    EXPECT_EQ(got[0].arguments, wanted.arguments) << what << firstDifference(got[0].arguments, wanted.arguments);
}

bool isState(const Command& command)
{
    const std::string_view name = command.name();
    return command.setsState && !name.starts_with("vkCmdBegin") && !name.starts_with("vkCmdEnd") &&
           !name.starts_with("vkCmdNextSubpass");
}

bool readsWhatIsBound(std::string_view name)
{
    return name.starts_with("vkCmdDraw") || name.starts_with("vkCmdDispatch") || name.starts_with("vkCmdTraceRays") ||
           name.starts_with("vkCmdSubpassShading") || name.find("GeneratedCommands") != name.npos;
}

void RecordedCommands::compare(const Command& command, Shape shape, const Dispatchables& objects, uint32_t number,
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

namespace {

// Commands that set several things, each of which a later one may replace: they come in pieces, one for each.
bool comesInPieces(std::string_view name)
{
    return (name.starts_with("vkCmdPushDescriptorSet") && name.find("Template") == name.npos) ||
           name.starts_with("vkCmdSetDescriptorBufferOffsets") || name == "vkCmdBindShadersEXT";
}

// Without a layout it stays in one piece.
constexpr std::string_view kOffsets2 = "vkCmdSetDescriptorBufferOffsets2EXT";

// The extension's, where the driver lacks what it was promoted to.
std::string knownToDriver(const std::string& name)
{
    if (FakeDriver::version() == Version::All)
        return name;
    const auto found = std::ranges::find(commands(), std::string_view(name), &Command::name);
    return found != commands().end() && (*found)->isOfVulkan14 ? name + "KHR" : name;
}

// Commands with a structure in which a layout is given are set again by the command without.
std::string nameBehindOf(const Command& command, Shape shape)
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

std::string nameBehind(const Command& command, Shape shape)
{
    return knownToDriver(nameBehindOf(command, shape));
}

// Each time these are all that are bound, so that only the last one counts. The layer binds them for graphs as well.
constexpr std::string_view kDescriptorBuffers = "vkCmdBindDescriptorBuffersEXT";

// Of what `commandBuffer` got, what is behind the last that ran.
std::vector<Call> behindLastDispatch(const std::vector<Call>& calls, VkCommandBuffer commandBuffer)
{
    std::vector<Call> out;
    for (const Call& call : calls) {
        if (call.target != commandBuffer)
            continue;
        if (call.command.starts_with("vkCmdDispatch"))
            out.clear();
        if (call.command == kDescriptorBuffers)
            std::erase_if(out, [](const Call& earlier) { return earlier.command == kDescriptorBuffers; });
        if (!call.command.starts_with("vkCmdDispatch"))
            out.push_back(call);
    }
    return out;
}

}  // namespace

bool RecordedCommands::expectStateGivenAgain(const Command& command, Shape shape, const Dispatchables& objects,
                                             const std::string& what, const std::function<void()>& goOn)
{
    FakeDriver::takeCalls();
    Arguments arguments(command, objects, shape);
    arguments.call(FakeDriver::find(command.name()));
    arguments.overwrite();
    const std::vector<Call> before = FakeDriver::takeCalls();
    goOn();
    const std::vector<Call> behind = FakeDriver::takeCalls();
    EXPECT_EQ(before.size(), 1u) << what;
    if (before.size() != 1)
        return true;
    const std::string kept = withoutUnknown(before[0].arguments);
    const auto same = [&](const Call& call) { return call.command == before[0].command && call.arguments == kept; };
    if (!isState(command)) {
        // What has begun goes on.
        const bool begins = std::string_view(command.name()).starts_with("vkCmdBegin");
        EXPECT_TRUE(begins || std::ranges::none_of(behind, same)) << what << textOf(behind);
        return true;
    }
    const std::string name = nameBehind(command, shape);
    const bool isWhole = shape == Shape::Single || !comesInPieces(command.name()) ||
                         (shape == Shape::Bare && std::string_view(command.name()) == kOffsets2);
    const ptrdiff_t pieces = isWhole ? 1 : 2;
    const std::vector<Call> again = behindLastDispatch(behind, FakeDriver::of(objects.commandBuffer).current);
    EXPECT_EQ(std::ranges::count(again, name, &Call::command), pieces) << what << textOf(behind);
    if (pieces == 1 && name == command.name())
        EXPECT_EQ(std::ranges::count_if(again, same), 1) << what << "\n" << kept;
    return kept == before[0].arguments;
}

}  // namespace millrace::layertest
