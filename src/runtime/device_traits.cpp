// SPDX-License-Identifier: Apache-2.0
#include "runtime/device_traits.h"

#include <algorithm>
#include <thread>

namespace millrace::runtime {

namespace {

constexpr uint64_t kLeastScratchBytes = uint64_t{256} << 20;
// More than this takes long to allocate: the memory of four random graphs 7.6 s of up to 4 GiB each, 1.1 s of 256 MiB
// (H200, NVIDIA 580.159, driver and clearing).
constexpr uint64_t kMostScratchBytes = uint64_t{1} << 30;
constexpr uint64_t kScratchShare = 32;  // of the device's memory

}  // namespace

DeviceTraits traitsOf(VkPhysicalDeviceType type, uint64_t localBytes)
{
    switch (type) {
        case VK_PHYSICAL_DEVICE_TYPE_CPU:
            // A workgroup costs a software driver far more than a look for work, so as few as keep its threads busy:
            // on two cores, graphs with little memory take half the time with 4 that they take with 16.
            return {.fullInvocations = 1,
                    .minGroups = 2 * std::max(std::thread::hardware_concurrency(), 1u),
                    .maxGroups = 1024,
                    .minShare = std::max(std::thread::hardware_concurrency(), 1u),
                    .maxScratchBytes = kLeastScratchBytes};
        case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
            return {.fullInvocations = 65536,
                    .minGroups = 128,
                    .maxGroups = 2048,
                    .minShare = 32,
                    .maxScratchBytes = kLeastScratchBytes};
        default:
            // H200: 132 multiprocessors of 2048 invocations. Too small a grid is a disaster (12 times slower at
            // 132 x 64), too large costs little (3.6 against 3.2 us a level at twice the occupancy).
            return {.fullInvocations = 132 * 2048,
                    .minGroups = 528,
                    .maxGroups = 4224,
                    .minShare = 132,
                    // Classification, which is all in one node, takes 50 us with 256, 56 with 128 and 67 with 64.
                    .staticInvocations = 256,
                    .maxScratchBytes = std::clamp(localBytes / kScratchShare, kLeastScratchBytes, kMostScratchBytes)};
    }
}

uint32_t fullGrid(const DeviceTraits& traits, uint32_t invocationsPerGroup, size_t dispatches)
{
    const uint32_t full =
        std::clamp(traits.fullInvocations / std::max(invocationsPerGroup, 1u), traits.minGroups, traits.maxGroups);
    return std::max(full / static_cast<uint32_t>(std::max<size_t>(dispatches, 1)), traits.minShare);
}

}  // namespace millrace::runtime
