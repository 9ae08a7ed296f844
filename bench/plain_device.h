// SPDX-License-Identifier: Apache-2.0
// A Vulkan device without layers, which compiles compute shaders and remembers nothing.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <span>
#include <string>

namespace millrace::bench {

class PlainDevice {
public:
    // The first device whose name contains `name`, with all features that it has. Throws std::runtime_error if there is
    // none.
    explicit PlainDevice(const std::string& name);
    ~PlainDevice();
    PlainDevice(const PlainDevice&) = delete;

    const std::string& name() const { return m_name; }

    // Creates a pipeline from a compute shader with entry point "main", without a cache, and destroys it. Returns the
    // milliseconds that the driver took for shader module and pipeline. Throws std::runtime_error if it fails.
    double compile(std::span<const uint32_t> words) const;

private:
    void choosePhysicalDevice(const std::string& name);
    void createDevice();

    std::string m_name;
    VkInstance m_instance = VK_NULL_HANDLE;
    VkPhysicalDevice m_physical = VK_NULL_HANDLE;
    VkDevice m_device = VK_NULL_HANDLE;
};

}  // namespace millrace::bench
