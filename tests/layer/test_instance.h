// SPDX-License-Identifier: Apache-2.0
// An instance with our layer on top and the validation layer below it, and everything that either of them says.
#pragma once

#include <vulkan/vulkan.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace millrace::layertest {

struct InstanceOptions {
    bool emulation = true;  // our layer
    bool debugUtils = true;
    bool recorder = false;  // the recorder layer (recorder.h) below ours
    bool driver = false;    // the layer that changes the driver (driver_layer.cpp) below ours
    bool tomorrow = false;  // the layer with an extension that no header has (tomorrow.h) below ours
    bool info = false;      // our messages that inform
    bool spy = true;        // the spy, if it is installed: not where what the layer provides is left to the driver
    // Of the messenger.
    VkDebugUtilsMessageTypeFlagsEXT types =
        VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
    bool chained = false;                         // the messenger is given to vkCreateInstance as well
    std::map<std::string, std::string> settings;  // of our layer: switches, numbers, words
    uint32_t apiVersion = VK_API_VERSION_1_3;
    const VkAllocationCallbacks* allocator = nullptr;  // devices that are given none have it
};

struct Message {
    std::string id;
    std::string text;
    VkDebugUtilsMessageTypeFlagsEXT type;
};

class TestInstance {
public:
    explicit TestInstance(const InstanceOptions& options = {});
    ~TestInstance();
    TestInstance(const TestInstance&) = delete;
    TestInstance& operator=(const TestInstance&) = delete;

    VkInstance handle = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;

    // All since the last call. Those never taken fail the test when the instance is destroyed.
    std::vector<Message> takeMessages();
    // Fails unless there is exactly one message and it has this identifier.
    void expectMessage(const std::string& id);
    void add(Message message);

    template <typename Function>
    Function get(const char* name) const
    {
        return reinterpret_cast<Function>(vkGetInstanceProcAddr(handle, name));
    }

private:
    const VkAllocationCallbacks* m_allocator;
    VkDebugUtilsMessengerEXT m_messenger = VK_NULL_HANDLE;
    std::mutex m_mutex;
    std::vector<Message> m_messages;
};

inline constexpr char kEmulation[] = "VK_LAYER_MILLRACE_emulation";
inline constexpr char kSpy[] = "VK_LAYER_MILLRACE_test_spy";          // below the layer under test, if it is installed
inline constexpr char kDriver[] = "VK_LAYER_MILLRACE_test_driver";    // changes what the driver says
inline constexpr char kShuffle[] = "VK_LAYER_MILLRACE_test_shuffle";  // MILLRACE_TEST_SHUFFLE (tests/shuffle)
inline constexpr char kPipelines[] =
    "VK_LAYER_MILLRACE_test_record";  // MILLRACE_TEST_PIPELINES (tests/drivers/offline)
inline constexpr char kDeviceFile[] = "VK_LAYER_MILLRACE_test_device";  // MILLRACE_TEST_DEVICE_FILE (tests/drivers)
inline constexpr char kValidation[] = "VK_LAYER_KHRONOS_validation";

bool spyInstalled();
std::vector<VkExtensionProperties> deviceExtensions(VkPhysicalDevice physical, const char* layer = nullptr);
bool lists(const std::vector<VkExtensionProperties>& extensions, const char* name);

}  // namespace millrace::layertest
