// SPDX-License-Identifier: Apache-2.0
// One preprocessing or execution of generated commands.
#pragma once

#include <vulkan/vulkan.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/commands.h"
#include "layer/commands/generated_commands.h"
#include "layer/commands/stream_check.h"
#include "layer/loader/device.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layer {

class TalliedCall;

// Streams whose parts kernels put together in front; the records are at VkGeneratedCommandsInfoEXT::indirectAddress.
struct Streams {
    std::vector<uint64_t> addresses;
    std::vector<uint64_t> bytes;          // from there on
    VkDeviceAddress sequenceIndices = 0;  // or 0
    uint32_t indexCount = 0;              // that there are
};

// Lives while the command is recorded.
class Generation {
public:
    // `state`: whose pipeline is meant, where the parameters name none.
    Generation(CommandBuffer& commandBuffer, const VkGeneratedCommandsInfoEXT& info, const CommandBuffer& state);
    // Of VK_NV_device_generated_commands: `info` says the rest in the other extension's words. `layout` may be null.
    Generation(CommandBuffer& commandBuffer, const VkGeneratedCommandsInfoEXT& info, const IndirectLayout* layout,
               Choice choice, Streams streams);

    void preprocess();
    void execute(bool isPreprocessed);

private:
    enum class Call { Preprocess, Execute };

    static constexpr VkPipelineBindPoint kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;
    static constexpr VkPipelineBindPoint kGraphics = VK_PIPELINE_BIND_POINT_GRAPHICS;

    const commands::Layout& layout() const { return m_layout->layout; }
    // What the number of sequences needs.
    const IndirectLayout* forCount(const IndirectLayout* layout) const
    {
        return layout && layout->counted && m_info.sequenceCountAddress ? layout->counted.get() : layout;
    }
    bool gathers() const { return m_layout->gathering.has_value(); }
    bool isDispatch() const { return layout().action == commands::Action::Dispatch; }
    bool shouldBeOne() const { return m_layout && shouldCombine(*m_layout, m_choice, m_info.maxSequenceCount); }
    // The set's pipelines as one, if they should and can be.
    void combine();
    // Makes them so; undoes it where that fails.
    void compileCombined();
    void takeApart();
    // The same where the memory has been preprocessed for each of them. False if it has been for all of them as one,
    // and they no longer can be, or for others that shader objects made together.
    bool drawAsPreprocessed();
    bool dependsOnMembers() const;
    // So that it is the same for one version of them alone.
    bool dependsOnVersion() const;
    void notePrepared() const;
    // What is recorded has the members that there are now in it.
    void watchMembers() const;
    bool check();
    bool checkStreams() const;
    bool checkDraws() const;
    bool checkAddresses() const;
    bool fitMemory();
    bool fitExtent();
    void complain(const std::string& text) const;
    // "Millrace: " and what it is, with how much of it there may be.
    std::string labelText(std::string_view what, std::string_view more = {}) const;
    // How the sequences run: "dispatches", "draws from the stream".
    const char* wayText() const;
    // The pipeline whose layout and vertex input are those of all; null if there is none.
    const std::shared_ptr<KeptPipeline>& firstPipeline() const;
    std::optional<AddressedBuffers::Range> find(VkDeviceAddress address, VkDeviceSize bytes, const char* what) const;
    const VariantHandles* variantOf(KeptPipeline& pipeline) const;
    void bindVariant(const KeptPipeline& pipeline, const VariantHandles& variant) const;
    bool bind(VkPipelineBindPoint bindPoint, const SequenceLayout& layout, abi::SequenceArguments& arguments) const;
    std::shared_ptr<runtime::Buffer> upload(uint64_t bytes) const;
    // The address of memory with these bytes, which may be that of the call before.
    bool copy(HostCopy::Of of, std::span<const uint8_t> bytes, uint64_t& address) const;
    bool copyPushConstants(VkPipelineBindPoint bindPoint, const SequenceLayout& layout, uint64_t& address) const;
    void bindSets(VkPipelineBindPoint bindPoint, const SequenceLayout& layout) const;
    void push(const SequenceLayout& layout, const abi::SequenceArguments& arguments) const;

    // Kernels, and dispatches (generation.cpp). `target` takes dispatches.
    abi::SortArguments kernelArguments() const;
    bool writeParts(abi::SortArguments& arguments) const;
    bool runKernels(VkCommandBuffer target) const;
    bool gather(VkCommandBuffer target) const;
    bool writePlaces(uint64_t& address, uint32_t& count) const;
    // True if kernels run in front for what the commands do, not for checks alone.
    bool needsKernels() const { return isDispatch() || hasDrawTable(layout()) || gathers(); }
    // True if this execution runs any.
    bool runsKernels() const { return (needsKernels() || isChecked()) && !m_isPreprocessed; }
    // Setting "validate" (checked_streams.cpp).
    bool isChecked() const { return m_device.generatedCommands->checks != nullptr; }
    bool checkStream(VkCommandBuffer target) const;
    StreamCheck::Subject checkSubject() const;
    void limitGrids(const StreamCheck::Subject& subject, abi::CheckArguments& arguments) const;
    std::string callText() const;
    // Setting "trace" (tallied_sequences.cpp): how long it takes outside of instances,
    void startTime(VkCommandBuffer target) const;
    void endTime(VkCommandBuffer target) const;
    // and who counts the sequences of an execution.
    enum class Count { None, ByHost, ByDevice, Unknown };
    Count countOfSequences() const;
    const IndirectLayout& namedLayout() const;
    // `unknown`: why it is Unknown, else empty.
    std::shared_ptr<TalliedCall> tallied(const std::string& unknown) const;
    void watch(std::shared_ptr<TalliedCall> call, runtime::Buffer counters) const;
    void tallyByHost(const std::string& unknown) const;
    // `areGathered`: records that kernels gather are there.
    void tallyDispatches(bool areGathered) const;
    // Does nothing for Count::ByDevice.
    void tallyWithoutDevice() const;
    // In front of the commands or behind their kernels. `target` takes dispatches.
    void tallyByDevice(VkCommandBuffer target) const;
    void barrier(VkCommandBuffer target, VkPipelineStageFlags from, VkPipelineStageFlags to,
                 VkAccessFlags access) const;
    // Of draws, which read what kernels wrote.
    VkPipelineStageFlags readingStages() const;
    bool isMeant(const KeptPipeline& pipeline) const;
    void dispatch() const;

    // Draws (generated_draws.cpp).
    void executeDraws() const;
    // What runs in front: kernels, and what counts for a trace.
    bool writeDraws() const;
    bool writeInterrupting() const;
    bool runInFront(VkCommandBuffer target) const;
    bool goWithout(const char* obstacle) const;
    void tellUnchecked(const char* obstacle) const;
    commands::VertexInput vertexInput(const KeptPipeline& pipeline) const;
    bool hasDynamicStrides() const;
    bool restartsPrimitives(const KeptPipeline& pipeline) const;
    bool prepareDraws(const KeptPipeline& pipeline, abi::SequenceArguments& arguments) const;
    bool writeBoundBuffers(const KeptPipeline& pipeline, uint64_t& address) const;
    void drawStream() const;
    void drawRows() const;
    void drawInOrder() const;
    void drawPadded() const;
    // Null where there is no pipeline, or it can have none. They are kept while the command buffer may run.
    std::vector<const VariantHandles*> variantsOfAll() const;
    // Draws without mesh shaders and without counts, of which the first is number `first`.
    void drawNumbered(const KeptPipeline& pipeline, abi::SequenceArguments& arguments, VkBuffer buffer,
                      VkDeviceSize offset, uint32_t stride, uint32_t first, uint32_t count) const;
    void drawFromStream(const AddressedBuffers::Range& stream, const AddressedBuffers::Range* count) const;
    // Of one variant, of which it has what draws need: mesh tasks go to the layer's mesh shaders where it runs those.
    struct Variant {
        const VariantHandles& handles;
        const abi::SequenceArguments& arguments;
    };
    bool runsMeshes() const { return isMesh(layout().action) && m_device.usesMesh(); }
    void drawListed(const Variant& variant, uint64_t commands, uint32_t stride, uint64_t count, uint32_t most) const;
    void forgetDrawCount() const;
    void drawRow(const Variant& variant, const AddressedBuffers::Range& memory, uint64_t first, uint64_t countOffset,
                 uint32_t most) const;
    void drawCounted(VkBuffer buffer, VkDeviceSize offset, VkBuffer countBuffer, VkDeviceSize countOffset,
                     uint32_t most, uint32_t stride) const;

    CommandBuffer& m_commandBuffer;
    const CommandBuffer& m_state;  // in which what the commands run with is set
    Device& m_device;
    const VkGeneratedCommandsInfoEXT m_info;  // with the memory that is used
    const IndirectLayout* m_layout;
    Choice m_choice;
    // What the application named, where all pipelines of its set are one.
    struct Apart {
        const IndirectLayout* layout;
        Choice choice;
    };
    std::optional<Apart> m_apart;
    const Choice& namedChoice() const { return m_apart ? m_apart->choice : m_choice; }
    const ExecutionSet::Pipelines& namedPipelines() const { return namedChoice().pipelines; }
    Streams m_streams;
    const ExecutionSet::Pipelines& m_pipelines = m_choice.pipelines;
    commands::Extent m_extent;
    SortMemory m_memory;
    Call m_call = Call::Execute;
    std::shared_ptr<TimedPart> m_time;  // setting "trace"; else null
    bool m_isPreprocessed = false;
};

}  // namespace millrace::layer
