// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/render_passes.h"

#include <deque>
#include <span>
#include <vector>

#include "layer/chains/chain.h"
#include "layer/chains/patched_chain.h"
#include "layer/loader/device.h"
#include "layer/loader/entry_points.h"
#include "layer/recording/driver_scopes.h"
#include "layer/recording/front.h"
#include "runtime/host_memory.h"

namespace millrace::layer {

namespace {

// Between a subpass and what is outside the instance there may be any stage at the outer side; the stages that a
// subpass names are of graphics.
DriverScopes scopesOf(const Device& device)
{
    return {device, VK_QUEUE_GRAPHICS_BIT};
}

// `info`: as it was given.
std::set<uint32_t> waitingSubpasses(const VkRenderPassCreateInfo& info)
{
    std::set<uint32_t> waiting;
    for (const VkSubpassDependency& dependency : std::span(info.pDependencies, info.dependencyCount))
        if (dependency.srcSubpass != VK_SUBPASS_EXTERNAL && waitsInFront(dependency.dstStageMask))
            waiting.insert(dependency.dstSubpass);
    return waiting;
}

std::set<uint32_t> waitingSubpasses(const VkRenderPassCreateInfo2& info)
{
    std::set<uint32_t> waiting;
    for (const VkSubpassDependency2& dependency : std::span(info.pDependencies, info.dependencyCount)) {
        const auto* barrier = findInChain<VkMemoryBarrier2>(dependency.pNext, VK_STRUCTURE_TYPE_MEMORY_BARRIER_2);
        const VkPipelineStageFlags2 stages = barrier ? barrier->dstStageMask : dependency.dstStageMask;
        if (dependency.srcSubpass != VK_SUBPASS_EXTERNAL && waitsInFront(stages))
            waiting.insert(dependency.dstSubpass);
    }
    return waiting;
}

// `given`: the application's, `info`: for the driver.
template <typename Info, typename Create>
VkResult create(Device& device, const Info& given, const Info& info, const VkAllocationCallbacks* allocator,
                VkRenderPass* out, const Create& create)
{
    const VkResult result = create(&info, allocator, out);
    if (result != VK_SUCCESS || !(device.usesCommands() || device.usesMesh() || device.usesMeshNodes()))
        return result;
    rememberOrUndo([&] { device.table.DestroyRenderPass(device.handle, *out, allocator); },
                   [&] {
                       auto own = std::make_shared<RenderPass>(device);
                       if (create(&info, runtime::hostMemory(), &own->handle) != VK_SUCCESS)
                           own->handle = VK_NULL_HANDLE;
                       device.names.set(VK_OBJECT_TYPE_RENDER_PASS, own->handle, {"render pass of variants"});
                       own->waiting = waitingSubpasses(given);
                       device.renderPasses.insert(handleId(*out), std::move(own));
                   });
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateRenderPass(VkDevice handle, const VkRenderPassCreateInfo* pCreateInfo,
                                                const VkAllocationCallbacks* pAllocator, VkRenderPass* pRenderPass)
{
    Device& device = Device::of(handle);
    std::vector<VkSubpassDependency> dependencies(pCreateInfo->pDependencies,
                                                  pCreateInfo->pDependencies + pCreateInfo->dependencyCount);
    for (VkSubpassDependency& dependency : dependencies)
        scopesOf(device).translate(dependency);
    VkRenderPassCreateInfo info = *pCreateInfo;
    info.pDependencies = dependencies.data();
    return create(device, *pCreateInfo, info, pAllocator, pRenderPass,
                  [&](auto* own, auto* allocator, VkRenderPass* out) {
                      return device.table.CreateRenderPass(handle, own, allocator, out);
                  });
}

// A dependency may have its stages and accesses in a chained VkMemoryBarrier2.
template <auto Member>
VKAPI_ATTR VkResult VKAPI_CALL createRenderPass2(VkDevice handle, const VkRenderPassCreateInfo2* pCreateInfo,
                                                 const VkAllocationCallbacks* pAllocator, VkRenderPass* pRenderPass)
{
    Device& device = Device::of(handle);
    const DriverScopes scopes = scopesOf(device);
    std::deque<PatchedChain> chains;
    std::vector<VkSubpassDependency2> dependencies(pCreateInfo->pDependencies,
                                                   pCreateInfo->pDependencies + pCreateInfo->dependencyCount);
    for (VkSubpassDependency2& dependency : dependencies) {
        scopes.translate(dependency);
        PatchedChain& chain = chains.emplace_back(dependency.pNext);
        if (auto* barrier = chain.change<VkMemoryBarrier2>(VK_STRUCTURE_TYPE_MEMORY_BARRIER_2))
            scopes.translate(*barrier);
        dependency.pNext = chain.get();
        device.tellLost("vkCreateRenderPass2", chain.lost());
    }
    VkRenderPassCreateInfo2 info = *pCreateInfo;
    info.pDependencies = dependencies.data();
    return create(device, *pCreateInfo, info, pAllocator, pRenderPass,
                  [&](auto* own, auto* allocator, VkRenderPass* out) {
                      return (device.table.*Member)(handle, own, allocator, out);
                  });
}

VKAPI_ATTR void VKAPI_CALL DestroyRenderPass(VkDevice handle, VkRenderPass renderPass,
                                             const VkAllocationCallbacks* pAllocator)
{
    Device& device = Device::of(handle);
    device.renderPasses.remove(handleId(renderPass));
    device.table.DestroyRenderPass(handle, renderPass, pAllocator);
}

}  // namespace

RenderPass::~RenderPass()
{
    device.table.DestroyRenderPass(device.handle, handle, runtime::hostMemory());
}

EntryPoints renderPassEntryPoints()
{
    using Table = VkuDeviceDispatchTable;
    constexpr uint32_t kUses = kUseCommands | kUseMesh | kUseMeshNodes;
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(CreateRenderPass, kUses),
        {"vkCreateRenderPass2", guarded<&createRenderPass2<&Table::CreateRenderPass2>>(), kUses},
        {"vkCreateRenderPass2KHR", guarded<&createRenderPass2<&Table::CreateRenderPass2KHR>>(), kUses},
        MILLRACE_ENTRY(DestroyRenderPass, kUses),
    };
    return entries;
}

}  // namespace millrace::layer
