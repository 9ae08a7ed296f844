// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/render_passes.h"

#include <algorithm>
#include <deque>
#include <span>
#include <type_traits>
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

VkPipelineStageFlags2 destinationOf(const VkSubpassDependency& dependency)
{
    return dependency.dstStageMask;
}

VkPipelineStageFlags2 destinationOf(const VkSubpassDependency2& dependency)
{
    const auto* barrier = findInChain<VkMemoryBarrier2>(dependency.pNext, VK_STRUCTURE_TYPE_MEMORY_BARRIER_2);
    return barrier ? barrier->dstStageMask : dependency.dstStageMask;
}

// Subpasses that depend on one inside, in which what runs in front has to wait. One that depends on itself waits at a
// barrier, if at all.
template <typename Info>
std::set<uint32_t> waitingSubpasses(const Info& info)
{
    std::set<uint32_t> waiting;
    for (const auto& dependency : std::span(info.pDependencies, info.dependencyCount))
        if (dependency.srcSubpass != VK_SUBPASS_EXTERNAL && waitsInFront(destinationOf(dependency)))
            waiting.insert(dependency.dstSubpass);
    return waiting;
}

template <typename Subpass>
bool resolves(const Subpass& subpass)
{
    const std::span targets(subpass.pResolveAttachments,
                            subpass.pResolveAttachments ? subpass.colorAttachmentCount : 0);
    if (std::ranges::any_of(targets, [](const auto& one) { return one.attachment != VK_ATTACHMENT_UNUSED; }))
        return true;
    if constexpr (requires { subpass.pNext; })
        return findInChain<VkBaseInStructure>(subpass.pNext,
                                              VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE);
    return false;
}

template <typename Attachment>
bool isLeftAlone(const Attachment& attachment)
{
    return attachment.loadOp == VK_ATTACHMENT_LOAD_OP_NONE || attachment.stencilLoadOp == VK_ATTACHMENT_LOAD_OP_NONE ||
           attachment.storeOp == VK_ATTACHMENT_STORE_OP_NONE ||
           attachment.stencilStoreOp == VK_ATTACHMENT_STORE_OP_NONE;
}

// True if an instance may end anywhere and another one go on with what its attachments hold. All subpasses have an end
// in both, and what is resolved there would be so from what came later.
template <typename Info>
bool isDivisible(const Info& info)
{
    const std::span subpasses(info.pSubpasses, info.subpassCount);
    const std::span attachments(info.pAttachments, info.attachmentCount);
    return std::ranges::none_of(subpasses, [](const auto& subpass) { return resolves(subpass); }) &&
           std::ranges::none_of(attachments, [](const auto& attachment) { return isLeftAlone(attachment); }) &&
           !findInChain<VkBaseInStructure>(info.pNext,
                                           VK_STRUCTURE_TYPE_RENDER_PASS_FRAGMENT_DENSITY_MAP_CREATE_INFO_EXT);
}

template <typename Attachment>
void store(Attachment& attachment)
{
    for (VkAttachmentStoreOp* const op : {&attachment.storeOp, &attachment.stencilStoreOp})
        *op = VK_ATTACHMENT_STORE_OP_STORE;
}

template <typename Attachment>
void load(Attachment& attachment, std::deque<PatchedChain>& chains)
{
    for (VkAttachmentLoadOp* const op : {&attachment.loadOp, &attachment.stencilLoadOp})
        *op = VK_ATTACHMENT_LOAD_OP_LOAD;
    attachment.initialLayout = attachment.finalLayout;
    if constexpr (requires { attachment.pNext; }) {
        PatchedChain& chain = chains.emplace_back(attachment.pNext);
        constexpr VkStructureType kStencil = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT;
        if (auto* layouts = chain.template change<VkAttachmentDescriptionStencilLayout>(kStencil))
            layouts->stencilInitialLayout = layouts->stencilFinalLayout;
        attachment.pNext = chain.get();
    }
}

bool hasViews(const std::vector<uint32_t>& masks)
{
    return std::ranges::any_of(masks, [](uint32_t mask) { return mask != 0; });
}

// Of subpasses; empty if there are no several views.
std::vector<uint32_t> viewMasksOf(const VkRenderPassCreateInfo& info)
{
    const auto* views =
        findInChain<VkRenderPassMultiviewCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO);
    std::vector<uint32_t> masks;
    if (views)
        masks.assign(views->pViewMasks, views->pViewMasks + views->subpassCount);
    return hasViews(masks) ? masks : std::vector<uint32_t>();
}

std::vector<uint32_t> viewMasksOf(const VkRenderPassCreateInfo2& info)
{
    std::vector<uint32_t> masks;
    for (const VkSubpassDescription2& subpass : std::span(info.pSubpasses, info.subpassCount))
        masks.push_back(subpass.viewMask);
    return hasViews(masks) ? masks : std::vector<uint32_t>();
}

// `given`: the application's, `info`: with what the driver may see.
template <typename Info, typename Create>
VkResult create(Device& device, const Info& given, Info info, const VkAllocationCallbacks* allocator, VkRenderPass* out,
                const Create& create)
{
    const bool isUsed = device.usesCommands() || device.usesMesh() || device.usesMeshNodes();
    const std::set<uint32_t> waiting = isUsed ? waitingSubpasses(given) : std::set<uint32_t>();
    // Instances are divided because something waits inside, or because generated commands are in streams of their own.
    const bool isDivided = (!waiting.empty() || device.usesCommands()) && isUsed && isDivisible(given);
    const bool isStored = isDivided && !waiting.empty();
    std::vector<std::remove_cvref_t<decltype(*info.pAttachments)>> attachments(
        info.pAttachments, info.pAttachments + (isDivided ? info.attachmentCount : 0));
    for (auto& attachment : attachments)
        store(attachment);
    if (isStored)
        info.pAttachments = attachments.data();
    const VkResult result = create(&info, allocator, out);
    if (result != VK_SUCCESS || !isUsed)
        return result;
    // Null where the driver refuses one.
    const auto createOwn = [&](VkRenderPass& own, const char* name) {
        if (create(&info, runtime::hostMemory(), &own) != VK_SUCCESS)
            own = VK_NULL_HANDLE;
        device.names.set(VK_OBJECT_TYPE_RENDER_PASS, own, {name});
    };
    rememberOrUndo([&] { device.table.DestroyRenderPass(device.handle, *out, allocator); },
                   [&] {
                       auto own = std::make_shared<RenderPass>(device);
                       own->waiting = waiting;
                       own->subpassCount = given.subpassCount;
                       createOwn(own->handle, "render pass of variants");
                       std::deque<PatchedChain> chains;
                       if (isDivided)
                           info.pAttachments = attachments.data();
                       if (isDivided && !isStored)
                           createOwn(own->stored, "render pass that may be divided");
                       for (auto& attachment : attachments)
                           load(attachment, chains);
                       if (isStored || own->stored)
                           createOwn(own->again, "render pass that goes on");
                       if (auto masks = viewMasksOf(given); !masks.empty()) {
                           own->viewMasks = std::make_shared<std::vector<uint32_t>>(std::move(masks));
                           for (const VkRenderPass pass : {own->handle, *out})
                               if (pass)
                                   device.viewMasks.insert(handleId(pass), own->viewMasks);
                       }
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
        DriverScopes::ofSubpasses(device).translate(dependency);
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
    const DriverScopes scopes = DriverScopes::ofSubpasses(device);
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
    device.viewMasks.remove(handleId(renderPass));
    device.renderPasses.remove(handleId(renderPass));
    device.table.DestroyRenderPass(handle, renderPass, pAllocator);
}

}  // namespace

uint32_t viewMaskOf(const Device& device, const VkGraphicsPipelineCreateInfo& info)
{
    if (info.renderPass) {
        const auto* masks = device.viewMasks.find(handleId(info.renderPass));
        return masks && info.subpass < masks->size() ? (*masks)[info.subpass] : 0;
    }
    const auto* rendering =
        findInChain<VkPipelineRenderingCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
    return rendering ? rendering->viewMask : 0;
}

RenderPass::~RenderPass()
{
    device.viewMasks.remove(handleId(handle));
    for (const VkRenderPass own : {handle, stored, again})
        device.table.DestroyRenderPass(device.handle, own, runtime::hostMemory());
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
