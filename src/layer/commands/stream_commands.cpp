// SPDX-License-Identifier: Apache-2.0
// vkGetGeneratedCommandsMemoryRequirementsNV, vkCmdPreprocessGeneratedCommandsNV, vkCmdExecuteGeneratedCommandsNV: the
// same machinery as that of VK_EXT_device_generated_commands, behind a kernel that gathers records where streams do not
// have them as they are.
#include <algorithm>
#include <memory>
#include <span>

#include "layer/commands/generation.h"
#include "layer/commands/late_execution.h"
#include "layer/loader/entry_points.h"

namespace millrace::layer {

namespace {

// Of the records in front of what other kernels leave.
uint64_t recordBytes(const IndirectLayout& layout, uint32_t maxSequences)
{
    return layout.gathering ? alignPreprocess(uint64_t{layout.layout.stride} * maxSequences) : 0;
}

// A pipeline for each front face, in place of each. Behind the index of a pipeline, if there are several, is that of
// the front face.
void chooseFrontFaces(Choice& choice, bool hasIndices)
{
    ExecutionSet::Pipelines pipelines;
    for (const std::shared_ptr<KeptPipeline>& pipeline : choice.pipelines)
        for (const VkFrontFace face : {VK_FRONT_FACE_COUNTER_CLOCKWISE, VK_FRONT_FACE_CLOCKWISE})
            pipelines.push_back(pipeline ? pipeline->withFrontFace(face) : nullptr);
    if (hasIndices) {
        const auto count = static_cast<uint32_t>(choice.pipelines.size());
        choice.setSize = std::max(count, 2u);
        choice.parts.assign(size_t{choice.setSize} * 2, abi::kNoMember);
        for (uint32_t i = 0; i < count; ++i)
            choice.parts[i] = 2 * i;
        for (uint32_t face : {0u, 1u})
            choice.parts[choice.setSize + face] = face;
    }
    choice.pipelines = std::move(pipelines);
}

// `bound`: what is bound where the command is recorded, or null; it may be a shader group of the pipeline.
Choice choiceOf(const Device& device, const IndirectLayout& layout, VkPipeline pipeline, VkPipeline bound)
{
    const KeptPipelines& kept = *device.generatedCommands->pipelines;
    Choice choice;
    choice.isSet = layout.layout.executionSet.has_value();
    if (layout.hasPipelineNumbers) {
        choice.changes = kept.indirect().changes();
        choice.version = choice.changes->version();
        choice.pipelines = kept.indirect().all();
        choice.places = kept.indirect().places();
        return choice;
    }
    if (layout.hasShaderGroups) {
        choice.pipelines = kept.groupsOf(pipeline);
        choice.combination = kept.combinationOf(pipeline);
    } else if (std::shared_ptr<KeptPipeline> one = kept.find(kept.isPart(pipeline, bound) ? bound : pipeline)) {
        choice.pipelines.push_back(std::move(one));
    }
    if (layout.hasFrontFaces)
        chooseFrontFaces(choice, layout.hasShaderGroups);
    return choice;
}

VKAPI_ATTR void VKAPI_CALL GetGeneratedCommandsMemoryRequirementsNV(
    VkDevice handle, const VkGeneratedCommandsMemoryRequirementsInfoNV* pInfo, VkMemoryRequirements2* pRequirements)
{
    Device& device = Device::of(handle);
    const IndirectLayout* layout = device.indirectLayouts.find(handleId(pInfo->indirectCommandsLayout));
    uint64_t bytes = 0;
    if (layout) {
        const Choice choice = choiceOf(device, *layout, pInfo->pipeline, VK_NULL_HANDLE);
        const auto count = std::max<uint32_t>(1, static_cast<uint32_t>(choice.pipelines.size()));
        const bool isCombined = !layout->hasPipelineNumbers && compile(*layout, choice, pInfo->maxSequencesCount);
        bytes = recordBytes(*layout, pInfo->maxSequencesCount) +
                sortBytes(*layout, count, pInfo->maxSequencesCount, 0, isCombined);
    }
    // Applications make a buffer in any case.
    pRequirements->memoryRequirements = preprocessRequirements(device, bytes + kPreprocessAlignment);
}

// The parameters in the words of the other extension. Addresses of the application's buffers are asked for here.
class Translation {
public:
    Translation(Device& device, const VkGeneratedCommandsInfoNV& info)
        : m_device(device),
          m_bindPoint(info.pipelineBindPoint),
          m_pipeline(info.pipeline),
          m_layout(device.indirectLayouts.find(handleId(info.indirectCommandsLayout)))
    {
        m_out.maxSequenceCount = info.sequencesCount;
        m_out.sequenceCountAddress = addressOf(info.sequencesCountBuffer, info.sequencesCountOffset);
        for (const VkIndirectCommandsStreamNV& stream : std::span(info.pStreams, info.streamCount)) {
            m_streams.addresses.push_back(addressOf(stream.buffer, stream.offset));
            m_streams.bytes.push_back(bytesOf(stream.buffer, stream.offset));
        }
        m_streams.sequenceIndices = addressOf(info.sequencesIndexBuffer, info.sequencesIndexOffset);
        m_streams.indexCount = static_cast<uint32_t>(std::min<VkDeviceSize>(
            bytesOf(info.sequencesIndexBuffer, info.sequencesIndexOffset) / sizeof(uint32_t), UINT32_MAX));
        if (m_layout)
            place(*m_layout, info);
    }
    Translation(const Translation&) = delete;
    Translation& operator=(const Translation&) = delete;

    Generation generation(CommandBuffer& commandBuffer) const
    {
        const VkPipeline bound = commandBuffer.bound.pipeline(m_bindPoint);
        Choice choice = m_layout ? choiceOf(m_device, *m_layout, m_pipeline, bound) : Choice();
        return {commandBuffer, m_out, m_layout, std::move(choice), m_streams};
    }

    // Null if there is none.
    const IndirectLayout* layout() const { return m_layout; }

private:
    VkDeviceAddress addressOf(VkBuffer buffer, VkDeviceSize offset) const
    {
        if (!buffer)
            return 0;
        VkBufferDeviceAddressInfo ask{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
        ask.buffer = buffer;
        const VkDeviceAddress address = m_device.table.GetBufferDeviceAddress(m_device.handle, &ask);
        m_device.addressedBuffers.addressed(buffer, address);
        return address + offset;
    }

    // From there on.
    VkDeviceSize bytesOf(VkBuffer buffer, VkDeviceSize offset) const
    {
        const VkDeviceSize size = m_device.addressedBuffers.sizeOf(buffer);
        return size - std::min(offset, size);
    }

    // Where records are, and what is left of the memory for preprocessing behind them.
    void place(const IndirectLayout& layout, const VkGeneratedCommandsInfoNV& info)
    {
        const VkDeviceAddress given = addressOf(info.preprocessBuffer, info.preprocessOffset);
        const VkDeviceAddress memory = alignPreprocess(given);
        const uint64_t records = recordBytes(layout, info.sequencesCount);
        const uint64_t lost = memory - given + records;
        m_out.preprocessAddress = memory + records;
        m_out.preprocessSize = info.preprocessSize - std::min(lost, info.preprocessSize);
        m_out.indirectAddress = memory;
        m_out.indirectAddressSize = uint64_t{layout.layout.stride} * info.sequencesCount;
        if (layout.gathering || layout.onlyStream >= info.streamCount)
            return;
        m_out.indirectAddress = m_streams.addresses[layout.onlyStream];
        // Records may be cut off behind what the last sequence needs of its own.
        const uint64_t last = layout.layout.actionOffset + commands::actionBytes(layout.layout.action);
        m_out.indirectAddressSize -= layout.layout.stride - std::min<uint64_t>(last, layout.layout.stride);
        // Of a number of sequences that the host does not know, the buffer may have fewer.
        if (m_out.sequenceCountAddress)
            m_out.indirectAddressSize = std::min(m_out.indirectAddressSize, m_streams.bytes[layout.onlyStream]);
    }

    Device& m_device;
    const VkPipelineBindPoint m_bindPoint;
    const VkPipeline m_pipeline;
    const IndirectLayout* m_layout;
    VkGeneratedCommandsInfoEXT m_out{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT};
    Streams m_streams;
};

// The driver's own, on a device where the layer provides something else.
VKAPI_ATTR void VKAPI_CALL CmdPreprocessGeneratedCommandsNV(VkCommandBuffer handle,
                                                            const VkGeneratedCommandsInfoNV* pInfo)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    if (!commandBuffer.device.usesTokenStreams()) {
        commandBuffer.settle();
        commandBuffer.device.table.CmdPreprocessGeneratedCommandsNV(commandBuffer.current, pInfo);
        return;
    }
    commandBuffer.device.tellUnknown("vkCmdPreprocessGeneratedCommandsNV", unknownStructures(pInfo->pNext), kLayerRuns);
    const Translation translation(commandBuffer.device, *pInfo);
    translation.generation(commandBuffer).preprocess();
}

VKAPI_ATTR void VKAPI_CALL CmdExecuteGeneratedCommandsNV(VkCommandBuffer handle, VkBool32 isPreprocessed,
                                                         const VkGeneratedCommandsInfoNV* pInfo)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    if (!commandBuffer.device.usesTokenStreams()) {
        commandBuffer.settle();
        commandBuffer.device.table.CmdExecuteGeneratedCommandsNV(commandBuffer.current, isPreprocessed, pInfo);
        return;
    }
    commandBuffer.device.tellUnknown("vkCmdExecuteGeneratedCommandsNV", unknownStructures(pInfo->pNext), kLayerRuns);
    const auto translation = std::make_shared<const Translation>(commandBuffer.device, *pInfo);
    const auto execute = [=](CommandBuffer& body) { translation->generation(body).execute(isPreprocessed); };
    const IndirectLayout* layout = translation->layout();
    const bool mayBeLate = layout && layout->hasPipelineNumbers;
    const auto& changes = commandBuffer.device.generatedCommands->pipelines->indirect().changes();
    if (!mayBeLate || !executeLate(commandBuffer, *layout, changes, execute))
        execute(commandBuffer);
}

VKAPI_ATTR void VKAPI_CALL GetPipelineIndirectMemoryRequirementsNV(VkDevice handle, const VkComputePipelineCreateInfo*,
                                                                   VkMemoryRequirements2* pRequirements)
{
    pRequirements->memoryRequirements = preprocessRequirements(Device::of(handle), kIndirectPipelineBytes);
}

VKAPI_ATTR VkDeviceAddress VKAPI_CALL
GetPipelineIndirectDeviceAddressNV(VkDevice handle, const VkPipelineIndirectDeviceAddressInfoNV* pInfo)
{
    const auto place = Device::of(handle).generatedCommands->pipelines->indirect().find(pInfo->pipeline);
    return place ? place->address : 0;
}

VKAPI_ATTR void VKAPI_CALL CmdUpdatePipelineIndirectBufferNV(VkCommandBuffer handle, VkPipelineBindPoint bindPoint,
                                                             VkPipeline pipeline)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    Device& device = commandBuffer.device;
    if (!device.usesTokenStreams()) {
        device.table.CmdUpdatePipelineIndirectBufferNV(commandBuffer.current, bindPoint, pipeline);
        return;
    }
    const auto place = device.generatedCommands->pipelines->indirect().find(pipeline);
    const auto memory =
        place ? device.addressedBuffers.find(place->address, sizeof(uint32_t), VK_BUFFER_USAGE_TRANSFER_DST_BIT)
              : std::nullopt;
    if (memory) {
        device.generatedCommands->pipelines->indirect().updated(pipeline);
        device.table.CmdFillBuffer(commandBuffer.current, memory->buffer, memory->offset, sizeof(uint32_t),
                                   abi::kPipelineMark | place->number);
        return;
    }
    const std::string text =
        "vkCmdUpdatePipelineIndirectBufferNV: the pipeline has no address, or no buffer that transfers may write has "
        "it";
    if (commandBuffer.isNews("Millrace-generated-commands", text))
        device.messages().error("Millrace-generated-commands", commandBuffer.reference(), text,
                                "docs/generated-commands.md says what pipelines have addresses");
}

}  // namespace

EntryPoints streamCommandEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(GetGeneratedCommandsMemoryRequirementsNV, kUseTokenStreams, true),
        MILLRACE_ENTRY(GetPipelineIndirectMemoryRequirementsNV, kUseTokenStreams, true),
        MILLRACE_ENTRY(GetPipelineIndirectDeviceAddressNV, kUseTokenStreams, true),
        MILLRACE_ENTRY(CmdUpdatePipelineIndirectBufferNV, kUseState, true, kUseTokenStreams),
        MILLRACE_ENTRY(CmdPreprocessGeneratedCommandsNV, kUseState, true, kUseTokenStreams),
        MILLRACE_ENTRY(CmdExecuteGeneratedCommandsNV, kUseState, true, kUseTokenStreams),
    };
    return entries;
}

}  // namespace millrace::layer
