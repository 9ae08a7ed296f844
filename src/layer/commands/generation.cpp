// SPDX-License-Identifier: Apache-2.0
// vkGetGeneratedCommandsMemoryRequirementsEXT, vkCmdPreprocessGeneratedCommandsEXT, vkCmdExecuteGeneratedCommandsEXT.
#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "layer/commands/generated_commands.h"
#include "layer/commands/vertex_inputs.h"
#include "layer/loader/device.h"
#include "layer/loader/entry_points.h"
#include "layer/recording/borrowed_sets.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layer {

namespace {

using commands::Action;

constexpr VkPipelineBindPoint kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;
constexpr VkPipelineBindPoint kGraphics = VK_PIPELINE_BIND_POINT_GRAPHICS;
constexpr VkBufferUsageFlags2 kPreprocessUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                                 VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                                                 VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;

VkMemoryRequirements requirementsOf(const Device& device, VkDeviceSize bytes)
{
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = std::max<VkDeviceSize>(bytes, 1);
    info.usage = static_cast<VkBufferUsageFlags>(kPreprocessUsage);
    VkDeviceBufferMemoryRequirements ask{VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS};
    ask.pCreateInfo = &info;
    VkMemoryRequirements2 answer{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    device.table.GetDeviceBufferMemoryRequirements(device.handle, &ask, &answer);
    answer.memoryRequirements.size = bytes;
    // Tables are read and written as 16 bytes.
    answer.memoryRequirements.alignment = std::max<VkDeviceSize>(answer.memoryRequirements.alignment, 16);
    return answer.memoryRequirements;
}

VKAPI_ATTR void VKAPI_CALL GetGeneratedCommandsMemoryRequirementsEXT(
    VkDevice handle, const VkGeneratedCommandsMemoryRequirementsInfoEXT* pInfo, VkMemoryRequirements2* pRequirements)
{
    Device& device = Device::of(handle);
    const IndirectLayout* layout = device.indirectLayouts.find(handleId(pInfo->indirectCommandsLayout));
    const ExecutionSet::Pipelines pipelines =
        pipelinesOf(device, pInfo->indirectExecutionSet, pInfo->pNext, kGraphics, nullptr);
    const auto count = std::max<uint32_t>(1, static_cast<uint32_t>(pipelines.size()));
    const uint64_t bytes = layout ? sortMemory(layout->layout, pInfo->maxSequenceCount, count).bytes : 0;
    pRequirements->memoryRequirements = requirementsOf(device, bytes);
    if (!layout)
        return;
    // They are compiled here, so that recording does not wait for it. What fails is told where it is recorded.
    for (const std::shared_ptr<KeptPipeline>& pipeline : pipelines) {
        const VariantHandles* variant = nullptr;
        const bool isKnown = pipeline && !(pipeline->hasDynamicInput() && pullsVertices(layout->layout));
        if (isKnown && pipeline->bindPoint() == layout->bindPoint())
            pipeline->get(layout->layout, {}, variant);
    }
}

// One preprocessing or execution, step by step.
class Generation {
public:
    // `state`: whose pipeline is meant, where the parameters name none.
    Generation(CommandBuffer& commandBuffer, const VkGeneratedCommandsInfoEXT& info, const CommandBuffer& state)
        : m_commandBuffer(commandBuffer),
          m_device(commandBuffer.device),
          m_info(info),
          m_layout(m_device.indirectLayouts.find(handleId(info.indirectCommandsLayout)))
    {
        if (m_layout)
            m_pipelines =
                pipelinesOf(m_device, info.indirectExecutionSet, info.pNext, m_layout->bindPoint(), &state.bound);
    }

    void preprocess();
    void execute(bool isPreprocessed);

private:
    const commands::Layout& layout() const { return m_layout->layout; }
    bool isDispatch() const { return layout().action == Action::Dispatch; }
    bool check();
    void complain(const std::string& text) const;
    void sort() const;
    void barrier(VkPipelineStageFlags from, VkPipelineStageFlags to, VkAccessFlags access) const;
    std::optional<AddressedBuffers::Range> find(VkDeviceAddress address, VkDeviceSize bytes, const char* what) const;
    commands::VertexInput vertexInput(const KeptPipeline& pipeline) const;
    const VariantHandles* variantOf(KeptPipeline& pipeline) const;
    bool restartsPrimitives(const KeptPipeline& pipeline) const;
    bool writeBoundBuffers(const KeptPipeline& pipeline, uint64_t& address) const;
    void bindVariant(const KeptPipeline& pipeline, const VariantHandles& variant) const;
    bool bind(VkPipelineBindPoint bindPoint, const SequenceLayout& layout, abi::SequenceArguments& arguments) const;
    std::shared_ptr<runtime::Buffer> upload(uint64_t bytes) const;
    bool copyPushConstants(VkPipelineBindPoint bindPoint, const SequenceLayout& layout, uint64_t& address) const;
    void push(const SequenceLayout& layout, const abi::SequenceArguments& arguments) const;
    void dispatch() const;
    void draw() const;

    CommandBuffer& m_commandBuffer;
    Device& m_device;
    const VkGeneratedCommandsInfoEXT& m_info;
    const IndirectLayout* m_layout;
    ExecutionSet::Pipelines m_pipelines;
    SortMemory m_memory;
};

void Generation::complain(const std::string& text) const
{
    if (m_commandBuffer.isNews("Millrace-generated-commands", text))
        m_device.messages().error("Millrace-generated-commands", m_commandBuffer.reference(),
                                  "generated commands are left out: " + text,
                                  "docs/generated-commands.md says what they need");
}

bool Generation::check()
{
    if (!m_layout) {
        complain("the layout is none of this device's");
        return false;
    }
    if (m_pipelines.empty() ||
        (isDispatch() && layout().executionSet.has_value() != bool(m_info.indirectExecutionSet))) {
        complain(
            "there is no pipeline that they can run: it has to be bound, or in the execution set, and graphics "
            "pipelines have to be created with a vertex shader");
        return false;
    }
    const auto count = static_cast<uint32_t>(m_pipelines.size());
    m_memory = sortMemory(layout(), m_info.maxSequenceCount, count);
    if (m_memory.bytes > m_info.preprocessSize) {
        complain("the memory for preprocessing is smaller than vkGetGeneratedCommandsMemoryRequirementsEXT says");
        return false;
    }
    return true;
}

std::optional<AddressedBuffers::Range> Generation::find(VkDeviceAddress address, VkDeviceSize bytes,
                                                        const char* what) const
{
    auto range = m_device.addressedBuffers.find(address, bytes, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    if (!range)
        complain(std::string("no buffer for indirect commands whose address was asked for has ") + what);
    return range;
}

void Generation::barrier(VkPipelineStageFlags from, VkPipelineStageFlags to, VkAccessFlags access) const
{
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    barrier.dstAccessMask = access;
    m_device.table.CmdPipelineBarrier(m_commandBuffer.current, from, to, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

// Behind what has used the memory before, which has read it as indirect commands and in shaders.
void Generation::sort() const
{
    barrier(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    abi::SortArguments arguments{};
    arguments.stream = m_info.indirectAddress;
    arguments.sequenceCount = m_info.sequenceCountAddress;
    arguments.dispatches = m_info.preprocessAddress + m_memory.dispatches;
    arguments.tables = m_info.preprocessAddress + m_memory.tables;
    arguments.entries = m_info.preprocessAddress + m_memory.entries;
    arguments.sums = m_info.preprocessAddress + m_memory.sums;
    arguments.stride = layout().stride;
    arguments.actionOffset = layout().actionOffset;
    arguments.setOffset = layout().executionSet.value_or(abi::kNoExecutionSet);
    arguments.maxSequenceCount = m_info.maxSequenceCount;
    arguments.pipelineCount = static_cast<uint32_t>(m_pipelines.size());
    arguments.blockCount = m_memory.blockCount;
    m_device.generatedCommands->kernels.record(m_commandBuffer.current, arguments);
}

void Generation::preprocess()
{
    if (!m_layout || !isDispatch()) {
        if (!m_layout)
            check();
        return;  // draws read the stream themselves
    }
    if (!check())
        return;
    // Conditional rendering does not affect this command, but would affect our dispatches.
    interruptRendering(m_commandBuffer, false);
    sort();
    m_commandBuffer.bound.restore(kCompute, m_device.table, m_commandBuffer.current);
    resumeRendering(m_commandBuffer, false);
}

void Generation::execute(bool isPreprocessed)
{
    if (!check())
        return;
    if (!isDispatch()) {
        draw();
        m_commandBuffer.bound.restore(kGraphics, m_device.table, m_commandBuffer.current);
        if (m_pipelines.front()->hasDynamicInput() && pullsVertices(layout()))
            restoreVertexInput(m_commandBuffer.log, m_device.table, m_commandBuffer.current);
        return;
    }
    if (!isPreprocessed) {
        sort();
        barrier(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
                VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
    }
    dispatch();
    m_commandBuffer.bound.restore(kCompute, m_device.table, m_commandBuffer.current);
}

commands::VertexInput Generation::vertexInput(const KeptPipeline& pipeline) const
{
    if (!pullsVertices(layout()))
        return {};
    return pipeline.hasDynamicInput() ? inputOf(vertexInputOf(m_commandBuffer.log)) : pipeline.staticInput();
}

const VariantHandles* Generation::variantOf(KeptPipeline& pipeline) const
{
    if (pipeline.bindPoint() != m_layout->bindPoint()) {
        complain("the pipeline is of another bind point than the layout");
        return nullptr;
    }
    const VariantHandles* variant = nullptr;
    const VkResult result = pipeline.get(layout(), vertexInput(pipeline), variant);
    if (result != VK_SUCCESS)
        m_commandBuffer.fail(result);
    return variant;
}

// Where vertex input is dynamic, it is set without what the variant fetches itself.
void Generation::bindVariant(const KeptPipeline& pipeline, const VariantHandles& variant) const
{
    const VkuDeviceDispatchTable& table = m_device.table;
    const VkCommandBuffer target = m_commandBuffer.current;
    if (variant.pipeline)
        table.CmdBindPipeline(target, m_layout->bindPoint(), variant.pipeline);
    else
        table.CmdBindShadersEXT(target, static_cast<uint32_t>(variant.stages.size()), variant.stages.data(),
                                variant.shaders.data());
    if (pipeline.hasDynamicInput() && pullsVertices(layout()))
        setRemainingInput(vertexInputOf(m_commandBuffer.log), layout(), table, target);
}

// Memory that the host writes now and the device reads when the command runs. Null after a failure.
std::shared_ptr<runtime::Buffer> Generation::upload(uint64_t bytes) const
{
    auto buffer = std::make_shared<runtime::Buffer>();
    const VkResult result = m_device.generatedCommands->memory.createBuffer(runtime::BufferUse::Upload, bytes, *buffer);
    if (result != VK_SUCCESS) {
        m_commandBuffer.fail(result);
        return nullptr;
    }
    m_commandBuffer.keepAlive.push_back(buffer);
    return buffer;
}

// A copy as they are now, since the application may change them behind this command.
bool Generation::copyPushConstants(VkPipelineBindPoint bindPoint, const SequenceLayout& layout, uint64_t& address) const
{
    address = 0;
    if (layout.pushConstantBytes == 0)
        return true;
    const std::shared_ptr<runtime::Buffer> buffer = upload(layout.pushConstantBytes);
    if (!buffer)
        return false;
    const VkShaderStageFlags stages = bindPoint == kCompute ? VkShaderStageFlags{VK_SHADER_STAGE_COMPUTE_BIT}
                                                            : kSequenceStages & ~VK_SHADER_STAGE_COMPUTE_BIT;
    m_commandBuffer.bound.readPushConstants(stages,
                                            {reinterpret_cast<uint8_t*>(buffer->data()), layout.pushConstantBytes});
    address = buffer->address();
    return true;
}

bool Generation::restartsPrimitives(const KeptPipeline& pipeline) const
{
    const KeptPipeline::Restart restart = pipeline.primitiveRestart();
    return restart == KeptPipeline::Restart::On ||
           (restart == KeptPipeline::Restart::Dynamic && layer::restartsPrimitives(m_commandBuffer.log));
}

// A row for each binding that the variant may fetch from.
bool Generation::writeBoundBuffers(const KeptPipeline& pipeline, uint64_t& address) const
{
    const commands::VertexInput input = vertexInput(pipeline);
    if (!layout().indexBuffer || input.bindings.empty())
        return true;
    const std::shared_ptr<runtime::Buffer> buffer = upload(input.bindings.size() * sizeof(abi::BoundVertexBuffer));
    if (!buffer)
        return false;
    auto* row = reinterpret_cast<abi::BoundVertexBuffer*>(buffer->data());
    for (const commands::VertexBinding& binding : input.bindings) {
        const VertexBufferBinding bound = vertexBufferOf(m_commandBuffer.log, binding.binding);
        const VkDeviceSize whole = m_device.addressedBuffers.sizeOf(bound.buffer);
        const VkDeviceSize size = std::min(bound.size, whole - std::min(bound.offset, whole));
        VkBufferDeviceAddressInfo ask{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
        ask.buffer = bound.buffer;
        const VkDeviceAddress begin =
            bound.buffer ? m_device.table.GetBufferDeviceAddress(m_device.handle, &ask) + bound.offset : 0;
        *row++ = {begin, static_cast<uint32_t>(std::min<VkDeviceSize>(size, UINT32_MAX)),
                  static_cast<uint32_t>(bound.stride)};
    }
    address = buffer->address();
    return true;
}

bool Generation::bind(VkPipelineBindPoint bindPoint, const SequenceLayout& layout,
                      abi::SequenceArguments& arguments) const
{
    arguments.stream = m_info.indirectAddress;
    arguments.stride = this->layout().stride;
    if (!copyPushConstants(bindPoint, layout, arguments.pushConstants))
        return false;
    bindBorrowedSets(m_commandBuffer, bindPoint, layout);
    return true;
}

void Generation::push(const SequenceLayout& layout, const abi::SequenceArguments& arguments) const
{
    m_device.table.CmdPushConstants(m_commandBuffer.current, layout.handle, kSequenceStages, 0, sizeof arguments,
                                    &arguments);
}

// A dispatch for each pipeline, which runs all of its sequences. Layouts of a set's pipelines are compatible.
void Generation::dispatch() const
{
    const auto memory = find(m_info.preprocessAddress, m_memory.bytes, "the memory for preprocessing");
    abi::SequenceArguments arguments{};
    bool isBound = false;
    for (size_t i = 0; memory && i < m_pipelines.size(); ++i) {
        KeptPipeline* const pipeline = m_pipelines[i].get();
        const VariantHandles* const variant = pipeline ? variantOf(*pipeline) : nullptr;
        if (!variant)
            continue;
        if (!isBound && !bind(kCompute, pipeline->layout(), arguments))
            return;
        isBound = true;
        m_commandBuffer.keepAlive.push_back(m_pipelines[i]);
        arguments.table = m_info.preprocessAddress + m_memory.tables + i * sizeof(abi::SequenceTable);
        bindVariant(*pipeline, *variant);
        push(pipeline->layout(), arguments);
        m_device.table.CmdDispatchIndirect(m_commandBuffer.current, memory->buffer,
                                           memory->offset + m_memory.dispatches + i * sizeof(abi::DispatchCommand));
    }
}

// The application's stream is the indirect buffer: nothing is copied, and no kernel runs.
void Generation::draw() const
{
    // Variants that fetch indices are drawn without, from the same records.
    const bool isIndexed = layout().action == Action::DrawIndexed && !layout().indexBuffer;
    const auto stream = find(m_info.indirectAddress, m_info.indirectAddressSize, "the stream");
    std::optional<AddressedBuffers::Range> count;
    if (m_info.sequenceCountAddress)
        count = find(m_info.sequenceCountAddress, sizeof(uint32_t), "the sequence count");
    if (!stream || (m_info.sequenceCountAddress && !count))
        return;
    KeptPipeline& pipeline = *m_pipelines.front();
    if (layout().indexBuffer && restartsPrimitives(pipeline)) {
        complain("primitive restart is on, which the token INDEX_BUFFER does not go with");
        return;
    }
    const VariantHandles* const variant = variantOf(pipeline);
    abi::SequenceArguments arguments{};
    if (!variant || !bind(kGraphics, pipeline.layout(), arguments) || !writeBoundBuffers(pipeline, arguments.table))
        return;
    m_commandBuffer.keepAlive.push_back(m_pipelines.front());
    const VkCommandBuffer target = m_commandBuffer.current;
    const VkuDeviceDispatchTable& table = m_device.table;
    bindVariant(pipeline, *variant);
    push(pipeline.layout(), arguments);
    const VkDeviceSize first = stream->offset + layout().actionOffset;
    const uint32_t most = m_info.maxSequenceCount;
    const uint32_t stride = layout().stride;
    if (count && isIndexed)
        table.CmdDrawIndexedIndirectCount(target, stream->buffer, first, count->buffer, count->offset, most, stride);
    else if (count)
        table.CmdDrawIndirectCount(target, stream->buffer, first, count->buffer, count->offset, most, stride);
    else if (isIndexed)
        table.CmdDrawIndexedIndirect(target, stream->buffer, first, most, stride);
    else
        table.CmdDrawIndirect(target, stream->buffer, first, most, stride);
}

// The driver's own, on a device where the layer provides graphs alone.
VKAPI_ATTR void VKAPI_CALL CmdPreprocessGeneratedCommandsEXT(VkCommandBuffer handle,
                                                             const VkGeneratedCommandsInfoEXT* pInfo,
                                                             VkCommandBuffer stateCommandBuffer)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    if (!commandBuffer.device.usesCommands()) {
        // The state that it takes from a command buffer is that of the one that records now.
        commandBuffer.device.table.CmdPreprocessGeneratedCommandsEXT(
            commandBuffer.current, pInfo, stateCommandBuffer ? CommandBuffer::of(stateCommandBuffer).current : nullptr);
        return;
    }
    const CommandBuffer& state = stateCommandBuffer ? CommandBuffer::of(stateCommandBuffer) : commandBuffer;
    Generation(commandBuffer, *pInfo, state).preprocess();
}

VKAPI_ATTR void VKAPI_CALL CmdExecuteGeneratedCommandsEXT(VkCommandBuffer handle, VkBool32 isPreprocessed,
                                                          const VkGeneratedCommandsInfoEXT* pInfo)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    if (!commandBuffer.device.usesCommands()) {
        commandBuffer.device.table.CmdExecuteGeneratedCommandsEXT(commandBuffer.current, isPreprocessed, pInfo);
        return;
    }
    Generation(commandBuffer, *pInfo, commandBuffer).execute(isPreprocessed);
}

}  // namespace

EntryPoints generatedCommandEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(GetGeneratedCommandsMemoryRequirementsEXT, kUseCommands, true),
        MILLRACE_ENTRY(CmdPreprocessGeneratedCommandsEXT, kUseState, true, kUseCommands),
        MILLRACE_ENTRY(CmdExecuteGeneratedCommandsEXT, kUseState, true, kUseCommands),
    };
    return entries;
}

}  // namespace millrace::layer
