// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/late_series.h"

#include <utility>

#include "layer/recording/command_buffer.h"
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

RenderingScope instanceOf(const RenderingScope& scope)
{
    RenderingScope instance;
    instance.dynamic = scope.dynamic;
    if (!scope.legacyPass)
        return instance;
    instance.legacyPass = true;
    instance.subpass = scope.subpass;
    instance.contents = VK_SUBPASS_CONTENTS_INLINE;  // in its parts here commands are the layer's own
    instance.renderPass = scope.renderPass;
    instance.again = scope.again;
    return instance;
}

void takeCondition(RenderingScope& to, const RenderingScope& from)
{
    to.conditional = from.conditional;
    to.conditionalInfo = from.conditionalInfo;
}

}  // namespace

LateSeries::LateSeries(const CommandBuffer& owner)
    : m_labels(owner.labels),
      m_generations(owner.generations),
      m_instance(instanceOf(owner.rendering)),
      m_order(owner.log.order())
{
    m_log.assign(owner.log);
    takeCondition(m_condition, owner.rendering);
    addLayouts(owner, 0, m_layouts);
}

void LateSeries::add(const CommandBuffer& owner, LateCommand command)
{
    Step& step = m_steps.emplace_back();
    step.command = std::move(command);
    step.changes = owner.log.changesSince(m_order, m_payloads);
    addLayouts(owner, m_order, m_layouts);
    m_order = owner.log.order();
}

std::unique_ptr<CommandBuffer> LateSeries::createBody(CommandBuffer& owner) const
{
    auto body = std::make_unique<CommandBuffer>(owner.pool, owner.handle, true);
    body->reporter = &owner;
    body->usage = owner.usage;
    body->labels = m_labels;
    takeCondition(body->rendering, m_condition.conditional ? m_condition : owner.rendering);
    return body;
}

void LateSeries::reset(CommandBuffer& body) const
{
    body.forgetCommands();
    body.log.assign(m_log);
    body.generations = m_generations;
}

void LateSeries::begin(CommandBuffer& body, VkCommandBuffer stream, VkCommandBuffer front) const
{
    const VkuDeviceDispatchTable& table = body.device.table;
    body.current = stream;
    if (body.rendering.conditional)
        table.CmdBeginConditionalRenderingEXT(stream, &body.rendering.conditionalInfo);
    body.log.replay(kScopeDescriptorBuffers, table, stream);
    if (!isInInstance())
        return;
    if (m_instance.legacyPass)
        waitForPart(body.device, front);
    body.front.stream = front;
    beginInstance(body);
}

void LateSeries::beginInstance(CommandBuffer& body) const
{
    const VkuDeviceDispatchTable& table = body.device.table;
    RenderingScope scope = m_instance;
    takeCondition(scope, body.rendering);
    body.rendering = std::move(scope);
    if (m_instance.dynamic) {
        VkRenderingInfo info = *m_instance.dynamic;
        info.flags &= ~VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT;
        waitForAttachments(table, body.current);
        table.CmdBeginRendering(body.current, &info);
    } else {
        beginNextPart(body);
    }
    body.log.replayIf(isTakenByDraws, table, body.current);
}

void LateSeries::record(CommandBuffer& body, size_t index) const
{
    const Step& step = m_steps[index];
    body.log.take(step.changes);
    if (body.layouts.size() != m_layouts.size())
        body.layouts = m_layouts;
    const bool isDrawn = isInInstance();
    for (const StateLog::Entry& change : step.changes)
        if ((change.scopes & kScopeDescriptorBuffers) || (isDrawn && isTakenByDraws(change)))
            change.replay(body.device.table, body.current, change.payload);
    step.command.record(body);
}

void LateSeries::endInstance(CommandBuffer& body) const
{
    if (m_instance.dynamic)
        body.device.table.CmdEndRendering(body.current);
    else
        endPart(body);
    RenderingScope outside;
    takeCondition(outside, body.rendering);
    body.rendering = std::move(outside);
    closeFront(body);
}

void LateSeries::end(CommandBuffer& body) const
{
    if (isInInstance())
        endInstance(body);
    body.makeVisibleToHost();
    body.makeCountsVisible();
    if (body.rendering.conditional)
        body.device.table.CmdEndConditionalRenderingEXT(body.current);
}

}  // namespace millrace::layer
