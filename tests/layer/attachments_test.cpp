// SPDX-License-Identifier: Apache-2.0
// Attachments of rendering instances that are interrupted: what the driver begins, what it goes on with, and what the
// application hears of those that cannot keep what is drawn.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "layer/fake_driver.h"
#include "layer/loader/device.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layertest {

namespace {

constexpr auto kNone = VK_ATTACHMENT_LOAD_OP_NONE;
constexpr auto kLoad = VK_ATTACHMENT_LOAD_OP_LOAD;
constexpr auto kClear = VK_ATTACHMENT_LOAD_OP_CLEAR;
constexpr auto kStoreNone = VK_ATTACHMENT_STORE_OP_NONE;
constexpr auto kStore = VK_ATTACHMENT_STORE_OP_STORE;

struct Operations {
    VkAttachmentLoadOp load;
    VkAttachmentStoreOp store;
};

VkRenderingAttachmentInfo attachment(const Operations& operations, VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL)
{
    VkRenderingAttachmentInfo info{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    info.imageView = fakeHandle<VkImageView>(5);
    info.imageLayout = layout;
    info.loadOp = operations.load;
    info.storeOp = operations.store;
    return info;
}

// The numbers that arguments have behind a name, in order.
std::vector<uint64_t> numbersOf(const Call& call, const std::string& name)
{
    std::vector<uint64_t> numbers;
    const std::string text = name + "=";
    for (size_t at = call.arguments.find(text); at != std::string::npos; at = call.arguments.find(text, at + 1))
        numbers.push_back(std::stoull(call.arguments.substr(at + text.size()), nullptr, 16));
    return numbers;
}

VKAPI_ATTR VkBool32 VKAPI_CALL note(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                    const VkDebugUtilsMessengerCallbackDataEXT* data, void* user)
{
    static_cast<std::vector<std::string>*>(user)->push_back(std::string(data->pMessageIdName) + ": " + data->pMessage);
    return VK_FALSE;
}

class Attachments : public testing::Test {
protected:
    Attachments()
    {
        VkDebugUtilsMessengerCreateInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
        info.messageSeverity =
            VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT;
        info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
        info.pfnUserCallback = note;
        info.pUserData = &messages;
        driver.instance().messages.add(messenger, info);
    }
    ~Attachments() override { driver.instance().messages.remove(messenger); }

    // The operations of color attachments, depth and stencil in the calls that begin the instance, in which a division
    // comes.
    std::vector<std::vector<uint64_t>> divide(const std::vector<VkRenderingAttachmentInfo>& colors,
                                              const VkRenderingAttachmentInfo* depth = nullptr,
                                              const VkRenderingAttachmentInfo* stencil = nullptr)
    {
        VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
        info.colorAttachmentCount = static_cast<uint32_t>(colors.size());
        info.pColorAttachments = colors.data();
        info.pDepthAttachment = depth;
        info.pStencilAttachment = stencil;
        FakeDriver::takeCalls();
        FakeDriver::get<PFN_vkCmdBeginRendering>("vkCmdBeginRendering")(cmd, &info);
        driver.split(cmd);
        FakeDriver::get<PFN_vkCmdEndRendering>("vkCmdEndRendering")(cmd);
        std::vector<std::vector<uint64_t>> begun;
        for (const Call& call : FakeDriver::takeCalls())
            if (call.command == "vkCmdBeginRendering") {
                begun.push_back(numbersOf(call, "loadOp"));
                begun.push_back(numbersOf(call, "storeOp"));
            }
        return begun;
    }
    std::vector<std::string> takeMessages() { return std::exchange(messages, {}); }

    std::vector<std::string> messages;
    const VkDebugUtilsMessengerEXT messenger = fakeHandle<VkDebugUtilsMessengerEXT>(3);
    FakeDriver driver;
    VkCommandBuffer cmd = driver.begin();
};

using Begun = std::vector<std::vector<uint64_t>>;  // load and store operations, then those with which it goes on

TEST_F(Attachments, LeftAloneBesideOthers_OnlyThoseAreToldAndTheOthersAreKept)
{
    const std::vector<VkRenderingAttachmentInfo> colors = {attachment({kClear, kStoreNone}),
                                                           attachment({kNone, kStoreNone}), attachment({kNone, kStore}),
                                                           attachment({kLoad, kStoreNone})};
    EXPECT_EQ(divide(colors), (Begun{{kClear, kNone, kNone, kLoad},
                                     {kStore, kStoreNone, kStore, kStore},
                                     {kLoad, kNone, kLoad, kLoad},
                                     {kStore, kStoreNone, kStore, kStore}}));
    const std::vector<std::string> told = takeMessages();
    ASSERT_EQ(told.size(), 1u);
    EXPECT_TRUE(told[0].starts_with("Millrace-attachment-not-kept")) << told[0];
    EXPECT_NE(told[0].find(": color attachment 1."), std::string::npos) << told[0];
    // Once in a recording.
    divide(colors);
    EXPECT_EQ(takeMessages().size(), 0u);
}

TEST_F(Attachments, DepthAndStencilLeftAlone_ToldByTheirNames)
{
    const VkRenderingAttachmentInfo both = attachment({kNone, kStoreNone});
    divide({attachment({kLoad, kStore})}, &both, &both);
    const std::vector<std::string> told = takeMessages();
    ASSERT_EQ(told.size(), 1u);
    EXPECT_NE(told[0].find(": the depth attachment, the stencil attachment."), std::string::npos) << told[0];
}

TEST_F(Attachments, NothingThatLoses_NothingTold)
{
    VkRenderingAttachmentInfo unused = attachment({kNone, kStoreNone});
    unused.imageView = VK_NULL_HANDLE;
    const VkRenderingAttachmentInfo read =
        attachment({kNone, kStoreNone}, VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL);
    divide({attachment({kLoad, kStoreNone}), unused}, &read, &read);
    EXPECT_EQ(takeMessages().size(), 0u);
}

// Nobody may write to the aspect that is read, as by storing it.
TEST_F(Attachments, OneAspectReadOnly_OnlyTheOtherIsStored)
{
    constexpr VkImageLayout kDepthRead = VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL;
    constexpr VkImageLayout kStencilRead = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL;
    const VkRenderingAttachmentInfo depthRead = attachment({kLoad, kStoreNone}, kDepthRead);
    const VkRenderingAttachmentInfo stencilRead = attachment({kLoad, kStoreNone}, kStencilRead);
    EXPECT_EQ(divide({}, &depthRead, &depthRead)[1], (std::vector<uint64_t>{kStoreNone, kStore}));
    EXPECT_EQ(divide({}, &stencilRead, &stencilRead)[1], (std::vector<uint64_t>{kStore, kStoreNone}));
}

TEST_F(Attachments, ReadOnlyButCleared_Stored)
{
    const VkRenderingAttachmentInfo cleared =
        attachment({kClear, kStoreNone}, VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL);
    EXPECT_EQ(divide({}, &cleared), (Begun{{kClear}, {kStore}, {kLoad}, {kStore}}));
}

// Nothing is lost where nothing is interrupted.
TEST_F(Attachments, InstanceThatIsNotInterrupted_NothingTold)
{
    const VkRenderingAttachmentInfo color = attachment({kNone, kStoreNone});
    VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
    info.colorAttachmentCount = 1;
    info.pColorAttachments = &color;
    FakeDriver::get<PFN_vkCmdBeginRendering>("vkCmdBeginRendering")(cmd, &info);
    FakeDriver::get<PFN_vkCmdEndRendering>("vkCmdEndRendering")(cmd);
    EXPECT_EQ(takeMessages().size(), 0u);
}

}  // namespace

}  // namespace millrace::layertest
