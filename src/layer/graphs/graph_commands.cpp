// SPDX-License-Identifier: Apache-2.0
// vkCmdInitializeGraphScratchMemoryAMDX and vkCmdDispatchGraph*AMDX.
#include "layer/graphs/graph_run.h"
#include "layer/graphs/mesh_nodes.h"
#include "layer/graphs/pipelines.h"
#include "layer/graphs/validate.h"
#include "layer/loader/entry_points.h"
#include "layer/recording/command_buffer.h"
#include "layer/submission/faults.h"
#include "layer/submission/status_watch.h"

namespace millrace::layer {

namespace {

// Sweeps recorded one after the other where a graph may need several and the command buffer cannot be split. Empty ones
// cost little beside the first.
constexpr uint32_t kInlineSweeps = 16;

using Request = runtime::DispatchRequest;

// Puts the application's state of the compute bind point back, which graphs use. Pushing constants with a layout of
// ours disturbs those of all stages.
void restoreState(CommandBuffer& commandBuffer)
{
    // Descriptor sets and descriptor buffers exclude each other, whatever the bind point.
    const uint32_t scopes =
        commandBuffer.log.has(kScopeDescriptorBuffers) ? kScopeOutsideRendering : kScopeCompute | kScopePushConstants;
    commandBuffer.log.replay(scopes, commandBuffer.device.table, commandBuffer.current);
}

// One dispatch, step by step.
class Dispatch {
public:
    Dispatch(CommandBuffer& commandBuffer, const Request& request, const char* command)
        : m_command(command),
          m_commandBuffer(commandBuffer),
          m_device(commandBuffer.device),
          m_object(*commandBuffer.graph.pipeline),
          m_request(request)
    {
    }

    void record();

private:
    void recordAll();
    void recordInFront();
    void recordDrawBarrier() const;
    void tellInline(const char* obstacle);
    const char* obstacleToSplit() const;
    bool recordFirstSweep();
    void recordMoreSweeps();
    void split();
    std::vector<VkCommandBuffer> recordHiddenSweep();
    // Step by step.
    bool separateSteps();
    VkCommandBuffer divide();
    void bindSets(VkCommandBuffer target) const
    {
        m_commandBuffer.graph.apply(m_device.table, target, *m_object.layout);
    }
    // In a command buffer that has just begun, where offsets would lead to no descriptor buffer.
    void bindBuffersAndSets(VkCommandBuffer target) const
    {
        m_commandBuffer.log.replay(kScopeDescriptorBuffers, m_device.table, target);
        bindSets(target);
    }

    const char* m_command;
    CommandBuffer& m_commandBuffer;
    Device& m_device;
    GraphObject& m_object;
    Request m_request;
    std::shared_ptr<GraphRun> m_run;
    bool m_predicated = true;  // conditional rendering is in force
    bool m_divided = false;    // before this graph
};

void Dispatch::record()
{
    if (runsInFront(m_commandBuffer, m_object)) {
        recordInFront();
        drawMeshNodes(m_commandBuffer, m_object, m_run.get());
        return;
    }
    m_commandBuffer.tellWhatIsNotKept("behind an execution graph");
    interruptRendering(m_commandBuffer, true);
    try {
        recordAll();
    } catch (...) {
        // The commands that follow rely on the render pass instance, even if nobody will run them.
        resumeRendering(m_commandBuffer, m_predicated);
        throw;
    }
    recordDrawBarrier();
    resumeRendering(m_commandBuffer, m_predicated);
    drawMeshNodes(m_commandBuffer, m_object, m_run.get());
}

// The instance goes on meanwhile, so nothing is divided and nothing needs to be set again.
void Dispatch::recordInFront()
{
    recordRest(m_commandBuffer);
    const VkCommandBuffer inside = m_commandBuffer.current;
    m_commandBuffer.current = m_commandBuffer.front.stream;
    const Finally back([&]() noexcept { m_commandBuffer.current.goBack(inside); });
    const RenderingScope& scope = m_commandBuffer.rendering;
    m_commandBuffer.front.use();
    m_request.announced = !(m_commandBuffer.usage & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
    m_request.isContinued = true;
    m_commandBuffer.log.replay(kScopeDescriptorBuffers, m_device.table, m_commandBuffer.current);
    if (scope.conditional)
        m_device.table.CmdBeginConditionalRenderingEXT(m_commandBuffer.current, &scope.conditionalInfo);
    if (recordFirstSweep() && m_run->dispatch->mayContinue()) {
        tellInline("it is inside a render pass instance that cannot be interrupted");
        recordMoreSweeps();
    }
    recordDrawBarrier();
    if (scope.conditional)
        m_device.table.CmdEndConditionalRenderingEXT(m_commandBuffer.current);
}

// Mesh shaders of the layer's wait for compute shaders by themselves.
void Dispatch::recordDrawBarrier() const
{
    if (m_run && !m_device.usesMesh())
        m_run->dispatch->recordDrawBarrier(m_commandBuffer.current);
}

// That a graph which may need more sweeps than fit into the command buffer is not continued.
void Dispatch::tellInline(const char* obstacle)
{
    if (m_commandBuffer.isNews("Millrace-graph-not-continued", m_object.name() + obstacle))
        m_device.messages().warning("Millrace-graph-not-continued", m_commandBuffer.reference(),
                                    m_object.name() + " may need more than " + std::to_string(kInlineSweeps) +
                                        " sweeps, and cannot be continued because " + obstacle,
                                    "Dispatch it outside of that, or give it scratch memory of maxSize bytes");
}

void Dispatch::recordAll()
{
    m_request.isContinued = m_device.settings().continuation == settings::Continuation::Complete;
    if (separateSteps()) {
        divide();  // from what the application has recorded before
        m_request.next = [this](VkCommandBuffer) { return divide(); };
    }
    // Secondaries are not looked for when a primary is submitted.
    m_request.announced =
        m_commandBuffer.primary && !(m_commandBuffer.usage & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
    if (recordFirstSweep() && m_run->dispatch->mayContinue() && m_request.isContinued) {
        if (const char* obstacle = obstacleToSplit()) {
            tellInline(obstacle);
            recordMoreSweeps();
        } else {
            interruptPredicate(m_commandBuffer, m_predicated);
            m_predicated = false;
            split();
        }
    }
    if (m_predicated && m_divided)
        m_commandBuffer.log.replay(kScopeOutsideRendering, m_device.table, m_commandBuffer.current);
    else if (m_predicated)
        restoreState(m_commandBuffer);
}

const char* Dispatch::obstacleToSplit() const
{
    if (m_device.unknownCommands.arePassedOn())
        return "extensions that are newer than the layer have more commands than it can redirect";
    return m_commandBuffer.rendering.obstacleToSplit();
}

// Whether each step becomes a submission of its own.
bool Dispatch::separateSteps()
{
    if (!m_device.settings().stepByStep)
        return false;
    const char* obstacle = obstacleToSplit();
    if (obstacle && m_commandBuffer.isNews("Millrace-not-step-by-step", m_object.name() + obstacle))
        m_device.messages().warning("Millrace-not-step-by-step", m_commandBuffer.reference(),
                                    m_object.name() + " runs in one submission because " + obstacle,
                                    "Dispatch it outside of that");
    return !obstacle;
}

// What follows is submitted when everything before has completed. Conditional rendering stays in force.
VkCommandBuffer Dispatch::divide()
{
    const RenderingScope& scope = m_commandBuffer.rendering;
    interruptPredicate(m_commandBuffer, true);
    if (m_commandBuffer.divide({}, m_object.name() + ", step by step"))
        bindBuffersAndSets(m_commandBuffer.current);
    if (scope.conditional)
        m_device.table.CmdBeginConditionalRenderingEXT(m_commandBuffer.current, &scope.conditionalInfo);
    m_divided = true;
    return m_commandBuffer.current;
}

bool Dispatch::recordFirstSweep()
{
    bindSets(m_commandBuffer.current);
    std::shared_ptr<runtime::RecordedDispatch> dispatch;
    const VkResult result = runtime::recordDispatch(*m_device.runtime, m_commandBuffer.current,
                                                    m_commandBuffer.graphMemory, m_request, dispatch);
    if (result != VK_SUCCESS) {
        m_commandBuffer.fail(result);
        return false;
    }
    m_run = std::make_shared<GraphRun>(m_device, m_command, m_commandBuffer.handle,
                                       m_device.graphObjects.share(handleId(handleOf<VkPipeline>(&m_object))),
                                       std::move(dispatch));
    m_commandBuffer.isReadByHost |= m_run->dispatch->isReadByHost();
    m_commandBuffer.runs.push_back(m_run);
    m_device.statusWatch->add(m_run);
    m_device.faults->watch();
    return true;
}

void Dispatch::recordMoreSweeps()
{
    m_run->recordedSweeps = kInlineSweeps;
    for (uint32_t i = 1; i < kInlineSweeps; ++i)
        m_run->dispatch->recordSweep(m_commandBuffer.current);
}

// Ends the driver's command buffer here and goes on in another one, which is submitted when the graph is complete.
void Dispatch::split()
{
    // Before the command buffer is divided: the sweep has the state that it has now.
    std::vector<VkCommandBuffer> sweep = recordHiddenSweep();
    if (sweep.empty() || !m_commandBuffer.divide({m_run, std::move(sweep)}, "behind " + m_object.name()))
        return;
    m_run->continued = true;
    m_commandBuffer.log.replay(kScopeOutsideRendering, m_device.table, m_commandBuffer.current);
}

// Empty if there is no memory.
std::vector<VkCommandBuffer> Dispatch::recordHiddenSweep()
{
    std::vector<VkCommandBuffer> steps;
    auto begin = [&] {
        // A submission holds it several times.
        const VkCommandBuffer hidden =
            m_commandBuffer.beginHidden("sweep of " + m_object.name(), VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
        if (hidden) {
            bindBuffersAndSets(hidden);
            steps.push_back(hidden);
        }
        return hidden;
    };
    auto end = [&](VkCommandBuffer hidden) {
        runtime::recordHostBarrier(*m_device.runtime, hidden);
        const VkResult result = m_device.table.EndCommandBuffer(hidden);
        if (result != VK_SUCCESS)
            m_commandBuffer.fail(result);
    };
    if (!begin())
        return {};
    runtime::NextCommandBuffer next;
    if (m_request.next)
        next = [&](VkCommandBuffer before) {
            const VkCommandBuffer hidden = begin();
            if (!hidden)
                return before;  // vkEndCommandBuffer will tell
            end(before);
            return hidden;
        };
    m_run->dispatch->recordSweep(steps.front(), next);
    end(steps.back());
    return steps;
}

// Command buffers are known only where the feature is enabled, and without it these commands must not be used.
bool featureEnabled(VkCommandBuffer handle, const char* command)
{
    const Device& device = Device::of(handle);
    if (!device.usesGraphs())
        device.messages().error("Millrace-feature", objectReference(VK_OBJECT_TYPE_COMMAND_BUFFER, handle),
                                std::string(command) + ": the feature shaderEnqueue is not enabled", kEnableFeature);
    return device.usesGraphs();
}

// Common to the three forms.
void dispatch(VkCommandBuffer handle, const char* command, const Request& form)
{
    if (!featureEnabled(handle, command))
        return;
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    const Device& device = commandBuffer.device;
    // Nobody will run it, and what it relies on may be missing.
    if (commandBuffer.failure != VK_SUCCESS)
        return;
    GraphObject* object = commandBuffer.graph.pipeline;
    if (!object) {
        const std::string rule = std::string("VUID-") + command + "-None-08606";
        if (!commandBuffer.isNews(rule, ""))
            return;
        device.messages().error(rule.c_str(), commandBuffer.reference(),
                                std::string(command) +
                                    ": no execution graph pipeline is bound to "
                                    "VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX; the command is ignored",
                                "Record vkCmdBindPipeline with that bind point before");
        return;
    }
    if (!checkDispatch(commandBuffer, *object, command, form))
        return;
    Request request = form;
    request.pipeline = &object->graph;
    request.name = object->name();
    // The layer's own mesh shaders take as many as memory has room for.
    request.maxDraws = device.usesMesh() ? UINT32_MAX : device.support.maxDrawIndirectCount;
    // Nodes see the push constants of the compute stage, as any compute shader; Vulkan has no bind point for them.
    std::vector<uint8_t> pushConstants(object->layout->pushConstantBytes);
    commandBuffer.bound.readPushConstants(VK_SHADER_STAGE_COMPUTE_BIT, pushConstants);
    request.pushConstants = pushConstants;
    Dispatch(commandBuffer, request, command).record();
}

Request requestOf(VkDeviceAddress scratch, VkDeviceSize scratchSize, Request::Form form)
{
    Request request;
    request.scratch = scratch;
    request.scratchBytes = scratchSize;
    request.form = form;
    return request;
}

VKAPI_ATTR void VKAPI_CALL CmdInitializeGraphScratchMemoryAMDX(VkCommandBuffer handle, VkPipeline executionGraph,
                                                               VkDeviceAddress scratch, VkDeviceSize scratchSize)
{
    if (!featureEnabled(handle, "vkCmdInitializeGraphScratchMemoryAMDX"))
        return;
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    Device& device = commandBuffer.device;
    const GraphObject* object = findGraph(device, executionGraph, "vkCmdInitializeGraphScratchMemoryAMDX");
    if (!object || !checkInitialize(commandBuffer, *object, scratch, scratchSize))
        return;
    // Conditional rendering does not affect this command.
    interruptRendering(commandBuffer, false);
    const auto resume = [&] { resumeRendering(commandBuffer, false); };
    rememberOrUndo(resume, [&] {
        std::shared_ptr<void> keepAlive;
        const VkResult result = runtime::recordInitialize(*device.runtime, commandBuffer.current, object->graph,
                                                          scratch, scratchSize, keepAlive, object->name());
        if (result == VK_SUCCESS)
            commandBuffer.keepAlive.push_back(std::move(keepAlive));
        else
            commandBuffer.fail(result);
        restoreState(commandBuffer);
    });
    resume();
}

VKAPI_ATTR void VKAPI_CALL CmdDispatchGraphAMDX(VkCommandBuffer handle, VkDeviceAddress scratch,
                                                VkDeviceSize scratchSize,
                                                const VkDispatchGraphCountInfoAMDX* pCountInfo)
{
    Request request = requestOf(scratch, scratchSize, Request::Form::Host);
    request.countInfo = pCountInfo;
    dispatch(handle, "vkCmdDispatchGraphAMDX", request);
}

VKAPI_ATTR void VKAPI_CALL CmdDispatchGraphIndirectAMDX(VkCommandBuffer handle, VkDeviceAddress scratch,
                                                        VkDeviceSize scratchSize,
                                                        const VkDispatchGraphCountInfoAMDX* pCountInfo)
{
    Request request = requestOf(scratch, scratchSize, Request::Form::Indirect);
    request.countInfo = pCountInfo;
    dispatch(handle, "vkCmdDispatchGraphIndirectAMDX", request);
}

VKAPI_ATTR void VKAPI_CALL CmdDispatchGraphIndirectCountAMDX(VkCommandBuffer handle, VkDeviceAddress scratch,
                                                             VkDeviceSize scratchSize, VkDeviceAddress countInfo)
{
    Request request = requestOf(scratch, scratchSize, Request::Form::IndirectCount);
    request.countAddress = countInfo;
    dispatch(handle, "vkCmdDispatchGraphIndirectCountAMDX", request);
}

}  // namespace

EntryPoints graphCommandEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(CmdInitializeGraphScratchMemoryAMDX, kUseExtension, true),
        MILLRACE_ENTRY(CmdDispatchGraphAMDX, kUseExtension, true),
        MILLRACE_ENTRY(CmdDispatchGraphIndirectAMDX, kUseExtension, true),
        MILLRACE_ENTRY(CmdDispatchGraphIndirectCountAMDX, kUseExtension, true),
    };
    return entries;
}

}  // namespace millrace::layer
