// SPDX-License-Identifier: Apache-2.0
// What the recorder layer, below the one under test, has seen. The test finds the layer in its own process.
#pragma once

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace millrace::layertest {

enum class Seen : uint32_t {
    BeginCommandBuffer,  // object: command buffer
    EndCommandBuffer,
    BeginLabel,  // object: command buffer; text
    EndLabel,
    Dispatch,
    HostBarrier,  // a barrier behind which the host reads
    BeginRendering,
    Submit,  // object: command buffer; one event for each
    Wait,    // for a fence, a queue or the device, or a look at a fence that is signaled
    Create,  // object; type
    Name,    // object; type; text
};

struct Event {
    Seen what;
    uint32_t type;  // VkObjectType
    uint64_t object;
    std::string text;
    std::thread::id thread;  // that has called
};

// The layer's two functions.
using TakeEvents = void (*)(void (*visit)(const Event& event, void* user), void* user);
using LoseDevice = void (*)(const char* label);

inline constexpr char kRecorder[] = "VK_LAYER_MILLRACE_test_recorder";

// All events since the last call. Requires: an instance with the layer exists.
std::vector<Event> takeEvents();
// The first dispatch inside a label that contains this text does not come to its end, and nothing behind it runs in its
// command buffer; whoever waits is told that the device is lost. Empty: no more.
void loseDevice(const char* label);

}  // namespace millrace::layertest
