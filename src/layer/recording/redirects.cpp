// SPDX-License-Identifier: Apache-2.0
// Commands that set no state: behind a split they go to the command buffer that records now.
#include <type_traits>

#include "layer/loader/entry_points.h"
#include "layer/recording/quick_call.h"

namespace millrace::layer {

namespace {

using Table = VkuDeviceDispatchTable;

template <auto Member>
struct Redirect;
template <typename Return, typename... Args, Return (VKAPI_PTR* Table::*Member)(VkCommandBuffer, Args...)>
struct Redirect<Member> {
    // Another command buffer among the arguments would have to be redirected as well.
    static_assert(!(std::is_same_v<Args, VkCommandBuffer> || ...));

    static VKAPI_ATTR Return VKAPI_CALL call(VkCommandBuffer handle, Args... args)
    {
        const CommandBuffer& commandBuffer = CommandBuffer::of(handle);
        return (commandBuffer.device.table.*Member)(commandBuffer.current, args...);
    }
};

// Of what reads what is bound.
template <auto Member>
struct Work;
template <typename Return, typename... Args, Return (VKAPI_PTR* Table::*Member)(VkCommandBuffer, Args...)>
struct Work<Member> {
    static VKAPI_ATTR Return VKAPI_CALL call(VkCommandBuffer handle, Args... args)
    {
        CommandBuffer& commandBuffer = CommandBuffer::of(handle);
        commandBuffer.settle();
        return (commandBuffer.device.table.*Member)(commandBuffer.current, args...);
    }
    static bool isPlain(const CommandBuffer& commandBuffer, Args...) noexcept
    {
        return !commandBuffer.current.hasPutOff() && !commandBuffer.lent.isLent();
    }
};

template <auto Member>
EntryFunction work()
{
    return quick<Member, &Work<Member>::isPlain, &Work<Member>::call>();
}

// Of draws, which may share the stream of commands that have one of their own.
template <auto Member>
struct Drawing;
template <typename... Args, void (VKAPI_PTR* Table::*Member)(VkCommandBuffer, Args...)>
struct Drawing<Member> {
    static VKAPI_ATTR void VKAPI_CALL call(VkCommandBuffer handle, Args... args)
    {
        CommandBuffer& commandBuffer = CommandBuffer::of(handle);
        const auto draw = [args...](CommandBuffer& target) {
            target.settle();
            (target.device.table.*Member)(target.current, args...);
        };
        if (!commandBuffer.current.hasPutOff() || !drawLate(commandBuffer, draw))
            draw(commandBuffer);
    }
};

template <auto Member>
EntryFunction drawing()
{
    return quick<Member, &Work<Member>::isPlain, &Drawing<Member>::call>();
}

#define REDIRECT(name)                                                            \
    {                                                                             \
        "vkCmd" #name, guarded<&Redirect<&Table::Cmd##name>::call>(), kUseStreams \
    }

#define WORK(name)                                            \
    {                                                         \
        "vkCmd" #name, work<&Table::Cmd##name>(), kUseStreams \
    }

#define DRAW(name)                                               \
    {                                                            \
        "vkCmd" #name, drawing<&Table::Cmd##name>(), kUseStreams \
    }

}  // namespace

// Every vkCmd* command of Vulkan-Headers 1.4.309 that is in no other table. An extension that is newer than this list
// can be used, but its commands must not follow a graph that may be continued.
EntryPoints redirectEntryPoints()
{
    static const EntryPoint entries[] = {
        DRAW(Draw),
        DRAW(DrawIndexed),
        DRAW(DrawIndirect),
        DRAW(DrawIndexedIndirect),
        WORK(Dispatch),
        WORK(DispatchIndirect),
        REDIRECT(CopyBuffer),
        REDIRECT(CopyImage),
        REDIRECT(BlitImage),
        REDIRECT(CopyBufferToImage),
        REDIRECT(CopyImageToBuffer),
        REDIRECT(UpdateBuffer),
        REDIRECT(FillBuffer),
        REDIRECT(ClearColorImage),
        REDIRECT(ClearDepthStencilImage),
        REDIRECT(ClearAttachments),
        REDIRECT(ResolveImage),
        WORK(DispatchBase),
        DRAW(DrawIndirectCount),
        DRAW(DrawIndexedIndirectCount),
        REDIRECT(CopyBuffer2),
        REDIRECT(CopyImage2),
        REDIRECT(CopyBufferToImage2),
        REDIRECT(CopyImageToBuffer2),
        REDIRECT(BlitImage2),
        REDIRECT(ResolveImage2),
        REDIRECT(ControlVideoCodingKHR),
        REDIRECT(DecodeVideoKHR),
        WORK(DispatchBaseKHR),
        DRAW(DrawIndirectCountKHR),
        DRAW(DrawIndexedIndirectCountKHR),
        REDIRECT(EncodeVideoKHR),
        REDIRECT(CopyBuffer2KHR),
        REDIRECT(CopyImage2KHR),
        REDIRECT(CopyBufferToImage2KHR),
        REDIRECT(CopyImageToBuffer2KHR),
        REDIRECT(BlitImage2KHR),
        REDIRECT(ResolveImage2KHR),
        WORK(TraceRaysIndirect2KHR),
        REDIRECT(DebugMarkerBeginEXT),
        REDIRECT(DebugMarkerEndEXT),
        REDIRECT(DebugMarkerInsertEXT),
        WORK(DrawIndirectByteCountEXT),
        REDIRECT(CuLaunchKernelNVX),
        DRAW(DrawIndirectCountAMD),
        DRAW(DrawIndexedIndirectCountAMD),
        REDIRECT(BuildAccelerationStructureNV),
        REDIRECT(CopyAccelerationStructureNV),
        WORK(TraceRaysNV),
        REDIRECT(WriteAccelerationStructuresPropertiesNV),
        REDIRECT(WriteBufferMarkerAMD),
        REDIRECT(WriteBufferMarker2AMD),
        WORK(DrawMeshTasksNV),
        WORK(DrawMeshTasksIndirectNV),
        WORK(DrawMeshTasksIndirectCountNV),
        REDIRECT(SetCheckpointNV),
        REDIRECT(CudaLaunchKernelNV),
        WORK(SubpassShadingHUAWEI),
        WORK(DrawMultiEXT),
        WORK(DrawMultiIndexedEXT),
        REDIRECT(BuildMicromapsEXT),
        REDIRECT(CopyMicromapEXT),
        REDIRECT(CopyMicromapToMemoryEXT),
        REDIRECT(CopyMemoryToMicromapEXT),
        REDIRECT(WriteMicromapsPropertiesEXT),
        WORK(DrawClusterHUAWEI),
        WORK(DrawClusterIndirectHUAWEI),
        REDIRECT(CopyMemoryIndirectNV),
        REDIRECT(CopyMemoryToImageIndirectNV),
        REDIRECT(DecompressMemoryNV),
        REDIRECT(DecompressMemoryIndirectCountNV),
        REDIRECT(OpticalFlowExecuteNV),
        REDIRECT(ConvertCooperativeVectorMatrixNV),
        REDIRECT(BuildClusterAccelerationStructureIndirectNV),
        REDIRECT(BuildPartitionedAccelerationStructuresNV),
        REDIRECT(BuildAccelerationStructuresKHR),
        REDIRECT(BuildAccelerationStructuresIndirectKHR),
        REDIRECT(CopyAccelerationStructureKHR),
        REDIRECT(CopyAccelerationStructureToMemoryKHR),
        REDIRECT(CopyMemoryToAccelerationStructureKHR),
        REDIRECT(WriteAccelerationStructuresPropertiesKHR),
        WORK(TraceRaysKHR),
        WORK(TraceRaysIndirectKHR),
    };
    return entries;
}

}  // namespace millrace::layer
