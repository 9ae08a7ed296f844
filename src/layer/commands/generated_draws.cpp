// SPDX-License-Identifier: Apache-2.0
// Generated draws.
#include <algorithm>

#include "layer/commands/generation.h"
#include "layer/commands/label.h"
#include "layer/commands/vertex_inputs.h"
#include "layer/recording/borrowed_sets.h"

namespace millrace::layer {

namespace {

constexpr VkAccessFlags kReading = VK_ACCESS_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_SHADER_READ_BIT;

bool isInPass(const CommandBuffer& commandBuffer)
{
    return commandBuffer.rendering.inside() ||
           (!commandBuffer.primary && (commandBuffer.usage & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT));
}

}  // namespace

VkPipelineStageFlags Generation::readingStages() const
{
    if (runsMeshes())
        return VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_VERTEX_SHADER_BIT;
    const VkPipelineStageFlags shaders =
        !isMesh(layout().action) ? VK_PIPELINE_STAGE_VERTEX_SHADER_BIT
                                 : VK_PIPELINE_STAGE_MESH_SHADER_BIT_EXT |
                                       (m_device.enabled.taskShader ? VK_PIPELINE_STAGE_TASK_SHADER_BIT_EXT : 0);
    return VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | shaders;
}

void Generation::executeDraws() const
{
    if (layout().indexBuffer &&
        std::ranges::any_of(m_pipelines, [&](const auto& one) { return one && restartsPrimitives(*one); })) {
        complain("primitive restart is on, which the token INDEX_BUFFER does not go with");
        return;
    }
    if (m_layout->needsStaticStrides && hasDynamicStrides()) {
        complain("a token VERTEX_BUFFER has no stride, and the pipeline's is dynamic");
        return;
    }
    if (runsMeshes()) {
        // Here, because `current` may be another command buffer afterwards.
        openCompanion(m_commandBuffer);
        settleWait(m_commandBuffer);
        divideInstance(m_commandBuffer);
    }
    if (isMesh(layout().action))
        m_commandBuffer.countsMeshes = m_device.shaderCounter != nullptr;
    if ((runsKernels() || countOfSequences() == Count::ByDevice) && !writeDraws())
        return;
    tallyWithoutDevice();
    const Label label(m_device, m_commandBuffer.current, labelText("generated ", wayText()));
    if (!hasDrawTable(layout()))
        drawStream();
    else if (m_extent.isPadded)
        drawPadded();
    else if (m_extent.isOrdered)
        drawInOrder();
    else
        drawRows();
    if (runsMeshes())  // which bind what they draw with
        m_commandBuffer.lent.lend(m_commandBuffer.current, kGraphics);
    if (firstPipeline()->hasDynamicInput() && pullsVertices(layout()))
        restoreVertexInput(m_commandBuffer.log, m_device.table, m_commandBuffer.current);
}

// Kernels do not run inside a render pass instance, so they go in front of it.
bool Generation::writeDraws() const
{
    // Where the primary command buffer cannot execute it, none of the secondary one is drawn: not for a look alone.
    if (needsKernels() && runsKernels())
        openCompanion(m_commandBuffer);
    settleWait(m_commandBuffer);
    Front& front = m_commandBuffer.front;
    if (!isInPass(m_commandBuffer) || !front.isOpen())
        return writeInterrupting();
    recordRest(m_commandBuffer);
    front.use();
    // What the stream says may have been made visible for the instance alone.
    VkMemoryBarrier all{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    all.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    all.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    m_device.table.CmdPipelineBarrier(front.stream, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &all, 0, nullptr, 0, nullptr);
    const bool hasRun = runInFront(front.stream);
    if (runsMeshes())  // they run there, too
        barrier(front.stream, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                VK_ACCESS_SHADER_READ_BIT);
    return hasRun;
}

bool Generation::runInFront(VkCommandBuffer target) const
{
    if (runsKernels()) {
        startTime(target);
        if (!runKernels(target))
            return false;
        endTime(target);
    }
    if (countOfSequences() == Count::ByDevice)
        tallyByDevice(target);
    return true;
}

void Generation::tellUnchecked(const char* obstacle) const
{
    const std::string text =
        std::string("a stream of generated commands is not checked, because the command is ") + obstacle;
    if (m_commandBuffer.isNews("Millrace-token-stream", text))
        m_device.messages().info("Millrace-token-stream", m_commandBuffer.reference(), text,
                                 "With explicit preprocessing it can be checked, see docs/generated-commands.md");
}

// Where nothing runs in front. False if the commands need it.
bool Generation::goWithout(const char* obstacle) const
{
    if (needsKernels() && !m_isPreprocessed) {
        complain(std::string("kernels have to run in front, unless the layout has explicit preprocessing, and the "
                             "command is ") +
                 obstacle);
        return false;
    }
    if (isChecked() && !m_isPreprocessed)
        tellUnchecked(obstacle);
    if (countOfSequences() == Count::ByDevice)
        tallyByHost(std::string("the command is ") + obstacle);
    return true;
}

// Where there is no stream in front, as far as the instance may be interrupted.
bool Generation::writeInterrupting() const
{
    const char* obstacle = m_commandBuffer.rendering.obstacleToDispatch();
    if (!m_commandBuffer.primary && isInPass(m_commandBuffer))
        obstacle = "in a secondary command buffer";
    if (obstacle)
        return goWithout(m_commandBuffer.front.obstacle ? m_commandBuffer.front.obstacle : obstacle);
    interruptRendering(m_commandBuffer, false);
    const bool hasRun = runInFront(m_commandBuffer.current);
    barrier(m_commandBuffer.current, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, readingStages(), kReading);
    m_commandBuffer.lent.lend(m_commandBuffer.current, kCompute);
    resumeRendering(m_commandBuffer, false);
    return hasRun;
}

commands::VertexInput Generation::vertexInput(const KeptPipeline& pipeline) const
{
    if (!pullsVertices(layout()))
        return {};
    return pipeline.hasDynamicInput() ? inputOf(vertexInputOf(m_state.log)) : pipeline.staticInput();
}

// Of a binding whose buffer tokens say.
bool Generation::hasDynamicStrides() const
{
    return std::ranges::any_of(m_pipelines, [&](const std::shared_ptr<KeptPipeline>& pipeline) {
        const commands::VertexInput input = pipeline ? vertexInput(*pipeline) : commands::VertexInput();
        return std::ranges::any_of(layout().vertexBuffers, [&](const commands::VertexBuffer& buffer) {
            const auto found = std::ranges::find(input.bindings, buffer.binding, &commands::VertexBinding::binding);
            return found != input.bindings.end() && !found->strideBytes;
        });
    });
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
    std::vector<abi::BoundVertexBuffer> rows;
    for (const commands::VertexBinding& binding : input.bindings) {
        const VertexBufferBinding bound = vertexBufferOf(m_commandBuffer.log, binding.binding);
        const VkDeviceSize whole = m_device.addressedBuffers.sizeOf(bound.buffer);
        const VkDeviceSize size = std::min(bound.size, whole - std::min(bound.offset, whole));
        VkBufferDeviceAddressInfo ask{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
        ask.buffer = bound.buffer;
        const VkDeviceAddress begin =
            bound.buffer ? m_device.table.GetBufferDeviceAddress(m_device.handle, &ask) + bound.offset : 0;
        rows.push_back({begin, static_cast<uint32_t>(std::min<VkDeviceSize>(size, UINT32_MAX)),
                        static_cast<uint32_t>(bound.stride)});
    }
    const auto* const bytes = reinterpret_cast<const uint8_t*>(rows.data());
    return copy(HostCopy::VertexBuffers, {bytes, rows.size() * sizeof rows[0]}, address);
}

bool Generation::prepareDraws(const KeptPipeline& pipeline, abi::SequenceArguments& arguments) const
{
    return bind(kGraphics, pipeline.layout(), arguments) && writeBoundBuffers(pipeline, arguments.table);
}

// The application's stream is the indirect buffer: nothing is copied, and no kernel runs.
void Generation::drawStream() const
{
    const auto stream = find(m_info.indirectAddress, m_info.indirectAddressSize, "the stream");
    std::optional<AddressedBuffers::Range> count;
    if (m_info.sequenceCountAddress)
        count = find(m_info.sequenceCountAddress, sizeof(uint32_t), "the sequence count");
    if (!stream || (m_info.sequenceCountAddress && !count))
        return;
    drawFromStream(*stream, count ? &*count : nullptr);
}

void Generation::drawFromStream(const AddressedBuffers::Range& stream, const AddressedBuffers::Range* count) const
{
    KeptPipeline& pipeline = *firstPipeline();
    const VariantHandles* const variant = variantOf(pipeline);
    abi::SequenceArguments arguments{};
    if (!variant || !prepareDraws(pipeline, arguments))
        return;
    m_commandBuffer.keepAlive.push_back(firstPipeline());
    bindVariant(pipeline, *variant);
    const VkDeviceSize first = stream.offset + layout().actionOffset;
    const uint32_t most = m_info.maxSequenceCount;
    const uint32_t stride = layout().stride;
    forgetDrawCount();
    if (!isMesh(layout().action) && !count) {
        drawNumbered(pipeline, arguments, stream.buffer, first, stride, 0, most);
        return;
    }
    push(pipeline.layout(), arguments);
    if (variant->drawer)
        drawListed({*variant, arguments}, m_info.indirectAddress + layout().actionOffset, stride,
                   m_info.sequenceCountAddress, most);
    else if (count)
        drawCounted(stream.buffer, first, count->buffer, count->offset, most, stride);
    else
        m_device.table.CmdDrawMeshTasksIndirectEXT(m_commandBuffer.current, stream.buffer, first, most, stride);
}

// A draw with a count has the driver limit all later ones of the command buffer, the application's among them. One that
// limits nothing, and draws nothing, ends that.
void Generation::forgetDrawCount() const
{
    const VkBuffer limitless = m_device.generatedCommands->limitless.handle();
    if (limitless && !isMesh(layout().action))
        m_device.table.CmdDrawIndirectCount(m_commandBuffer.current, limitless, 0, limitless, 0, 0,
                                            sizeof(VkDrawIndirectCommand));
}

// One multi-draw for each pipeline, of all its draws in their order.
void Generation::drawRows() const
{
    const auto memory = find(m_info.preprocessAddress, m_memory.bytes, "the memory for preprocessing");
    abi::SequenceArguments arguments{};
    if (!memory || !prepareDraws(*firstPipeline(), arguments))
        return;
    const auto most = static_cast<uint32_t>(m_extent.rowDraws());
    for (uint32_t i = 0; i < m_pipelines.size(); ++i) {
        KeptPipeline* const pipeline = m_pipelines[i].get();
        const VariantHandles* const variant = pipeline ? variantOf(*pipeline) : nullptr;
        if (!variant)
            continue;
        m_commandBuffer.keepAlive.push_back(m_pipelines[i]);
        bindVariant(*pipeline, *variant);
        arguments.firstSequence = i * most;
        push(pipeline->layout(), arguments);
        drawRow({*variant, arguments}, *memory, i * m_extent.rowDraws(),
                m_memory.tables + i * sizeof(abi::SequenceTable) + offsetof(abi::SequenceTable, groupCount), most);
    }
}

std::vector<const VariantHandles*> Generation::variantsOfAll() const
{
    std::vector<const VariantHandles*> variants;
    for (const std::shared_ptr<KeptPipeline>& pipeline : m_pipelines) {
        variants.push_back(pipeline ? variantOf(*pipeline) : nullptr);
        if (pipeline)
            m_commandBuffer.keepAlive.push_back(pipeline);
    }
    return variants;
}

// A draw for each sequence and pipeline, of which one has work. What is pushed is the same for all pipelines of a
// sequence, and their layouts agree in it. The first pipeline of a sequence is the last of the one before, which is
// bound.
void Generation::drawInOrder() const
{
    const auto memory = find(m_info.preprocessAddress, m_memory.bytes, "the memory for preprocessing");
    abi::SequenceArguments arguments{};
    if (!memory || !prepareDraws(*firstPipeline(), arguments))
        return;
    const std::vector<const VariantHandles*> variants = variantsOfAll();
    const uint32_t most = m_extent.maxDrawCount;
    const auto count = static_cast<uint32_t>(m_pipelines.size());
    for (uint32_t sequence = 0; sequence < m_info.maxSequenceCount; ++sequence) {
        arguments.firstSequence = sequence * most;
        push(firstPipeline()->layout(), arguments);
        for (uint32_t n = 0; n < count; ++n) {
            const uint32_t i = sequence % 2 == 0 ? n : count - 1 - n;
            if (!variants[i])
                continue;
            bindVariant(*m_pipelines[i], *variants[i]);
            drawRow({*variants[i], arguments}, *memory, uint64_t{sequence} * most,
                    m_memory.drawCounts + 4 * (uint64_t{sequence} * count + i), most);
        }
    }
}

// Where nobody counts draws: all that there may be, in rows for each sequence and pipeline. Those of one pipeline are
// one row.
void Generation::drawPadded() const
{
    const auto memory = find(m_info.preprocessAddress, m_memory.bytes, "the memory for preprocessing");
    abi::SequenceArguments arguments{};
    if (!memory || !prepareDraws(*firstPipeline(), arguments))
        return;
    const std::vector<const VariantHandles*> variants = variantsOfAll();
    const auto count = static_cast<uint32_t>(m_pipelines.size());
    const uint32_t sequences = count == 1 ? 1 : m_info.maxSequenceCount;
    const auto draws = static_cast<uint32_t>(m_extent.rowDraws() * m_extent.rows() / (uint64_t{sequences} * count));
    const uint32_t stride = commandBytes(layout().action);
    for (uint32_t sequence = 0; sequence < sequences; ++sequence)
        for (uint32_t n = 0; n < count; ++n) {
            const uint32_t i = sequence % 2 == 0 ? n : count - 1 - n;
            if (!variants[i])
                continue;
            bindVariant(*m_pipelines[i], *variants[i]);
            const uint32_t first = (sequence * count + i) * draws;
            drawNumbered(*m_pipelines[i], arguments, memory->buffer,
                         memory->offset + m_memory.draws + VkDeviceSize{first} * stride, stride, first, draws);
        }
}

void Generation::drawNumbered(const KeptPipeline& pipeline, abi::SequenceArguments& arguments, VkBuffer buffer,
                              VkDeviceSize offset, uint32_t stride, uint32_t first, uint32_t count) const
{
    // Variants that fetch indices are drawn without, from the same records.
    const bool hasIndices = isIndexed(layout().action) && !layout().indexBuffer;
    const auto draw = hasIndices ? m_device.table.CmdDrawIndexedIndirect : m_device.table.CmdDrawIndirect;
    const uint32_t most = layout().numbersDraws ? m_device.support.maxDrawIndirectCount : 1;
    for (uint32_t done = 0; done < count;) {
        const uint32_t now = std::min(most, count - done);
        arguments.firstSequence = first + done;
        push(pipeline.layout(), arguments);
        draw(m_commandBuffer.current, buffer, offset + VkDeviceSize{done} * stride, now, stride);
        done += now;
    }
}

// Grids at an address. `count`: address of their number, or 0.
void Generation::drawListed(const Variant& variant, uint64_t commands, uint32_t stride, uint64_t count,
                            uint32_t most) const
{
    const auto bindSets = [&](VkCommandBuffer target, VkPipelineBindPoint bindPoint, const SequenceLayout& layout) {
        bindBorrowedSets(m_commandBuffer, kGraphics, layout, target, bindPoint);
    };
    const auto* const constants = reinterpret_cast<const uint8_t*>(&variant.arguments);
    variant.handles.drawer->draw(m_commandBuffer, {.what = "what generated commands draw",
                                                   .commands = commands,
                                                   .stride = stride,
                                                   .count = count,
                                                   .most = most,
                                                   .pushConstants = {constants, sizeof variant.arguments},
                                                   .bindSets = bindSets});
}

// From draw number `first` on, as many as the word at `countOffset` of the memory for preprocessing says.
void Generation::drawRow(const Variant& variant, const AddressedBuffers::Range& memory, uint64_t first,
                         uint64_t countOffset, uint32_t most) const
{
    const uint32_t stride = commandBytes(layout().action);
    if (variant.handles.drawer) {
        const VkDeviceAddress base = m_info.preprocessAddress;
        drawListed(variant, base + m_memory.draws + first * stride, stride, base + countOffset, most);
        return;
    }
    drawCounted(memory.buffer, memory.offset + m_memory.draws + first * stride, memory.buffer,
                memory.offset + countOffset, most, stride);
}

void Generation::drawCounted(VkBuffer buffer, VkDeviceSize offset, VkBuffer countBuffer, VkDeviceSize countOffset,
                             uint32_t most, uint32_t stride) const
{
    const VkuDeviceDispatchTable& table = m_device.table;
    // Variants that fetch indices are drawn without, from the same records.
    const bool hasIndices = isIndexed(layout().action) && !layout().indexBuffer;
    const auto draw = isMesh(layout().action) ? table.CmdDrawMeshTasksIndirectCountEXT
                      : hasIndices            ? table.CmdDrawIndexedIndirectCount
                                              : table.CmdDrawIndirectCount;
    draw(m_commandBuffer.current, buffer, offset, countBuffer, countOffset, most, stride);
    forgetDrawCount();
}

}  // namespace millrace::layer
