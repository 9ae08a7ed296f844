// SPDX-License-Identifier: Apache-2.0
// A driver that only writes down what it is called with, and a device of the layer's above it, made without a loader.
// It has all that graphs need, memory among it, but runs nothing: whatever is waited for may be taken for done. There
// are three families of two queues each, and a spare one: for all, for compute and transfer, for transfer.
#pragma once

#include <vulkan/vulkan.h>

#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace millrace::layer {
struct CommandBuffer;
struct Device;
struct Instance;
}  // namespace millrace::layer

namespace millrace::layertest {

// A command as the driver gets it.
struct Call {
    std::string command;
    VkCommandBuffer target;
    std::string arguments;  // textOfInputs() of all but the command buffer
};

// Which functions there are.
enum class Version {
    All,       // of Vulkan and all extensions
    Vulkan13,  // none that came with Vulkan 1.4
};

// By the layer, on its device, besides what there always is: graphs. Generated commands have streams of their own where
// they have execution sets.
enum class Provided {
    Graphs,
    GeneratedCommands,
    MeshShaders,  // and generated commands
};

// Settings of the layer's: of a truth value, which is true then, and of text, which outlives the driver.
VkLayerSettingEXT switchedOn(const char* name);
VkLayerSettingEXT setTo(const char* name, const char* const& text);

// One at a time.
class FakeDriver {
public:
    static constexpr uint32_t kFamilyCount = 3;
    static constexpr uint32_t kQueueCount = 2;  // of each, that the application has
    static constexpr uint32_t kSpareQueueCount = 1;

    explicit FakeDriver(Version version = Version::All, Provided provided = Provided::Graphs,
                        const std::vector<VkLayerSettingEXT>& settings = {});
    ~FakeDriver();
    FakeDriver(const FakeDriver&) = delete;
    FakeDriver& operator=(const FakeDriver&) = delete;

    layer::Instance& instance() const;
    layer::Device& device() const;
    VkDevice handle() const { return m_device; }
    VkInstance instanceHandle() const { return m_instance; }
    VkPhysicalDevice physical() const;
    VkQueue queue(uint32_t family = 0, uint32_t index = 0) const;

    // A command buffer that records.
    VkCommandBuffer begin(VkCommandBufferUsageFlags usage = 0);
    // Divides it as a graph does that may be continued: what follows goes to another command buffer of the driver's, in
    // which the layer sets the state again.
    void split(VkCommandBuffer commandBuffer);
    // An execution graph, made when it is first asked for, that is bound to a command buffer, and dispatched there: so
    // that it fits its memory, or that it may be continued.
    void bindGraph(VkCommandBuffer commandBuffer);
    void dispatchGraph(VkCommandBuffer commandBuffer, bool fits);
    static layer::CommandBuffer& of(VkCommandBuffer commandBuffer);

    // Of the one that there is.
    static Version version();
    // What the driver's vkCreateDevice got, of an application that gives no allocation callbacks.
    static const VkAllocationCallbacks* deviceAllocator();

    // Where the layer has a function for devices like this one.
    bool isIntercepted(const char* name) const;
    // The layer's function, as an application would get it.
    static PFN_vkVoidFunction find(const char* name);
    template <typename Function>
    static Function get(const char* name)
    {
        return reinterpret_cast<Function>(find(name));
    }

    // All that record since the last time.
    static std::vector<Call> takeCalls();
    // And all others.
    static std::vector<Call> takeAllCalls();
    // The next call of the command is answered like the first.
    static void forget(const std::string& command);
    // Until the driver waits for a fence or a semaphore for the first time since takeCalls(). Nothing is ever signaled:
    // it waits for as long as it is told to, but no longer than some seconds.
    static void waitForWait();

private:
    void createGraph();

    VkInstance m_instance = VK_NULL_HANDLE;
    VkDevice m_device = VK_NULL_HANDLE;
    VkCommandPool m_pool = VK_NULL_HANDLE;
    VkPipeline m_graph = VK_NULL_HANDLE;
    VkDeviceSize m_scratchBytes = 0;
    std::vector<std::function<void()>> m_cleanup;
};

// A handle that no object has; nobody looks what is behind it.
template <typename Handle>
Handle fakeHandle(uintptr_t number)
{
    static_assert(sizeof(Handle) == sizeof number);
    Handle handle;
    std::memcpy(&handle, &number, sizeof handle);
    return handle;
}

}  // namespace millrace::layertest
