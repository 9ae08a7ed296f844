// SPDX-License-Identifier: Apache-2.0
// A Vulkan instance with Millrace's layer, found beside the tool or installed, and what the layers say.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tools/vulkan/loader.h"

namespace millrace::tools::run {

inline constexpr char kValidationName[] = "VK_LAYER_KHRONOS_validation";

// Something with Vulkan or the device, not with the user's files.
class DeviceError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Throws DeviceError with the call's name unless it succeeded.
void check(VkResult result, const char* call);

struct Message {
    bool isError = false;
    std::string id;
    std::string text;
};

class Instance {
public:
    // With `validate`, the validation layer is below Millrace's, and that checks the extension's valid usage. Throws
    // DeviceError.
    explicit Instance(bool validate);
    ~Instance();
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    VkInstance handle() const { return m_instance; }
    const VkuInstanceDispatchTable& vk() const { return m_vk; }
    PFN_vkGetInstanceProcAddr getProcAddr() const { return m_loader->getInstanceProcAddr(); }
    bool hasLayer() const { return m_hasLayer; }

    // What layers and driver have said so far, each text once. It is on standard error already: each message goes there
    // as it comes, since a graph that hangs has no end.
    std::vector<Message> messages() const;

private:
    static VKAPI_ATTR VkBool32 VKAPI_CALL onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                    VkDebugUtilsMessageTypeFlagsEXT type,
                                                    const VkDebugUtilsMessengerCallbackDataEXT* data, void* instance);
    void create(bool validate);

    std::optional<Loader> m_loader;
    VkInstance m_instance = VK_NULL_HANDLE;
    VkuInstanceDispatchTable m_vk{};
    VkDebugUtilsMessengerEXT m_messenger = VK_NULL_HANDLE;
    bool m_hasLayer = false;
    mutable std::mutex m_mutex;
    std::vector<Message> m_messages;
};

}  // namespace millrace::tools::run
