// SPDX-License-Identifier: Apache-2.0
// When the device has run something, by its clock (setting "trace").
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "trace/trace.h"

namespace millrace::layer {

struct Device;
class TimedPart;

// Of a device, as long as which it stays. Thread-safe.
class Timestamps {
public:
    explicit Timestamps(const Device& device);
    ~Timestamps();
    Timestamps(const Timestamps&) = delete;
    Timestamps& operator=(const Timestamps&) = delete;

    // Null where queues of the family have no clock, and where the driver has no memory for queries.
    std::shared_ptr<TimedPart> take(uint32_t queueFamily);

private:
    friend class TimedPart;

    struct Queries {
        VkQueryPool pool = VK_NULL_HANDLE;
        uint32_t first = 0;  // of two
    };

    bool addQueries();
    void giveBack(const Queries& queries);

    const Device& m_device;
    double m_period = 1;  // nanoseconds of a tick
    std::mutex m_mutex;
    std::vector<VkQueryPool> m_pools;
    std::vector<Queries> m_free;
};

// Commands between two timestamps. Goes when no command buffer that has them is in use any more.
class TimedPart {
public:
    TimedPart(Timestamps& owner, Timestamps::Queries queries, uint64_t mask)
        : m_owner(owner), m_queries(queries), m_mask(mask)
    {
    }
    ~TimedPart() { m_owner.giveBack(m_queries); }
    TimedPart(const TimedPart&) = delete;
    TimedPart& operator=(const TimedPart&) = delete;

    // Each once, in this order, outside of render pass instances. The time begins when all commands in front have been
    // completed.
    void begin(VkCommandBuffer stream);
    void end(VkCommandBuffer stream);

    // Of the last execution, if it is complete and has not been taken yet; none where end() was not recorded. Requires:
    // one has been submitted. Not thread-safe.
    std::optional<trace::Span> takeNews();

private:
    void write(VkCommandBuffer stream, uint32_t which) const;

    Timestamps& m_owner;
    const Timestamps::Queries m_queries;
    const uint64_t m_mask;  // of a timestamp's bits that count
    bool m_isWhole = false;
    std::optional<uint64_t> m_taken;  // when it began
};

// Of a device that has just been created and writes a trace. Does nothing if there is one already.
void startTimestamps(Device& device);

}  // namespace millrace::layer
