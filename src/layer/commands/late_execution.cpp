// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/late_execution.h"

#include <utility>

#include "layer/commands/member_changes.h"
#include "layer/recording/divided_instance.h"

namespace millrace::layer {

namespace {

// State that draws take from the command buffer, beside what the layer binds itself.
bool isTakenByDraws(const StateLog::Entry& entry)
{
    switch (entry.key.kind) {
        case StateKind::Pipeline:
        case StateKind::DescriptorSets:
        case StateKind::PushDescriptor:
        case StateKind::PushConstants:
        case StateKind::DescriptorBuffers:  // bound for all that is recorded
            return false;
        default:
            return (entry.scopes & (kScopeOther | kScopeInRendering)) != 0;
    }
}

// Of a render pass instance, so much that a part of it can be begun: neither where it is recorded in no instance.
struct Instance {
    std::shared_ptr<const VkRenderingInfo> dynamic;
    RenderingScope pass;  // of a render pass object

    bool any() const { return dynamic || pass.again; }
};

Instance instanceOf(const RenderingScope& scope)
{
    Instance instance{scope.dynamic, {}};
    if (!scope.legacyPass)
        return instance;
    instance.pass.subpass = scope.subpass;
    instance.pass.renderPass = scope.renderPass;
    instance.pass.again = scope.again;
    return instance;
}

class LateExecution final : public LateCommands {
public:
    LateExecution(ExecuteMembers execute, std::shared_ptr<MemberChanges> changes, Instance instance)
        : m_execute(std::move(execute)), m_changes(std::move(changes)), m_instance(std::move(instance))
    {
    }

    void record(CommandBuffer& body) override
    {
        m_version = m_changes->version();
        bool hasBegun = false;
        std::function<void()> begin;
        if (m_instance.any())
            begin = [&] {
                beginInstance(body);
                hasBegun = true;
            };
        if (m_instance.pass.again)
            waitForPart(body);
        m_execute(body, std::move(begin));
        if (hasBegun)
            endInstance(body);
    }
    bool isOutdated() const override { return m_changes->version() != m_version; }

private:
    // In it commands are the layer's own.
    void beginInstance(CommandBuffer& body) const
    {
        const VkuDeviceDispatchTable& table = body.device.table;
        if (m_instance.dynamic) {
            VkRenderingInfo info = *m_instance.dynamic;
            info.flags &= ~VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT;
            waitForAttachments(table, body.current);
            table.CmdBeginRendering(body.current, &info);
        } else {
            body.rendering.subpass = m_instance.pass.subpass;
            body.rendering.contents = VK_SUBPASS_CONTENTS_INLINE;
            body.rendering.renderPass = m_instance.pass.renderPass;
            body.rendering.again = m_instance.pass.again;
            beginNextPart(body);
        }
        body.log.replayIf(isTakenByDraws, table, body.current);
    }
    void endInstance(CommandBuffer& body) const
    {
        if (m_instance.dynamic)
            body.device.table.CmdEndRendering(body.current);
        else
            endPart(body);
    }

    const ExecuteMembers m_execute;
    const std::shared_ptr<MemberChanges> m_changes;
    const Instance m_instance;
    uint64_t m_version = 0;
};

void executeInPrimary(CommandBuffer& commandBuffer, std::unique_ptr<LateCommands> commands)
{
    const bool isInPass = commandBuffer.rendering.legacyPass;
    if (isInPass)
        endPart(commandBuffer);
    interruptRendering(commandBuffer, false);
    closeFront(commandBuffer);
    insertLateStream(commandBuffer, std::move(commands), commandBuffer);
    if (isInPass)
        waitForPart(commandBuffer);
    resumeRendering(commandBuffer, false);
    if (isInPass) {
        openFront(commandBuffer, false, true);
        beginNextPart(commandBuffer);
    }
    ++commandBuffer.generations;
}

}  // namespace

bool executeLate(CommandBuffer& commandBuffer, const IndirectLayout& layout, std::shared_ptr<MemberChanges> changes,
                 const ExecuteMembers& execute)
{
    const Device& device = commandBuffer.device;
    // Draws that the layer's mesh shaders run have more than one stream.
    const bool runsMeshes = isMesh(layout.layout.action) && device.usesMesh();
    if (!device.hasLateMembers() || runsMeshes || obstacleToLateStream(commandBuffer))
        return false;
    const auto makeLate = [=, instance = instanceOf(commandBuffer.rendering)]() -> std::unique_ptr<LateCommands> {
        return std::make_unique<LateExecution>(execute, changes, instance);
    };
    if (commandBuffer.primary)
        executeInPrimary(commandBuffer, makeLate());
    else
        recordLateSecondary(commandBuffer, makeLate, [&] { execute(commandBuffer, {}); });
    return true;
}

}  // namespace millrace::layer
