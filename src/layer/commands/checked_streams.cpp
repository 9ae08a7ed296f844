// SPDX-License-Identifier: Apache-2.0
// What a call that generates commands asks of its stream, and the recording of its check (setting "validate").
#include <algorithm>

#include "layer/commands/generation.h"
#include "layer/submission/status_watch.h"

namespace millrace::layer {

StreamCheck::Subject Generation::checkSubject() const
{
    StreamCheck::Subject subject;
    subject.isDispatch = isDispatch();
    StreamRules rules;
    rules.maxDrawCount = m_extent.maxDrawCount;
    const Choice& choice = namedChoice();
    for (const std::shared_ptr<KeptPipeline>& pipeline : choice.pipelines) {
        if (!pipeline)
            continue;
        subject.hasTask = subject.hasTask || pipeline->hasTask();
        if (pullsVertices(layout()))
            rules.inputs.push_back(vertexInput(*pipeline));
    }
    subject.members = choice.parts;
    subject.areCombined = !choice.parts.empty();
    subject.setSize = subject.areCombined ? choice.setSize : static_cast<uint32_t>(choice.pipelines.size());
    if (subject.areCombined)
        subject.setStages = static_cast<uint32_t>(choice.parts.size()) / std::max(subject.setSize, 1u);
    for (const std::shared_ptr<KeptPipeline>& pipeline : choice.pipelines)
        subject.members.push_back(pipeline ? 0 : abi::kNoMember);
    rules.setStages = subject.setStages;
    rules.streamBytes = m_info.indirectAddressSize;
    rules.streams = m_streams.bytes;
    const IndirectLayout& named = namedLayout();
    subject.chooser = chooserOf(named);
    const auto pipelines = static_cast<uint32_t>(choice.pipelines.size());
    subject.placeCount =
        subject.chooser == Chooser::ShaderGroup ? pipelines / (named.hasFrontFaces ? 2 : 1) : subject.setSize;
    subject.taken = m_call == Call::Preprocess ? MembersTaken::Preprocessed
                    : m_commandBuffer.reporter ? MembersTaken::Submitted
                                               : MembersTaken::Recorded;
    subject.tokens = checkedTokens(named, rules, m_device.generatedCommands->checks->maxVertexStride());
    return subject;
}

void Generation::limitGrids(const StreamCheck::Subject& subject, abi::CheckArguments& arguments) const
{
    const TokenChecks& checks = *m_device.generatedCommands->checks;
    const GridLimits& limits = isDispatch() ? checks.dispatchLimits() : checks.meshLimits(subject.hasTask);
    std::ranges::copy(limits.groups, arguments.maxGrid);
    arguments.maxGridTotal = limits.total;
}

// Which one of the command buffer, as far as its application can know.
std::string Generation::callText() const
{
    std::string text =
        m_call == Call::Preprocess ? "vkCmdPreprocessGeneratedCommands" : "vkCmdExecuteGeneratedCommands";
    text += m_layout->streamCount ? "NV" : "EXT";
    text += ", call " + std::to_string(m_commandBuffer.generations) + " of the command buffer that generates commands";
    const std::vector<std::string>& labels = m_commandBuffer.labels;
    for (size_t i = 0; i < labels.size(); ++i)
        text += (i == 0 ? ", in the label '" : " / '") + labels[i] + "'";
    return text;
}

bool Generation::checkStream(VkCommandBuffer target) const
{
    StreamCheck::Subject subject = checkSubject();
    abi::CheckArguments arguments{};
    arguments.stream = m_info.indirectAddress;
    arguments.streamBytes = m_info.indirectAddressSize;
    arguments.sequenceCount = m_info.sequenceCountAddress;
    arguments.stride = layout().stride;
    arguments.maxSequenceCount = m_info.maxSequenceCount;
    arguments.indexTypes = layout().indexBuffer && layout().indexBuffer->types == commands::IndexBuffer::Types::Dxgi;
    if (gathers()) {
        arguments.sequenceIndices = m_streams.sequenceIndices;
        arguments.indexCount = m_streams.indexCount;
    }
    limitGrids(subject, arguments);
    if (!writePlaces(arguments.places, arguments.placeCount))
        return false;
    auto check = std::make_shared<StreamCheck>(m_device, StreamCheck::Place{m_commandBuffer.reference(), callText()},
                                               std::move(subject));
    const VkResult result = check->record(target, arguments);
    if (result != VK_SUCCESS) {
        m_commandBuffer.fail(result);
        return false;
    }
    m_commandBuffer.watched.push_back(check);
    m_device.statusWatch->add(check);
    return true;
}

}  // namespace millrace::layer
