// SPDX-License-Identifier: Apache-2.0
// What a trace says of a call that executes generated commands, and the recording of what counts its sequences (setting
// "trace").
#include "layer/commands/generation.h"
#include "layer/commands/label.h"
#include "layer/commands/sequence_tally.h"
#include "layer/commands/token_names.h"
#include "layer/submission/status_watch.h"

namespace millrace::layer {

namespace {

// By which indices of the set a sequence means each pipeline: "index 2", "indices 0 and 3".
std::vector<std::string> indexTexts(const Choice& choice)
{
    std::vector<std::string> texts(choice.pipelines.size());
    for (size_t i = 0; choice.parts.empty() && i < texts.size(); ++i)
        texts[i] = "index " + std::to_string(i);
    std::vector<std::pair<size_t, std::string>> sums{{0, ""}};
    for (size_t stage = 0; stage < choice.parts.size(); stage += choice.setSize) {
        std::vector<std::pair<size_t, std::string>> more;
        for (const auto& [sum, text] : sums)
            for (uint32_t i = 0; i < choice.setSize; ++i)
                if (choice.parts[stage + i] != abi::kNoMember)
                    more.emplace_back(sum + choice.parts[stage + i],
                                      text + (text.empty() ? "indices " : " and ") + std::to_string(i));
        sums = std::move(more);
    }
    for (const auto& [sum, text] : sums)
        if (!choice.parts.empty() && sum < texts.size())
            texts[sum] = text;
    return texts;
}

// Returns their numbers.
std::vector<uint32_t> describePipelines(const Choice& choice, trace::GeneratedCall& call)
{
    const std::vector<std::string> indices = indexTexts(choice);
    std::vector<uint32_t> numbers;
    for (uint32_t i = 0; i < choice.pipelines.size(); ++i) {
        if (!choice.pipelines[i])
            continue;
        const std::string name = choice.pipelines[i]->name();
        numbers.push_back(i);
        call.pipelines.push_back((call.hasSet ? indices[i] : "pipeline") + (name.empty() ? "" : " '" + name + "'"));
    }
    return numbers;
}

}  // namespace

// Of a combined choice, what the application named.
const IndirectLayout& Generation::namedLayout() const
{
    return m_apart ? *m_apart->layout : *m_layout;
}

// Kernels in front of a render pass instance run whatever the condition says. Dispatches are where the kernel is.
Generation::Count Generation::countOfSequences() const
{
    if (!m_device.generatedCommands->tally)
        return Count::None;
    const bool isConditional =
        m_commandBuffer.rendering.conditional ||
        (!m_commandBuffer.primary && m_commandBuffer.inheritedCondition.conditionalRenderingEnable);
    const bool isByHost = !namedLayout().layout.executionSet && m_info.sequenceCountAddress == 0;
    if (isConditional && !isDispatch())
        return Count::Unknown;
    return isByHost && !isConditional ? Count::ByHost : Count::ByDevice;
}

std::shared_ptr<TalliedCall> Generation::tallied(const std::string& unknown) const
{
    const Choice& choice = namedChoice();
    trace::GeneratedCall call;
    call.name = callText();
    call.way = wayText();
    call.tokens = tokenNames(namedLayout());
    call.maxSequences = m_info.maxSequenceCount;
    call.gathered = gathers();
    call.preprocessed = m_isPreprocessed;
    call.combined = m_apart.has_value();
    call.hasSet = namedLayout().layout.executionSet.has_value();
    call.unknown = unknown;
    std::vector<uint32_t> numbers = describePipelines(choice, call);
    return m_device.generatedCommands->tally->get(std::move(call), std::move(numbers),
                                                  static_cast<uint32_t>(choice.pipelines.size()));
}

void Generation::watch(std::shared_ptr<TalliedCall> call, runtime::Buffer counters) const
{
    auto recorded = std::make_shared<RecordedCall>(std::move(call), std::move(counters), m_time);
    m_commandBuffer.watched.push_back(recorded);
    m_device.statusWatch->add(recorded);
}

void Generation::tallyByHost(const std::string& unknown) const
{
    watch(tallied(unknown), {});
}

void Generation::startTime(VkCommandBuffer target) const
{
    if (!m_time)
        return;
    m_commandBuffer.keepAlive.push_back(m_time);
    m_time->begin(target);
}

void Generation::endTime(VkCommandBuffer target) const
{
    if (m_time)
        m_time->end(target);
}

// In front of what time is taken of, where that can be.
void Generation::tallyDispatches(bool areGathered) const
{
    if (countOfSequences() == Count::ByDevice && areGathered == (gathers() && !m_isPreprocessed))
        tallyByDevice(m_commandBuffer.current);
}

void Generation::tallyWithoutDevice() const
{
    const Count count = countOfSequences();
    if (count == Count::ByHost)
        tallyByHost("");
    if (count == Count::Unknown)
        tallyByHost("conditional rendering says whether they run");
}

void Generation::tallyByDevice(VkCommandBuffer target) const
{
    const SequenceTally& tally = *m_device.generatedCommands->tally;
    std::shared_ptr<TalliedCall> call = tallied("");
    runtime::Buffer counters;
    abi::SortArguments parts{};
    if (!tally.createCounters(*call, counters) || !writeParts(parts))
        return;
    const IndirectLayout& named = namedLayout();
    abi::TallyArguments arguments{};
    arguments.stream = m_info.indirectAddress;
    arguments.sequenceCount = m_info.sequenceCountAddress;
    arguments.setParts = parts.setParts;
    arguments.counters = counters.address();
    arguments.stride = named.layout.stride;
    arguments.setOffset = named.layout.executionSet.value_or(abi::kNoExecutionSet);
    arguments.maxSequenceCount = m_info.maxSequenceCount;
    arguments.pipelineCount = call->pipelineCount();
    arguments.setStages = parts.setStages;
    arguments.setSize = parts.setSize;
    const Label label(m_device, target, labelText("count generated commands"));
    tally.record(target, arguments);
    watch(std::move(call), std::move(counters));
}

}  // namespace millrace::layer
