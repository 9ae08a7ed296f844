// SPDX-License-Identifier: Apache-2.0
// Messengers that are destroyed while threads call them that the application knows nothing of.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "layer/base/messages.h"
#include "layer/fake_driver.h"
#include "layer/loader/instance.h"

namespace millrace::layer {

namespace {

const auto kFirst = reinterpret_cast<VkDebugUtilsMessengerEXT>(uintptr_t{1});
const auto kSecond = reinterpret_cast<VkDebugUtilsMessengerEXT>(uintptr_t{2});

VKAPI_ATTR VkBool32 VKAPI_CALL callBack(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                        const VkDebugUtilsMessengerCallbackDataEXT*, void* user)
{
    (*static_cast<std::function<void()>*>(user))();
    return VK_FALSE;
}

void add(Messages& messages, VkDebugUtilsMessengerEXT messenger, std::function<void()>& action)
{
    VkDebugUtilsMessengerCreateInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
    info.pfnUserCallback = callBack;
    info.pUserData = &action;
    messages.add(messenger, info);
}

void send(const Messages& messages)
{
    messages.error("Millrace-test", {}, "something is wrong", "Do something else");
}

// What the callback uses is gone as soon as the messenger is.
TEST(Messenger, RemovedWhileAnotherThreadCallsIt_WaitsForTheCall)
{
    Messages messages;
    std::promise<void> called;
    std::atomic<bool> isGone{false}, wasGone{false};
    std::function<void()> action = [&] {
        called.set_value();
        for (int i = 0; i < 100 && !isGone; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        wasGone = isGone.load();
    };
    add(messages, kFirst, action);
    std::thread sender([&] { send(messages); });
    called.get_future().wait();
    messages.remove(kFirst);
    isGone = true;
    sender.join();
    EXPECT_FALSE(wasGone);
}

TEST(Messenger, RemovedByItsOwnCallback_DoesNotWaitForItself)
{
    Messages messages;
    int calls = 0;
    std::function<void()> action = [&] {
        ++calls;
        messages.remove(kFirst);
    };
    add(messages, kFirst, action);
    send(messages);
    EXPECT_EQ(calls, 1);
}

TEST(Messenger, RemovedByTheCallbackBefore_NotCalled)
{
    Messages messages;
    int calls = 0;
    std::function<void()> first = [&] { messages.remove(kSecond); };
    std::function<void()> second = [&] { ++calls; };
    add(messages, kFirst, first);
    add(messages, kSecond, second);
    send(messages);
    EXPECT_EQ(calls, 0);
}

VKAPI_ATTR VkBool32 VKAPI_CALL keep(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                    const VkDebugUtilsMessengerCallbackDataEXT* data, void* user)
{
    static_cast<std::vector<std::string>*>(user)->push_back(data->pMessage);
    return VK_FALSE;
}

VKAPI_ATTR void VKAPI_CALL getOldProperties(VkPhysicalDevice, VkPhysicalDeviceProperties* out)
{
    *out = {};
    out->apiVersion = VK_MAKE_API_VERSION(0, 1, 2, 203);
    std::strcpy(out->deviceName, "old GPU");
}

// Without graphs its devices look as if the layer were not there.
TEST(Messenger, DriverOlderThanGraphsNeed_NamedOnce)
{
    layertest::FakeDriver driver;
    driver.instance().table.GetPhysicalDeviceProperties = getOldProperties;
    std::vector<std::string> texts;
    VkDebugUtilsMessengerCreateInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT;
    info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
    info.pfnUserCallback = keep;
    info.pUserData = &texts;
    driver.instance().messages.add(kFirst, info);
    void* object[] = {*reinterpret_cast<void**>(driver.physical())};
    const auto another = reinterpret_cast<VkPhysicalDevice>(object);
    for (int i = 0; i < 2; ++i)
        EXPECT_FALSE(driver.instance().support(another).emulated);
    driver.instance().messages.remove(kFirst);
    ASSERT_EQ(texts.size(), 1u);
    EXPECT_NE(texts[0].find("the driver of old GPU has 1.2.203"), std::string::npos) << texts[0];
}

}  // namespace

}  // namespace millrace::layer
