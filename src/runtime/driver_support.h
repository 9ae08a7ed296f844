// SPDX-License-Identifier: Apache-2.0
// What lowered graphs need of a driver, each by the name that the specification gives it, and whether a driver runs
// execution graphs itself. The layer decides by it, tools tell it to people.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include <cstdint>
#include <span>
#include <string>

namespace millrace::runtime {

// Of the instance, as the application wants it, and of the driver.
inline constexpr uint32_t kNeededApiVersion = VK_API_VERSION_1_3;

// The driver's structures that decide. The chains are not kept.
struct DriverAnswers {
    VkPhysicalDeviceLimits limits{};
    VkPhysicalDeviceVulkan11Properties properties11{};
    VkPhysicalDeviceVulkan12Properties properties12{};
    VkPhysicalDeviceVulkan13Properties properties13{};
    VkPhysicalDeviceFeatures features{};
    VkPhysicalDeviceVulkan11Features features11{};
    VkPhysicalDeviceVulkan12Features features12{};
};

// Requires: instance and driver have kNeededApiVersion.
DriverAnswers askDriver(const VkuInstanceDispatchTable& table, VkPhysicalDevice physical);

struct DriverNeed {
    const char* name;
    const char* use;  // what graphs do with it
    bool required;    // false: used where the driver has it
    bool (*has)(const DriverAnswers& answers);
};
std::span<const DriverNeed> driverNeeds();

// True if nothing is missing that is required.
bool hasWhatGraphsNeed(const DriverAnswers& answers);
// What is missing, "bufferDeviceAddress"; empty if nothing is.
std::string whatGraphsLack(const DriverAnswers& answers);

// The same of a device of any version, "Vulkan 1.3 (the driver has 1.2.175)" included.
std::string whatDeviceLacks(const VkuInstanceDispatchTable& table, VkPhysicalDevice physical);

// What mesh nodes lack that the driver's own mesh shaders would draw: "multiDrawIndirect, drawIndirectCount"; empty if
// nothing. Draws of one node are one command, and its shader knows their number. Requires: as askDriver().
std::string whatMeshNodesLack(const VkuInstanceDispatchTable& table, VkPhysicalDevice physical);

// What compute shaders can do in a subgroup, as far as the device functions make use of it: abi::kSubgroup*.
uint32_t subgroupOperations(const DriverAnswers& answers);

// True if scans and shuffles can do what subgroup reductions do.
bool canScanToReduce(const DriverAnswers& answers);

// True if code must not reduce integers over a subgroup.
// NVIDIA's compiler (580.159) executes REDUX under the vector predicate of the number that the uniform predicate has
// which it means, where it cannot prove that the subgroup is whole: some invocations are left out of sums.
bool compilesReductionsWrongly(const DriverAnswers& answers);

// True if no buffer may be declared as read only.
// NVIDIA's compiler (580.159) loads such values again, or later, where they are used, which may give others
// (docs/gpu.md).
bool compilesReadOnlyLoadsWrongly(const DriverAnswers& answers);

// True if the driver compiles code with calls more slowly than the same code without any.
// NVIDIA's compiler (580.159) takes 0.84 to 0.9 times as long for a node without calls (docs/experiments.md); RADV's
// and lavapipe's take as long.
bool compilesCallsSlowly(const DriverAnswers& answers);

// True if vertex shaders must not both read ViewIndex and write PointSize.
// NVIDIA's compiler (580.159) ends the process, or makes code that loses the device, for some of those that draw
// several views (docs/gpu.md).
bool compilesPointSizesOfViewsWrongly(const DriverAnswers& answers);

// True if indirect draws may read as many bytes behind each command as the stride says, so that memory has to go on
// behind the last one. NVIDIA's driver (580.159) loses the device where the memory ends with the buffer (docs/gpu.md).
bool readsWholeStrides(const DriverAnswers& answers);

// True if the driver writes the feature structure of VK_AMDX_shader_enqueue and says yes. Debian builds Mesa without
// beta extensions, and then lavapipe lists the extension, leaves the structure untouched and has no entry points: the
// string alone proves nothing.
bool claimsShaderEnqueue(const VkuInstanceDispatchTable& table, VkPhysicalDevice physical);
bool hasMaintenance5(const VkuInstanceDispatchTable& table, VkPhysicalDevice physical);

}  // namespace millrace::runtime
