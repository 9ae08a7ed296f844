// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/indirect_pipelines.h"

#include <algorithm>

#include "layer/commands/kept_pipelines.h"

namespace millrace::layer {

bool IndirectPipelines::insert(VkPipeline pipeline, VkDeviceAddress address, std::shared_ptr<KeptPipeline> kept)
{
    std::lock_guard lock(m_mutex);
    auto free = std::ranges::find(m_pipelines, nullptr);
    if (free == m_pipelines.end()) {
        if (m_pipelines.size() == kMaxIndirectPipelines)
            return false;
        m_pipelines.emplace_back();
        free = m_pipelines.end() - 1;
    }
    *free = std::move(kept);
    const auto number = static_cast<uint32_t>(free - m_pipelines.begin());
    m_places[pipeline] = {{address, number}, ++m_order};
    m_changes->note(number);
    return true;
}

void IndirectPipelines::remove(VkPipeline pipeline)
{
    std::shared_ptr<KeptPipeline> last;  // goes without the lock
    std::lock_guard lock(m_mutex);
    const auto found = m_places.find(pipeline);
    if (found == m_places.end())
        return;
    last = std::move(m_pipelines[found->second.number]);
    m_pipelines[found->second.number] = nullptr;
    m_places.erase(found);
}

std::optional<IndirectPipelines::Place> IndirectPipelines::find(VkPipeline pipeline) const
{
    std::lock_guard lock(m_mutex);
    const auto found = m_places.find(pipeline);
    return found == m_places.end() ? std::nullopt : std::optional<Place>(found->second);
}

void IndirectPipelines::updated(VkPipeline pipeline)
{
    std::lock_guard lock(m_mutex);
    const auto found = m_places.find(pipeline);
    if (found == m_places.end())
        return;
    Known& own = found->second;
    const bool wasOthers = std::ranges::any_of(
        m_places, [&](const auto& one) { return one.second.address == own.address && one.second.order > own.order; });
    own.order = ++m_order;
    if (wasOthers)
        m_changes->note(own.number);
}

std::vector<abi::PipelinePlace> IndirectPipelines::places() const
{
    std::vector<Known> known;
    {
        std::lock_guard lock(m_mutex);
        for (const auto& [pipeline, one] : m_places)
            known.push_back(one);
    }
    std::ranges::sort(known, [](const Known& a, const Known& b) {
        return a.address != b.address ? a.address < b.address : a.order > b.order;
    });
    std::vector<abi::PipelinePlace> places;
    for (const Known& one : known)
        if (places.empty() || places.back().address != one.address)
            places.push_back({one.address, one.number, 0});
    return places;
}

std::vector<std::shared_ptr<KeptPipeline>> IndirectPipelines::all() const
{
    std::lock_guard lock(m_mutex);
    std::vector<std::shared_ptr<KeptPipeline>> pipelines = m_pipelines;
    pipelines.resize(kMaxIndirectPipelines);
    return pipelines;
}

}  // namespace millrace::layer
