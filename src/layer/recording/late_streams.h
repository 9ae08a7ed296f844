// SPDX-License-Identifier: Apache-2.0
// Streams of a command buffer whose commands depend on what may change until they are submitted. They have such
// commands alone, and draws between them, so that they can be recorded again in front of a submission while all else
// stays as the application recorded it. Commands in a row are in one stream.
#pragma once

#include <vulkan/vulkan.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "layer/recording/current_stream.h"
#include "layer/recording/late_series.h"

namespace millrace::layer {

class Watched;
struct CommandBuffer;

// Of one primary command buffer. What records is the application's to guard, like the command buffer; renew() is
// thread-safe, like a submission.
class LateStreams final : public CurrentStream::PutOff {
public:
    explicit LateStreams(CommandBuffer& owner) : m_owner(owner) {}
    ~LateStreams();
    LateStreams(const LateStreams&) = delete;
    LateStreams& operator=(const LateStreams&) = delete;

    // Behind what the owner has recorded: in the stream of the command before, if one is open, or in another. That
    // stays open until something else is recorded, and the render pass instance goes on there. vkEndCommandBuffer tells
    // of failures.
    void add(LateCommand command);
    // A draw of the application's, in the stream that is open. False, with nothing recorded, where there is none, or
    // the draw has to come behind it.
    bool addDraw(std::function<void(CommandBuffer& body)> record);
    bool isOpen() const { return m_open != nullptr; }
    // The open stream ends, and what was interrupted goes on behind it.
    void record(VkCommandBuffer stream) override;
    // A stream with all of them, outside of render pass instances. Likewise.
    void insert(std::shared_ptr<const LateSeries> series);

    // In front of a submission: records again what is outdated. Fails as a recording may.
    VkResult renew();
    // The owner's streams, as they are now.
    std::vector<VkCommandBuffer> streams() const;
    // What is in them that may have something to tell.
    void addWatched(std::vector<std::shared_ptr<Watched>>& list) const;
    // The device uses none of them any more.
    void clear();

private:
    // Of the driver's. In an instance both, outside `stream` alone.
    struct Handles {
        VkCommandBuffer front = VK_NULL_HANDLE;  // in front of the instance
        VkCommandBuffer stream = VK_NULL_HANDLE;
    };
    struct Piece {
        std::shared_ptr<const LateSeries> series;
        std::unique_ptr<CommandBuffer> body;
        Handles handles;
        size_t index = 0;  // of the last of them among the owner's streams; 0: it is none yet
        // Of what the series has been recorded with.
        std::vector<std::pair<const std::atomic<uint64_t>*, uint64_t>> versions;

        bool isOutdated() const;
    };

    bool take(const LateSeries& series, Handles& handles);
    void giveBack(const Handles& handles);
    bool addPiece(std::shared_ptr<const LateSeries> series);
    bool open();
    void addToOpen(LateCommand command);
    VkResult begin(Piece& piece);
    static void recordNext(Piece& piece, size_t index);
    VkResult end(Piece& piece);
    VkResult recordAll(Piece& piece);
    // Among the owner's streams, which go on behind it.
    void place(Piece& piece);
    VkResult renew(Piece& piece);

    CommandBuffer& m_owner;
    mutable std::recursive_mutex m_mutex;  // as LatePool's, which is taken behind it
    std::vector<Piece> m_pieces;
    std::vector<Piece> m_replaced;       // that the device may still use
    std::shared_ptr<LateSeries> m_open;  // that of the last piece; null: none is open
};

// Why what is recorded now, which may interrupt a render pass instance, gets no stream of its own, to follow "the
// command is"; null if it can.
const char* obstacleToLateStream(const CommandBuffer& commandBuffer);

// What a secondary command buffer has in a stream of its own, recorded as it is now, and how the primary ones that
// execute it record it later.
class LateSecondary final : public CurrentStream::PutOff {
public:
    // Behind what the owner has recorded, outside of render pass instances.
    explicit LateSecondary(CommandBuffer& owner);
    LateSecondary(const LateSecondary&) = delete;
    LateSecondary& operator=(const LateSecondary&) = delete;

    void add(LateCommand command);
    bool isOpen() const { return m_isOpen; }
    void record(VkCommandBuffer stream) override;

    std::shared_ptr<const LateSeries> series() const { return m_series; }
    // Of what is recorded already.
    std::vector<std::shared_ptr<Watched>> watched;
    std::vector<std::shared_ptr<Watched>> forSubmission;

private:
    CommandBuffer& m_owner;  // while it is open
    const std::shared_ptr<LateSeries> m_series;
    size_t m_watched = 0;  // of the owner's, in front
    size_t m_forSubmission = 0;
    bool m_isOpen = true;
};

// In a stream of its own, behind what is recorded. Requires: nothing is an obstacle, or there is such a stream that is
// open.
void recordLate(CommandBuffer& commandBuffer, LateCommand command);
bool hasOpenLateStream(const CommandBuffer& commandBuffer);
// A draw of the application's: where commands with a stream of their own were recorded before, and few draws behind
// them, it goes there, so that more of them can follow. `draw` records it, into a command buffer of which the state
// counts. False, with nothing recorded, where it has to go where the command buffer goes on.
bool drawLate(CommandBuffer& commandBuffer, std::function<void(CommandBuffer& body)> draw);
// In place of the stream of a secondary command buffer. False where that has to be executed.
bool executeLateSecondary(CommandBuffer& commandBuffer, const LateSecondary& secondary);

}  // namespace millrace::layer
