// SPDX-License-Identifier: Apache-2.0
// What the layer tells the application: through its debug messengers, or to stderr if it has none.
#pragma once

#include <vulkan/vulkan.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "layer/base/registry.h"

namespace millrace::layer {

struct ObjectReference {
    VkObjectType type = VK_OBJECT_TYPE_UNKNOWN;
    uint64_t handle = 0;
    std::string name;
};

template <typename Handle>
ObjectReference objectReference(VkObjectType type, Handle handle, std::string name = {})
{
    return {type, handleId(handle), std::move(name)};
}

// What an application should do that uses graphs without having asked for them.
inline constexpr char kEnableFeature[] =
    "Enable VkPhysicalDeviceShaderEnqueueFeaturesAMDX::shaderEnqueue when the device is created";

// About shaders that cannot be lowered.
inline constexpr char kSeeLowerCommand[] =
    "Correct the shader; 'millrace lower' says the same for a module file, and spirv-val checks it";

// The messengers of one instance. Thread-safe.
class Messages {
public:
    // Messengers that are given to vkCreateInstance, for the time of the call.
    void addChained(const void* chain);
    void removeChained() { remove(VK_NULL_HANDLE); }
    void add(VkDebugUtilsMessengerEXT messenger, const VkDebugUtilsMessengerCreateInfoEXT& createInfo);
    // When it returns no other thread is in the messenger's callback, nor will be: threads of the layer's send as well,
    // and the application cannot know when. Inside of a callback it does not wait.
    void remove(VkDebugUtilsMessengerEXT messenger);

    // `id` is a VUID or a name of ours such as "Millrace-graph-error". `text` says what is wrong, `advice` what to do
    // about it; neither ends with a full stop.
    void error(const char* id, const ObjectReference& object, const std::string& text, std::string_view advice) const;
    void warning(const char* id, const ObjectReference& object, const std::string& text, std::string_view advice) const;
    // Only for those who ask for it: never to stderr.
    void info(const char* id, const ObjectReference& object, const std::string& text, std::string_view advice) const;
    // A rule of the specification that the application broke (setting "validate").
    void validation(const char* vuid, const ObjectReference& object, const std::string& text,
                    std::string_view advice) const;

private:
    struct Messenger {
        VkDebugUtilsMessengerEXT handle;
        VkDebugUtilsMessageSeverityFlagsEXT severities;
        VkDebugUtilsMessageTypeFlagsEXT types;
        PFN_vkDebugUtilsMessengerCallbackEXT callback;
        void* userData;
        bool isRemoved = false;
        uint32_t calls = 0;  // of the callback that have not returned
    };

    void send(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT type, const char* id,
              const ObjectReference& object, std::string text, std::string_view advice) const;
    // False if the messenger does not want the message, or was removed.
    bool call(Messenger& messenger, VkDebugUtilsMessageSeverityFlagBitsEXT severity,
              VkDebugUtilsMessageTypeFlagsEXT type, const VkDebugUtilsMessengerCallbackDataEXT& data) const;

    mutable std::mutex m_mutex;
    mutable std::condition_variable m_returned;  // from a callback
    std::vector<std::shared_ptr<Messenger>> m_messengers;
};

}  // namespace millrace::layer
