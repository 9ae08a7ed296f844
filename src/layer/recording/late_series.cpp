// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/late_series.h"

#include <utility>

#include "layer/recording/command_buffer.h"
#include "layer/recording/divided_instance.h"

namespace millrace::layer {

namespace {

// What the layer binds itself for commands of its own.
bool isBoundByLayer(const StateLog::Entry& entry)
{
    switch (entry.key.kind) {
        case StateKind::Pipeline:
        case StateKind::DescriptorSets:
        case StateKind::PushDescriptor:
        case StateKind::PushConstants:
            return true;
        default:
            return false;
    }
}

// State that draws take from the command buffer, beside that.
bool isTakenByDraws(const StateLog::Entry& entry)
{
    switch (entry.key.kind) {
        case StateKind::DescriptorBuffers:  // bound for all that is recorded
        case StateKind::InvocationMask:     // these outside of instances alone
        case StateKind::RayTracingStackSize:
            return false;
        default:
            return !isBoundByLayer(entry) && (entry.scopes & (kScopeOther | kScopeInRendering)) != 0;
    }
}

// What draws of the application's take besides.
bool isBoundForDraws(const StateLog::Entry& entry)
{
    return isBoundByLayer(entry) && (entry.scopes & (kScopeOther | kScopePushConstants)) != 0;
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
    addLayoutsOf(owner);
}

void LateSeries::addLayoutsOf(const CommandBuffer& owner)
{
    const size_t before = m_layouts.size();
    addLayouts(owner, m_layoutsOrder, m_layouts);
    m_layoutsOrder = owner.log.order();
    for (size_t i = before; i < m_layouts.size(); ++i)
        m_layoutsMayStay = m_layoutsMayStay && m_layouts[i].second && m_layouts[i].second->mayStay;
}

bool LateSeries::takesDraw(const CommandBuffer& owner)
{
    addLayoutsOf(owner);
    return isInInstance() && m_draws < kMostDraws && m_layoutsMayStay && !owner.chainsLayouts;
}

void LateSeries::add(const CommandBuffer& owner, LateCommand command)
{
    m_draws = command.isDraw() ? m_draws + 1 : 0;
    Step& step = m_steps.emplace_back();
    step.command = std::move(command);
    step.changes = owner.log.changesSince(m_order, m_payloads);
    addLayoutsOf(owner);
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

// What the layer has bound in the application's place is bound again by the next draw (CommandBuffer::settle()).
void LateSeries::setChanges(CommandBuffer& body, const Step& step) const
{
    const bool isDrawn = isInInstance();
    const bool hasBound = step.command.isDraw() && !body.lent.isLent();
    for (const StateLog::Entry& change : step.changes)
        if ((change.scopes & kScopeDescriptorBuffers) ||
            (isDrawn && (isTakenByDraws(change) || (hasBound && isBoundForDraws(change)))))
            change.replay(body.device.table, body.current, change.payload);
    // What has changed is not bound here then, whatever the command does.
    if (isDrawn && !step.command.isDraw() && !body.lent.isLent())
        body.lent.lend(body.current, VK_PIPELINE_BIND_POINT_GRAPHICS);
}

void LateSeries::record(CommandBuffer& body, size_t index) const
{
    const Step& step = m_steps[index];
    body.log.take(step.changes);
    if (body.layouts.size() != m_layouts.size())
        body.layouts = m_layouts;
    setChanges(body, step);
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
