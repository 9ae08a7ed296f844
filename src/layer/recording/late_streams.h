// SPDX-License-Identifier: Apache-2.0
// Streams of a command buffer whose commands depend on what may change until they are submitted. Each has its commands
// alone, so that it can be recorded again in front of a submission while all else stays as the application recorded it.
#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace millrace::layer {

class Watched;
struct CommandBuffer;

// What such a stream has.
class LateCommands {
public:
    virtual ~LateCommands() = default;

    // Records them into `body.current`, in which nothing is set. `body` has the state that was set where the command
    // buffer has the stream (CommandBuffer::log, ::bound), no render pass instance, and the conditional rendering that
    // is in force in `current`.
    virtual void record(CommandBuffer& body) = 0;
    // True if record() would record something else than the last time. Any thread.
    virtual bool isOutdated() const = 0;
};

// Of one primary command buffer. What records is the application's to guard, like the command buffer; renew() is
// thread-safe, like a submission.
class LateStreams {
public:
    explicit LateStreams(CommandBuffer& owner) : m_owner(owner) {}
    ~LateStreams();
    LateStreams(const LateStreams&) = delete;
    LateStreams& operator=(const LateStreams&) = delete;

    // Records a stream with the state that `state` has, as number `index` of the owner's. Null after a failure, which
    // vkEndCommandBuffer tells.
    VkCommandBuffer add(std::unique_ptr<LateCommands> commands, const CommandBuffer& state, size_t index);
    // In front of a submission: records again what is outdated. Fails as a recording may.
    VkResult renew();
    // The owner's streams, as they are now.
    std::vector<VkCommandBuffer> streams() const;
    // What is in them that may have something to tell.
    void addWatched(std::vector<std::shared_ptr<Watched>>& list) const;
    // The device uses none of them any more.
    void clear();

private:
    struct Piece {
        std::unique_ptr<LateCommands> commands;
        std::unique_ptr<CommandBuffer> body;
        VkCommandBuffer handle;
        size_t index;          // of the owner's streams
        uint32_t generations;  // of the body, in front of its commands
    };

    VkResult record(Piece& piece);
    VkResult renew(Piece& piece);

    CommandBuffer& m_owner;
    mutable std::recursive_mutex m_mutex;  // as LatePool's, which is taken behind it
    std::vector<Piece> m_pieces;
    std::vector<Piece> m_replaced;  // that the device may still use
};

// Why what is recorded now, which may interrupt a render pass instance, gets no stream of its own, to follow "the
// command is"; null if it can.
const char* obstacleToLateStream(const CommandBuffer& commandBuffer);

// In a primary command buffer, with the state that `state` has. Whether a render pass instance is interrupted for it is
// the caller's. What follows is in another of the driver's command buffers, in which all is set that was. False after a
// failure.
bool insertLateStream(CommandBuffer& commandBuffer, std::unique_ptr<LateCommands> commands, const CommandBuffer& state);

using MakeLateCommands = std::function<std::unique_ptr<LateCommands>()>;

// What a secondary command buffer has in a stream of its own, recorded as it is now, and how the primary ones that
// execute it record it later.
struct LateSecondary {
    ~LateSecondary();

    MakeLateCommands make;
    std::unique_ptr<CommandBuffer> state;
    // Of what is recorded already.
    std::vector<std::shared_ptr<Watched>> watched;
    std::vector<std::shared_ptr<Watched>> forSubmission;
};

// In a secondary command buffer, outside of render pass instances. `record`: as it is now, into `current`.
void recordLateSecondary(CommandBuffer& commandBuffer, MakeLateCommands make, const std::function<void()>& record);
// In place of its stream. False where that has to be executed.
bool executeLateSecondary(CommandBuffer& commandBuffer, const LateSecondary& secondary);

}  // namespace millrace::layer
