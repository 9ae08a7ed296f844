// SPDX-License-Identifier: Apache-2.0
#include "layer/chains/unknown_structures.h"

#include <algorithm>

#include "layer/base/messages.h"
#include "layer/chains/chain_copy.h"

namespace millrace::layer {

namespace {

std::string numbers(const StructureTypes& types)
{
    std::string text;
    for (VkStructureType type : types)
        text += (text.empty() ? "" : ", ") + std::to_string(type);
    return text;
}

}  // namespace

StructureTypes missingStructures(const void* original, const void* copy)
{
    StructureTypes missing;
    for (auto* item = static_cast<const VkBaseInStructure*>(original); item; item = item->pNext)
        if (!findInChain<VkBaseInStructure>(copy, item->sType))
            missing.push_back(item->sType);
    return missing;
}

StructureTypes unknownStructures(const void* chain)
{
    return chain ? missingStructures(chain, ChainCopy(chain).get()) : StructureTypes{};
}

bool hasUnknownStructures(const void* chain)
{
    return chain && !unknownStructures(chain).empty();
}

void addStructures(StructureTypes& types, const StructureTypes& more)
{
    for (VkStructureType type : more)
        if (std::ranges::find(types, type) == types.end())
            types.push_back(type);
}

void UnknownStructures::tell(const Messages& messages, const ObjectReference& object, std::string_view command,
                             const StructureTypes& types, std::string_view consequence)
{
    StructureTypes news;
    {
        std::lock_guard lock(m_mutex);
        std::copy_if(types.begin(), types.end(), std::back_inserter(news),
                     [&](VkStructureType type) { return m_told.emplace(std::string(command), type).second; });
    }
    if (news.empty())
        return;
    messages.warning("Millrace-unknown-structure", object,
                     std::string(command) + ": the chain has a structure of type " + numbers(news) +
                         ", which is newer than the layer (Vulkan headers 1.4." + std::to_string(VK_HEADER_VERSION) +
                         "): " + std::string(consequence),
                     "Build the layer with headers that have it, or leave it out");
}

}  // namespace millrace::layer
