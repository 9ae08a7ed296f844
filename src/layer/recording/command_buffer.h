// SPDX-License-Identifier: Apache-2.0
// What the layer keeps of a command buffer while it is recorded and until it is reset.
#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/never_destroyed.h"
#include "layer/base/registry.h"
#include "layer/loader/device.h"
#include "layer/recording/borrowed_sets.h"
#include "layer/recording/bound_state.h"
#include "layer/recording/boundary.h"
#include "layer/recording/current_stream.h"
#include "layer/recording/front.h"
#include "layer/recording/graph_bindings.h"
#include "layer/recording/late_streams.h"
#include "layer/recording/lent_state.h"
#include "layer/recording/rendering.h"
#include "layer/recording/state_log.h"
#include "runtime/recording_memory.h"
#include "runtime/runtime.h"

namespace millrace::layer {

struct CommandPool;
struct GraphObject;

// What the host has written for commands of the layer's, by what it is: the next command mostly reads the same.
struct HostCopy {
    enum Of { PushConstants, SetParts, VertexBuffers, PipelinePlaces, Kinds };
    std::vector<uint8_t> bytes;
    uint64_t address = 0;  // of memory that CommandBuffer::keepAlive has
};

struct CommandBuffer {
    CommandBuffer(CommandPool& owner, VkCommandBuffer own, bool isPrimary);
    ~CommandBuffer();

    Device& device;
    CommandPool& pool;
    const VkCommandBuffer handle;
    const bool primary;
    // What the application sets is kept in the log of primaries; in that of secondaries only for generated commands and
    // mesh shaders, since nothing else is restored there.
    const bool logs;

    // The driver's command buffer that takes commands now: the application's, or behind a split a hidden one.
    CurrentStream current;
    LentState lent;
    // In order of execution; the first is the application's. Of a secondary one they are executed one by one.
    std::vector<VkCommandBuffer> streams;
    std::vector<Boundary> boundaries;                     // between two streams each
    std::vector<std::shared_ptr<Watched>> runs;           // graphs
    std::vector<std::shared_ptr<Watched>> watched;        // besides those; of secondary ones that were executed as well
    std::vector<std::shared_ptr<Watched>> forSubmission;  // likewise, which have nothing to tell once it has run
    std::vector<std::shared_ptr<void>> keepAlive;         // that recorded commands read
    runtime::RecordingMemory graphMemory;                 // of `runs`

    VkCommandBufferUsageFlags usage = 0;
    uint32_t initialDeviceMask = 0;  // 0: not given
    // Of a secondary one, as far as all parts of it outside of render passes need it.
    VkCommandBufferInheritanceInfo inheritance{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    VkCommandBufferInheritanceConditionalRenderingInfoEXT inheritedCondition{
        VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_CONDITIONAL_RENDERING_INFO_EXT};
    StateLog log;
    BoundState bound{log};
    GraphBindings graph;
    RenderingScope rendering;
    Front front;
    std::unique_ptr<LateStreams> late;  // null: none of `streams` is one
    // Of a secondary one: those of `streams` that primary ones may record themselves.
    std::vector<std::pair<size_t, std::shared_ptr<LateSecondary>>> lateSecondaries;
    // Of a body of such streams: the command buffer whose messages its are, and what is known of the pipeline layouts
    // in `log`, which may be gone (borrowed_sets.h).
    CommandBuffer* reporter = nullptr;
    KeptLayouts layouts;
    // Of a secondary one that continues a render pass: what belongs in front of the instance that it is executed in.
    // Null if there is nothing.
    VkCommandBuffer companion = VK_NULL_HANDLE;
    VkCommandBuffer companionRepeat = VK_NULL_HANDLE;  // and Front::repeat and ::continuations of it
    std::vector<std::shared_ptr<Continuation>> companionContinuations;
    bool lostVertexState = false;      // in the driver, by a pipeline with mesh shaders
    std::shared_ptr<void> drawMemory;  // of the feature that draws with the front
    // Of a secondary one, by that feature: records what comes behind it, in that which executes it. Null: nothing.
    void (*executed)(CommandBuffer& by, const CommandBuffer& own) = nullptr;
    // Scratch addresses that this command buffer initialized, and the graph each is for (setting "validate").
    std::unordered_map<VkDeviceAddress, uint32_t> initialized;
    std::vector<uint64_t> memberVersions;          // of `forSubmission` (commands/recorded_members.h)
    uint32_t generations = 0;                      // calls that preprocess or execute generated commands
    uint32_t meshFronts = 0;                       // that are told in a trace
    std::array<HostCopy, HostCopy::Kinds> copies;  // the last one of each
    std::vector<std::string> labels;               // of the application's, that are open (settings "validate", "trace")
    bool isReadByHost = false;      // what `current` has recorded of graphs, since the last makeVisibleToHost()
    bool chainsLayouts = false;     // commands that set state have none, but a chain in its place
    bool hasUnknownState = false;   // commands that are newer than the headers have perhaps set some
    bool countsMeshes = false;      // its draws have shaders that count what they do, for the host
    VkResult failure = VK_SUCCESS;  // of a command of ours; vkEndCommandBuffer returns it

    void begin(const VkCommandBufferBeginInfo& info);
    // Forgets everything recorded. The command buffer is not in use by the device.
    void reset();
    // The same, but for the state that is set.
    void forgetCommands();
    // Starts a hidden command buffer of the same kind. Null if that fails, which vkEndCommandBuffer will tell.
    VkCommandBuffer beginHidden(const std::string& name, VkCommandBufferUsageFlags moreUsage = 0);
    // The same for one that this one's companion will be: a secondary one, outside of render passes.
    VkCommandBuffer beginCompanion();
    // Before the driver's command buffer ends, or a render pass instance begins that will be suspended then.
    void makeVisibleToHost();
    // Behind all that is recorded.
    void makeCountsVisible();
    // In front of a command of the application's that draws, dispatches or the like.
    void settle()
    {
        if (lent.isLent()) [[unlikely]]
            lent.settle(bound, device.table, current);
    }
    // Ends the driver's command buffer here and goes on in a hidden one, in which no state is set. False if that fails.
    bool divide(Boundary boundary, const std::string& name);
    // The same, but the driver's command buffer stays open for commands of ours, and what follows is submitted with it.
    bool goOn(const std::string& name);
    // Ends the driver's command buffer here and goes on in a hidden one, in which no state is set, and which follows.
    bool goOnBehind(const std::string& name);
    // Executes a secondary one that is several, in place of the application's command. Its boundaries become this
    // one's.
    void execute(const CommandBuffer& secondary);
    // What follows a boundary waits until the continuation is complete, for which `more` is submitted.
    void complete(size_t boundary, std::shared_ptr<Continuation> continuation, VkCommandBuffer more);
    // True if a submission has to wait at a boundary.
    bool isSplit() const { return m_isSplit; }
    void fail(VkResult result);
    // A recorded command has structures that are not kept for when it is recorded again. Told if that happens.
    void cannotKeep(const char* command, const StructureTypes& types);
    // `place`: where it is, such as "behind an execution graph".
    void tellWhatIsNotKept(const std::string& place) const;
    // False if the same was told since recording began: a command that is wrong mostly is so many times.
    bool isNews(const std::string& id, const std::string& text)
    {
        return (reporter ? reporter : this)->m_told.insert(id + text).second;
    }
    // False if a recorded command has structures that are not kept.
    bool keepsAll() const { return m_notKept.empty(); }
    // As a submission has them.
    std::vector<VkCommandBuffer> submittedStreams() const { return late ? late->streams() : streams; }
    ObjectReference reference() const { return objectReference(VK_OBJECT_TYPE_COMMAND_BUFFER, handle); }

    static CommandBuffer& of(VkCommandBuffer handle) { return *s_all.value.findValid(handleId(handle)); }
    static void remember(CommandPool& pool, VkCommandBuffer handle, bool primary);
    static void forget(VkCommandBuffer handle);

private:
    friend void noteFailure(VkCommandBuffer commandBuffer) noexcept;
    static NeverDestroyed<Registry<CommandBuffer>> s_all;

    void keepInheritance(const VkCommandBufferInheritanceInfo& info);
    bool addStream(Boundary boundary, const std::string& name);
    void markSplit();
    void executeBoundary(const Boundary& boundary);
    VkCommandBuffer executeAgain(const std::vector<VkCommandBuffer>& secondaries);

    std::vector<VkCommandBuffer> m_hidden;
    bool m_isSplit = false;
    std::set<std::string> m_told;
    std::vector<std::pair<const char*, StructureTypes>> m_notKept;
};

}  // namespace millrace::layer
