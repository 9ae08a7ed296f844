// SPDX-License-Identifier: Apache-2.0
// Commands of extensions that are newer than the Vulkan headers which the layer was built with. Nothing is known of
// them but their first argument, by their name: a command buffer or a queue.
#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

namespace millrace::layer {

struct Device;

// Of one device. Thread-safe.
class UnknownCommands {
public:
    static constexpr size_t kMost = 64;

    struct Command {
        std::string name;
        PFN_vkVoidFunction next;
    };

    // What the application gets in place of `next`, the driver's. Commands for command buffers record into the one that
    // takes commands now, with what the application has bound; commands for queues wait until the thread of the queue
    // has left it. Other names are passed on. A command for which there is no memory does not reach the driver, and
    // fails like those in base/guard.h.
    PFN_vkVoidFunction get(std::string_view name, PFN_vkVoidFunction next);

    // Some are recorded into the application's own command buffer always, so that none may be split: there are too many
    // of them, or this is a processor or a system that nobody has written the calls for.
    bool arePassedOn() const { return m_passedOn; }

    const Command& operator[](size_t slot) const { return m_commands[slot]; }

private:
    std::mutex m_mutex;
    std::array<Command, kMost> m_commands;  // never changed again, so who calls one needs no lock
    size_t m_count = 0;
    std::atomic<bool> m_passedOn{false};
};

// Of these those that the headers do not have, separated by commas.
std::string unknownExtensions(std::span<const char* const> names);

}  // namespace millrace::layer
