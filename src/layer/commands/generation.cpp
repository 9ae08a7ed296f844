// SPDX-License-Identifier: Apache-2.0
// vkGetGeneratedCommandsMemoryRequirementsEXT, vkCmdPreprocessGeneratedCommandsEXT, vkCmdExecuteGeneratedCommandsEXT.
#include "layer/commands/generation.h"

#include <algorithm>
#include <cstring>

#include "layer/commands/label.h"
#include "layer/commands/late_execution.h"
#include "layer/commands/recorded_members.h"
#include "layer/commands/vertex_inputs.h"
#include "layer/loader/entry_points.h"
#include "layer/objects/driver_stages.h"
#include "layer/recording/borrowed_sets.h"
#include "layer/recording/command_pool.h"

namespace millrace::layer {

namespace {

// Of what a call for generated commands has chained. Mostly that is what the layer reads.
void tellUnknown(const Device& device, const char* command, const void* chain)
{
    const VkStructureType read[] = {VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT,
                                    VK_STRUCTURE_TYPE_GENERATED_COMMANDS_SHADER_INFO_EXT};
    for (auto* item = static_cast<const VkBaseInStructure*>(chain); item; item = item->pNext)
        if (std::ranges::count(read, item->sType) == 0) {
            device.tellUnknown(command, unknownStructures(item), kLayerRuns);
            return;
        }
}

VKAPI_ATTR void VKAPI_CALL GetGeneratedCommandsMemoryRequirementsEXT(
    VkDevice handle, const VkGeneratedCommandsMemoryRequirementsInfoEXT* pInfo, VkMemoryRequirements2* pRequirements)
{
    Device& device = Device::of(handle);
    tellUnknown(device, "vkGetGeneratedCommandsMemoryRequirementsEXT", pInfo->pNext);
    const IndirectLayout* layout = device.indirectLayouts.find(handleId(pInfo->indirectCommandsLayout));
    const Choice choice =
        layout ? choiceOf(device, *layout, pInfo->indirectExecutionSet, pInfo->pNext, nullptr) : Choice();
    auto count = std::max<uint32_t>(1, static_cast<uint32_t>(choice.pipelines.size()));
    // What is in the set when a command is recorded may make more.
    const ExecutionSet* set = device.executionSets.find(handleId(pInfo->indirectExecutionSet));
    if (layout && layout->objectStages && set)
        count = mostCombinations(set->members().size(), layout->objectStages);
    uint64_t bytes = 0;
    if (layout) {
        const bool isCombined = compile(*layout, choice, pInfo->maxSequenceCount);
        bytes = sortBytes(*layout, count, pInfo->maxSequenceCount, pInfo->maxDrawCount, isCombined);
    }
    pRequirements->memoryRequirements = preprocessRequirements(device, bytes == 0 ? 0 : bytes + kPreprocessAlignment);
}

VkGeneratedCommandsInfoEXT withAlignedMemory(VkGeneratedCommandsInfoEXT info)
{
    const VkDeviceAddress address = alignPreprocess(info.preprocessAddress);
    info.preprocessSize -= std::min(address - info.preprocessAddress, info.preprocessSize);
    info.preprocessAddress = address;
    return info;
}

}  // namespace

Generation::Generation(CommandBuffer& commandBuffer, const VkGeneratedCommandsInfoEXT& info, const CommandBuffer& state)
    : m_commandBuffer(commandBuffer),
      m_state(state),
      m_device(commandBuffer.device),
      m_info(withAlignedMemory(info)),
      m_layout(m_device.indirectLayouts.find(handleId(info.indirectCommandsLayout)))
{
    m_layout = forCount(m_layout);
    if (m_layout)
        m_choice = choiceOf(m_device, *m_layout, info.indirectExecutionSet, info.pNext, &state.bound);
    combine();
}

Generation::Generation(CommandBuffer& commandBuffer, const VkGeneratedCommandsInfoEXT& info,
                       const IndirectLayout* layout, Choice choice, Streams streams)
    : m_commandBuffer(commandBuffer),
      m_state(commandBuffer),
      m_device(commandBuffer.device),
      m_info(info),
      m_layout(forCount(layout)),
      m_choice(std::move(choice)),
      m_streams(std::move(streams))
{
    combine();
}

void Generation::complain(const std::string& text) const
{
    if (m_commandBuffer.isNews("Millrace-generated-commands", text))
        m_device.messages().error("Millrace-generated-commands", m_commandBuffer.reference(),
                                  "generated commands are left out: " + text,
                                  "docs/generated-commands.md says what they need");
}

std::string Generation::labelText(std::string_view what, std::string_view more) const
{
    if (!m_device.settings().runtime.labels)
        return {};
    const size_t pipelines = static_cast<size_t>(
        std::ranges::count_if(namedPipelines(), [](const auto& pipeline) { return bool(pipeline); }));
    return "Millrace: " + std::string(what).append(more) + ", at most " + std::to_string(m_info.maxSequenceCount) +
           " sequences of " + std::to_string(pipelines) + (pipelines == 1 ? " pipeline" : " pipelines");
}

const char* Generation::wayText() const
{
    if (isDispatch())
        return "dispatches";
    if (!hasDrawTable(layout()))
        return "draws from the stream";
    return m_extent.isOrdered || m_extent.isPadded ? "draws, each sequence by itself"
                                                   : "draws, each pipeline by itself";
}

const std::shared_ptr<KeptPipeline>& Generation::firstPipeline() const
{
    static const std::shared_ptr<KeptPipeline> none;
    const auto found = std::ranges::find_if(m_pipelines, [](const auto& pipeline) { return bool(pipeline); });
    return found == m_pipelines.end() ? none : *found;
}

void Generation::combine()
{
    std::shared_ptr<KeptPipeline> combined = shouldBeOne() ? m_choice.combination->of(m_choice.pipelines) : nullptr;
    if (!combined)
        return;
    m_apart.emplace(Apart{m_layout, std::move(m_choice)});
    m_layout = forCount(m_apart->layout->combined.get());
    m_choice = Choice();
    m_choice.pipelines.push_back(std::move(combined));
}

void Generation::compileCombined()
{
    const auto combined = std::static_pointer_cast<CombinedPipelines>(firstPipeline());
    if (!combined->find(layout(), vertexInput(*combined)))
        takeApart();
}

void Generation::takeApart()
{
    m_layout = m_apart->layout;
    m_choice = std::move(m_apart->choice);
    m_apart.reset();
}

bool Generation::drawAsPreprocessed()
{
    const std::optional<Prepared> prepared = m_device.generatedCommands->prepared.find(m_info.preprocessAddress);
    if (!prepared)
        return true;
    if (dependsOnVersion())
        return prepared->version == m_choice.version;
    if (m_apart && !prepared->isAsOne)
        takeApart();
    return m_apart || !prepared->isAsOne;
}

// True if what is preprocessed is not the same for all members that may be in the set.
bool Generation::dependsOnMembers() const
{
    return shouldBeOne() || m_apart || dependsOnVersion();
}

// Kernels know what shader objects make together by numbers, and pipelines by their addresses.
bool Generation::dependsOnVersion() const
{
    return !m_choice.parts.empty() || (m_layout && m_layout->hasPipelineNumbers);
}

void Generation::notePrepared() const
{
    PreparedMemory& memory = m_device.generatedCommands->prepared;
    const Prepared prepared{m_apart.has_value(), dependsOnVersion() ? m_choice.version : 0};
    memory.note(m_info.preprocessAddress, prepared);
    m_commandBuffer.forSubmission.push_back(std::make_shared<PreparedNote>(memory, m_info.preprocessAddress, prepared));
}

void Generation::watchMembers() const
{
    const Choice& choice = namedChoice();
    std::vector<uint64_t>& versions = m_commandBuffer.memberVersions;
    if (!choice.changes || std::ranges::count(versions, choice.version) > 0)
        return;
    const VkIndirectExecutionSetEXT set = m_info.indirectExecutionSet;
    m_commandBuffer.forSubmission.push_back(
        std::make_shared<RecordedMembers>(m_device,
                                          set ? objectReference(VK_OBJECT_TYPE_INDIRECT_EXECUTION_SET_EXT, set)
                                              : objectReference(VK_OBJECT_TYPE_DEVICE, m_device.handle),
                                          choice.changes, choice.version));
    versions.push_back(choice.version);
}

bool Generation::check()
{
    if (!m_layout) {
        complain("the layout is none of this device's");
        return false;
    }
    if (m_streams.addresses.size() < m_layout->streamCount) {
        complain("they have fewer streams than the layout");
        return false;
    }
    if (gathers() && !checkStreams())
        return false;
    const bool hasSet = (m_info.indirectExecutionSet || m_choice.isSet) && !m_apart;
    // Those that numbers may name may not be there yet.
    if ((!m_layout->hasPipelineNumbers && !firstPipeline()) || layout().executionSet.has_value() != hasSet) {
        complain(
            "there is no pipeline that they can run: it has to be bound, or in the execution set, and graphics "
            "pipelines have to be created with a vertex shader, shader objects so that each declares what the next one "
            "reads");
        return false;
    }
    m_extent =
        extentOf(*m_layout, static_cast<uint32_t>(m_pipelines.size()), m_info.maxSequenceCount, m_info.maxDrawCount);
    return fitMemory() && checkDraws() && checkAddresses();
}

// Where the host knows how many sequences there are. Else the kernel looks at each.
bool Generation::checkStreams() const
{
    if (m_info.sequenceCountAddress)
        return true;
    const uint32_t count = m_info.maxSequenceCount;
    if (m_streams.sequenceIndices && m_streams.indexCount < count) {
        complain("sequencesIndexBuffer has " + std::to_string(m_streams.indexCount) + " numbers of " +
                 std::to_string(count) + " sequences");
        return false;
    }
    const commands::Gathering& gathering = *m_layout->gathering;
    if (m_streams.sequenceIndices || gathering.numbers(m_streams.bytes) >= count)
        return true;
    for (size_t i = 0; i < m_streams.bytes.size(); ++i) {
        std::vector<uint64_t> bytes(m_streams.bytes.size(), UINT64_MAX);
        bytes[i] = m_streams.bytes[i];
        const uint32_t numbers = gathering.numbers(bytes);
        if (numbers >= count)
            continue;
        complain("stream " + std::to_string(i) + " has " + std::to_string(bytes[i]) +
                 " bytes from its offset on, and tokens of " + std::to_string(numbers) + " sequences of " +
                 std::to_string(count));
        break;
    }
    return false;
}

bool Generation::checkDraws() const
{
    const bool areFew = areDrawsFew(layout(), m_extent);
    if (!areFew)
        complain(m_extent.isPadded
                     ? "the driver takes no count of draws from memory, and there may be too many to record "
                       "each of them"
                     : "the order of so many sequences cannot be kept with so many graphics pipelines in "
                       "the execution set");
    return areFew;
}

// What kernels and variants follow by themselves leads somewhere. Draws from the stream are the driver's, which takes
// buffers.
bool Generation::checkAddresses() const
{
    const auto isIn = [&](VkDeviceAddress address, VkDeviceSize bytes, const char* what) {
        const bool isKnown = m_device.addressedBuffers.find(address, bytes, 0).has_value();
        if (!isKnown)
            complain(std::string("no buffer whose address was asked for has ") + what);
        return isKnown;
    };
    if (!gathers() && !isIn(m_info.indirectAddress, m_info.indirectAddressSize, "all of the stream"))
        return false;
    if (m_info.sequenceCountAddress && !isIn(m_info.sequenceCountAddress, sizeof(uint32_t), "the sequence count"))
        return false;
    return m_memory.bytes == 0 || find(m_info.preprocessAddress, m_memory.bytes, "the memory for preprocessing");
}

// The memory is for the pipelines by themselves, which may have to do later.
bool Generation::fitExtent()
{
    if (m_apart && hasDrawTable(layout())) {
        commands::Extent apart = extentOf(*m_apart->layout, static_cast<uint32_t>(namedPipelines().size()),
                                          m_info.maxSequenceCount, m_info.maxDrawCount);
        if (mayBeApart(m_apart->layout->layout, apart)) {
            const bool fits = fitDraws(m_apart->layout->layout, m_info.preprocessSize, apart);
            m_extent.maxDrawCount = apart.maxDrawCount;
            return fits;
        }
    }
    return fitDraws(layout(), m_info.preprocessSize, m_extent);
}

// Sequences have as many draws as there is memory for: the application may ask for memory for those that it has, and
// name a greater number in the command.
bool Generation::fitMemory()
{
    const uint32_t named = m_extent.maxDrawCount;
    if (!fitExtent()) {
        complain("the memory for preprocessing is smaller than vkGetGeneratedCommandsMemoryRequirementsEXT says");
        return false;
    }
    m_memory = sortMemory(layout(), m_extent);
    if (m_extent.maxDrawCount == named)
        return true;
    const std::string text =
        "the memory for preprocessing is smaller than vkGetGeneratedCommandsMemoryRequirementsEXT "
        "says for maxDrawCount " +
        std::to_string(named) + ": sequences have at most " + std::to_string(m_extent.maxDrawCount) + " draws";
    if (m_commandBuffer.isNews("Millrace-generated-commands", text))
        m_device.messages().warning("Millrace-generated-commands", m_commandBuffer.reference(), text,
                                    "docs/generated-commands.md says what they need");
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

void Generation::barrier(VkCommandBuffer target, VkPipelineStageFlags from, VkPipelineStageFlags to,
                         VkAccessFlags access) const
{
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    barrier.dstAccessMask = access;
    m_device.table.CmdPipelineBarrier(target, from, to, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

abi::SortArguments Generation::kernelArguments() const
{
    const VkDeviceAddress base = m_info.preprocessAddress;
    abi::SortArguments arguments{};
    arguments.stream = m_info.indirectAddress;
    arguments.sequenceCount = m_info.sequenceCountAddress;
    arguments.dispatches = base + m_memory.dispatches;
    arguments.tables = base + m_memory.tables;
    arguments.entries = base + m_memory.entries;
    arguments.sums = base + m_memory.sums;
    arguments.draws = base + m_memory.draws;
    arguments.drawEntries = base + m_memory.drawEntries;
    arguments.drawCounts = m_extent.isPadded ? 0 : base + m_memory.drawCounts;
    arguments.stride = layout().stride;
    arguments.actionOffset = layout().actionOffset;
    arguments.setOffset = layout().executionSet.value_or(abi::kNoExecutionSet);
    arguments.maxSequenceCount = m_info.maxSequenceCount;
    arguments.pipelineCount = m_extent.pipelineCount;
    arguments.blockCount = m_memory.blockCount;
    arguments.maxDrawCount = isDispatch() ? 0 : m_extent.maxDrawCount;
    arguments.flags = (isCounted(layout().action) ? abi::kSortCounted : 0) |
                      (layout().indexBuffer && !layout().startsInstances ? abi::kSortNoBegin : 0);
    arguments.commandWords = commandBytes(layout().action) / 4;
    return arguments;
}

// Which pipelines the indices of shader objects mean.
bool Generation::writeParts(abi::SortArguments& arguments) const
{
    if (m_choice.parts.empty())
        return true;
    const auto* const parts = reinterpret_cast<const uint8_t*>(m_choice.parts.data());
    if (!copy(HostCopy::SetParts, {parts, m_choice.parts.size() * sizeof(uint32_t)}, arguments.setParts))
        return false;
    arguments.setSize = m_choice.setSize;
    arguments.setStages = static_cast<uint32_t>(m_choice.parts.size() / m_choice.setSize);
    return true;
}

// None without pipelines that have addresses.
bool Generation::writePlaces(uint64_t& address, uint32_t& count) const
{
    const auto* const bytes = reinterpret_cast<const uint8_t*>(m_choice.places.data());
    count = static_cast<uint32_t>(m_choice.places.size());
    return count == 0 || copy(HostCopy::PipelinePlaces, {bytes, count * sizeof(abi::PipelinePlace)}, address);
}

// What kernels behind it read, and indirect commands.
bool Generation::gather(VkCommandBuffer target) const
{
    const commands::Gathering& gathering = *m_layout->gathering;
    const std::shared_ptr<runtime::Buffer> buffer = upload(gathering.stepCount() * sizeof(abi::GatherStep));
    if (!buffer)
        return false;
    gathering.writeSteps(m_streams.addresses,
                         {reinterpret_cast<abi::GatherStep*>(buffer->data()), gathering.stepCount()});
    abi::GatherArguments arguments{};
    arguments.steps = buffer->address();
    arguments.sequenceCount = m_info.sequenceCountAddress;
    arguments.sequenceIndices = m_streams.sequenceIndices;
    arguments.indexCount = m_streams.indexCount;
    arguments.numberCount = gathering.numbers(m_streams.bytes);
    arguments.records = m_info.indirectAddress;
    if (!writePlaces(arguments.places, arguments.placeCount))
        return false;
    arguments.stepCount = static_cast<uint32_t>(gathering.stepCount());
    arguments.stride = layout().stride;
    arguments.maxSequenceCount = m_info.maxSequenceCount;
    m_device.generatedCommands->kernels.gather(target, arguments);
    return true;
}

// Behind what has used the memory before, which has read it as indirect commands and in shaders.
bool Generation::runKernels(VkCommandBuffer target) const
{
    constexpr VkPipelineStageFlags kShaders = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    const Kernels& kernels = m_device.generatedCommands->kernels;
    barrier(target, kShaders | readingStages(), kShaders, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    const Label label(m_device, target,
                      labelText(gathers()        ? "gather and prepare generated commands"
                                : needsKernels() ? "prepare generated commands"
                                                 : "check generated commands"));
    if (gathers() && !gather(target))
        return false;
    if (isChecked() && !checkStream(target))
        return false;
    if (!isDispatch() && !hasDrawTable(layout()))
        return true;
    abi::SortArguments arguments = kernelArguments();
    if (!writeParts(arguments))
        return false;
    if (m_extent.isOrdered || m_extent.isPadded) {
        kernels.order(target, arguments);
        return true;
    }
    kernels.sort(target, arguments);
    if (isDispatch())
        return true;
    const auto memory = find(m_info.preprocessAddress, m_memory.bytes, "the memory for preprocessing");
    if (memory)
        kernels.expand(target, arguments, memory->buffer, memory->offset + m_memory.dispatches);
    return memory.has_value();
}

void Generation::preprocess()
{
    m_call = Call::Preprocess;
    ++m_commandBuffer.generations;
    if (m_apart)
        compileCombined();
    if (dependsOnMembers())
        notePrepared();
    if (m_layout && !needsKernels() && !isChecked())
        return;  // draws read the stream themselves
    if (!check() || m_info.maxSequenceCount == 0)
        return;
    // Conditional rendering does not affect this command, but would affect our dispatches.
    interruptRendering(m_commandBuffer, false);
    runKernels(m_commandBuffer.current);
    m_commandBuffer.lent.lend(m_commandBuffer.current, kCompute);
    resumeRendering(m_commandBuffer, false);
}

void Generation::execute(bool isPreprocessed)
{
    m_commandBuffer.current.recordUnminding();
    ++m_commandBuffer.generations;
    if (m_apart)
        compileCombined();
    if (isPreprocessed && dependsOnMembers())
        isPreprocessed = drawAsPreprocessed();
    m_isPreprocessed = isPreprocessed;
    if (!check() || m_info.maxSequenceCount == 0)
        return;
    watchMembers();
    if (m_device.generatedCommands->tally)
        m_time = m_device.timestamps->take(m_commandBuffer.pool.queueFamily);
    if (!isDispatch()) {
        executeDraws();
        return;
    }
    tallyDispatches(false);
    startTime(m_commandBuffer.current);
    if (!isPreprocessed) {
        runKernels(m_commandBuffer.current);
        barrier(m_commandBuffer.current, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
                VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
    }
    tallyDispatches(true);
    tallyWithoutDevice();
    dispatch();
    endTime(m_commandBuffer.current);
    m_commandBuffer.lent.lend(m_commandBuffer.current, kCompute);
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
    if (variant.drawer)
        return;  // it binds what it draws with
    LentState& lent = m_commandBuffer.lent;
    const uint64_t order = m_commandBuffer.bound.pipelineOrder();
    const bool isGraphics = m_layout->bindPoint() == kGraphics;
    if (!variant.pipeline) {
        table.CmdBindShadersEXT(target, static_cast<uint32_t>(variant.stages.size()), variant.stages.data(),
                                variant.shaders.data());
    } else if (!isGraphics || !lent.hasPipeline(target, variant.pipeline, order)) {
        table.CmdBindPipeline(target, m_layout->bindPoint(), variant.pipeline);
    }
    if (isGraphics)
        lent.lendPipeline(target, variant.pipeline, order);
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

bool Generation::copy(HostCopy::Of of, std::span<const uint8_t> bytes, uint64_t& address) const
{
    HostCopy& last = m_commandBuffer.copies[of];
    if (last.address == 0 || !std::ranges::equal(last.bytes, bytes)) {
        const std::shared_ptr<runtime::Buffer> buffer = upload(bytes.size());
        if (!buffer)
            return false;
        std::ranges::copy(bytes, reinterpret_cast<uint8_t*>(buffer->data()));
        last.bytes.assign(bytes.begin(), bytes.end());
        last.address = buffer->address();
    }
    address = last.address;
    return true;
}

// A copy as they are now, since the application may change them behind this command. Draws that kernels write have
// their table in front.
bool Generation::copyPushConstants(VkPipelineBindPoint bindPoint, const SequenceLayout& layout, uint64_t& address) const
{
    address = 0;
    const size_t inFront = hasDrawTable(this->layout()) ? sizeof(abi::DrawTable) : 0;
    if (layout.pushConstantBytes + inFront == 0)
        return true;
    std::vector<uint8_t> bytes(inFront + layout.pushConstantBytes);
    if (inFront) {
        const abi::DrawTable table{m_info.preprocessAddress + m_memory.drawEntries, 0};
        std::memcpy(bytes.data(), &table, sizeof table);
    }
    const VkShaderStageFlags stages = bindPoint == kCompute ? VkShaderStageFlags{VK_SHADER_STAGE_COMPUTE_BIT}
                                                            : VK_SHADER_STAGE_ALL_GRAPHICS | kMeshStages;
    m_commandBuffer.bound.readPushConstants(stages, {bytes.data() + inFront, layout.pushConstantBytes});
    if (!copy(HostCopy::PushConstants, bytes, address))
        return false;
    address += inFront;
    return true;
}

bool Generation::bind(VkPipelineBindPoint bindPoint, const SequenceLayout& layout,
                      abi::SequenceArguments& arguments) const
{
    arguments.stream = m_info.indirectAddress;
    arguments.stride = this->layout().stride;
    if (!copyPushConstants(bindPoint, layout, arguments.pushConstants))
        return false;
    bindSets(bindPoint, layout);
    return true;
}

// What the call before has bound stays, unless there are descriptor buffers: kernels may have bound others.
void Generation::bindSets(VkPipelineBindPoint bindPoint, const SequenceLayout& layout) const
{
    LentState& lent = m_commandBuffer.lent;
    const VkCommandBuffer target = m_commandBuffer.current;
    const uint64_t order = m_commandBuffer.bound.setsOrder();
    const bool stays = bindPoint == kGraphics && !m_commandBuffer.log.has(kScopeDescriptorBuffers);
    if (!stays || !lent.hasSets(target, layout.handle, order))
        bindBorrowedSets(m_commandBuffer, bindPoint, layout);
    if (stays)
        lent.lendSets(target, layout.handle, order);
    else
        lent.lend(target, bindPoint);
}

void Generation::push(const SequenceLayout& layout, const abi::SequenceArguments& arguments) const
{
    m_device.table.CmdPushConstants(m_commandBuffer.current, layout.handle, sequenceStages(m_device), 0,
                                    sizeof arguments, &arguments);
}

// Any that there is may have a number: those that the application has not bound sets for it does not mean.
bool Generation::isMeant(const KeptPipeline& pipeline) const
{
    return !m_layout->hasPipelineNumbers || hasBorrowedSets(m_commandBuffer, kCompute, pipeline.layout());
}

// A dispatch for each pipeline, which runs all of its sequences. Layouts of a set's pipelines are compatible.
void Generation::dispatch() const
{
    const auto memory = find(m_info.preprocessAddress, m_memory.bytes, "the memory for preprocessing");
    abi::SequenceArguments arguments{};
    const SequenceLayout* bound = nullptr;
    const Label label(m_device, m_commandBuffer.current, labelText("generated ", wayText()));
    for (size_t i = 0; memory && i < m_pipelines.size(); ++i) {
        KeptPipeline* const pipeline = m_pipelines[i].get();
        const VariantHandles* const variant = pipeline && isMeant(*pipeline) ? variantOf(*pipeline) : nullptr;
        if (!variant)
            continue;
        const bool isBound = bound && (!m_layout->hasPipelineNumbers || bound == &pipeline->layout());
        if (!isBound && !bind(kCompute, pipeline->layout(), arguments))
            return;
        bound = &pipeline->layout();
        m_commandBuffer.keepAlive.push_back(m_pipelines[i]);
        arguments.table = m_info.preprocessAddress + m_memory.tables + i * sizeof(abi::SequenceTable);
        bindVariant(*pipeline, *variant);
        push(pipeline->layout(), arguments);
        m_device.table.CmdDispatchIndirect(m_commandBuffer.current, memory->buffer,
                                           memory->offset + m_memory.dispatches + i * sizeof(abi::DispatchCommand));
    }
}

namespace {

// The driver's own, on a device where the layer provides graphs alone.
VKAPI_ATTR void VKAPI_CALL CmdPreprocessGeneratedCommandsEXT(VkCommandBuffer handle,
                                                             const VkGeneratedCommandsInfoEXT* pInfo,
                                                             VkCommandBuffer stateCommandBuffer)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    if (!commandBuffer.device.usesCommands()) {
        commandBuffer.settle();
        CommandBuffer* const state = stateCommandBuffer ? &CommandBuffer::of(stateCommandBuffer) : nullptr;
        if (state)
            state->settle();
        // The state that it takes from a command buffer is that of the one that records now.
        const VkCommandBuffer current = state ? VkCommandBuffer{state->current} : VK_NULL_HANDLE;
        commandBuffer.device.table.CmdPreprocessGeneratedCommandsEXT(commandBuffer.current, pInfo, current);
        return;
    }
    tellUnknown(commandBuffer.device, "vkCmdPreprocessGeneratedCommandsEXT", pInfo->pNext);
    const CommandBuffer& state = stateCommandBuffer ? CommandBuffer::of(stateCommandBuffer) : commandBuffer;
    Generation(commandBuffer, *pInfo, state).preprocess();
}

// Null without a set.
std::shared_ptr<MemberChanges> changesOf(const Device& device, VkIndirectExecutionSetEXT handle)
{
    const std::shared_ptr<ExecutionSet> set = handle ? device.executionSets.share(handleId(handle)) : nullptr;
    return set ? std::shared_ptr<MemberChanges>(set, &set->changes) : nullptr;
}

VKAPI_ATTR void VKAPI_CALL CmdExecuteGeneratedCommandsEXT(VkCommandBuffer handle, VkBool32 isPreprocessed,
                                                          const VkGeneratedCommandsInfoEXT* pInfo)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    if (!commandBuffer.device.usesCommands()) {
        commandBuffer.settle();
        commandBuffer.device.table.CmdExecuteGeneratedCommandsEXT(commandBuffer.current, isPreprocessed, pInfo);
        return;
    }
    tellUnknown(commandBuffer.device, "vkCmdExecuteGeneratedCommandsEXT", pInfo->pNext);
    const std::shared_ptr<MemberChanges> changes = changesOf(commandBuffer.device, pInfo->indirectExecutionSet);
    const IndirectLayout* layout = commandBuffer.device.indirectLayouts.find(handleId(pInfo->indirectCommandsLayout));
    const VkGeneratedCommandsInfoEXT info = *pInfo;  // with a set nothing chained is read
    const auto execute = [=](CommandBuffer& body) { Generation(body, info, body).execute(isPreprocessed); };
    if (!changes || !layout || !executeLate(commandBuffer, *layout, changes, execute))
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
