// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/graph_bindings.h"

#include <algorithm>

namespace millrace::layer {

namespace {

std::shared_ptr<DescriptorSetLayout> setLayout(const GraphLayout& layout, uint32_t set)
{
    return set < layout.sets.size() ? layout.sets[set] : nullptr;
}

void bind(const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer, VkPipelineBindPoint bindPoint,
          VkPipelineLayout layout, uint32_t set, const SetBinding& binding)
{
    switch (binding.kind) {
        case SetBinding::Kind::None:
            break;
        case SetBinding::Kind::Set:
            table.CmdBindDescriptorSets(commandBuffer, bindPoint, layout, set, 1, &binding.set,
                                        static_cast<uint32_t>(binding.dynamicOffsets.size()),
                                        binding.dynamicOffsets.data());
            break;
        case SetBinding::Kind::DescriptorBuffer:
            table.CmdSetDescriptorBufferOffsetsEXT(commandBuffer, bindPoint, layout, set, 1, &binding.bufferIndex,
                                                   &binding.bufferOffset);
            break;
        case SetBinding::Kind::EmbeddedSamplers:
            table.CmdBindDescriptorBufferEmbeddedSamplersEXT(commandBuffer, bindPoint, layout, set);
            break;
        case SetBinding::Kind::Push: {
            std::vector<VkWriteDescriptorSet> writes;
            for (const DescriptorWrite& write : binding.writes)
                writes.push_back(write.get());
            table.CmdPushDescriptorSet(commandBuffer, bindPoint, layout, set, static_cast<uint32_t>(writes.size()),
                                       writes.data());
            break;
        }
    }
}

}  // namespace

void GraphBindings::bindSets(Source source, const GraphLayout& layout, uint32_t first, uint32_t count,
                             const VkDescriptorSet* sets, uint32_t dynamicCount, const uint32_t* dynamicOffsets)
{
    const uint32_t* const end = dynamicOffsets + dynamicCount;
    for (uint32_t i = 0; i < count; ++i) {
        SetBinding& binding = replace(source, layout, first + i, SetBinding::Kind::Set);
        binding.set = sets[i];
        const size_t wanted = binding.layout ? binding.layout->dynamicDescriptors : 0;
        const auto taken = std::min<size_t>(wanted, static_cast<size_t>(end - dynamicOffsets));
        binding.dynamicOffsets.assign(dynamicOffsets, dynamicOffsets + taken);
        dynamicOffsets += taken;
    }
}

void GraphBindings::setBufferOffsets(Source source, const GraphLayout& layout, uint32_t first, uint32_t count,
                                     const uint32_t* bufferIndices, const VkDeviceSize* offsets)
{
    for (uint32_t i = 0; i < count; ++i) {
        SetBinding& binding = replace(source, layout, first + i, SetBinding::Kind::DescriptorBuffer);
        binding.bufferIndex = bufferIndices[i];
        binding.bufferOffset = offsets[i];
    }
}

void GraphBindings::clearBufferOffsets()
{
    for (Sets* sets : {&m_named, &m_stages})
        for (SetBinding& binding : *sets)
            if (binding.kind == SetBinding::Kind::DescriptorBuffer)
                binding = {};
}

void GraphBindings::bindEmbeddedSamplers(Source source, const GraphLayout& layout, uint32_t set)
{
    replace(source, layout, set, SetBinding::Kind::EmbeddedSamplers);
}

void GraphBindings::push(Source source, const GraphLayout& layout, uint32_t set, std::vector<DescriptorWrite> writes)
{
    // Pushes add up, as long as they are for the same layout.
    SetBinding& old = at(source, set);
    std::vector<DescriptorWrite> all;
    if (old.kind == SetBinding::Kind::Push && isSameSetLayout(old.layout.get(), setLayout(layout, set).get()))
        all = std::move(old.writes);
    for (DescriptorWrite& write : writes) {
        std::erase_if(all, [&](const DescriptorWrite& earlier) { return write.covers(earlier.get()); });
        all.push_back(std::move(write));
    }
    replace(source, layout, set, SetBinding::Kind::Push).writes = std::move(all);
}

void GraphBindings::apply(const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer,
                          VkPipelineBindPoint bindPoint, VkPipelineLayout layout,
                          std::span<const std::shared_ptr<DescriptorSetLayout>> sets) const
{
    for (uint32_t set = 0; set < sets.size(); ++set)
        if (const SetBinding* binding = find(set, sets[set].get()))
            bind(table, commandBuffer, bindPoint, layout, set, *binding);
}

void GraphBindings::clear()
{
    pipeline = nullptr;
    m_named.clear();
    m_stages.clear();
}

SetBinding& GraphBindings::at(Source source, uint32_t set)
{
    Sets& sets = source == Source::Named ? m_named : m_stages;
    if (sets.size() <= set)
        sets.resize(set + 1);
    return sets[set];
}

SetBinding& GraphBindings::replace(Source source, const GraphLayout& layout, uint32_t set, SetBinding::Kind kind)
{
    SetBinding& binding = at(source, set);
    binding = SetBinding{};
    binding.kind = kind;
    binding.layout = setLayout(layout, set);
    return binding;
}

const SetBinding* GraphBindings::find(uint32_t set, const DescriptorSetLayout* layout) const
{
    for (const Sets* sets : {&m_named, &m_stages}) {
        if (set >= sets->size())
            continue;
        const SetBinding& binding = (*sets)[set];
        if (binding.kind != SetBinding::Kind::None && isSameSetLayout(binding.layout.get(), layout))
            return &binding;
    }
    return nullptr;
}

}  // namespace millrace::layer
