// SPDX-License-Identifier: Apache-2.0
#include "bench/peer/d3d12.h"

#include <dlfcn.h>
#include <sched.h>

#include <cstring>
#include <filesystem>

namespace millrace::bench::peer {

void check(HRESULT result, const char* what)
{
    if (result >= 0)
        return;
    char number[16];
    std::snprintf(number, sizeof number, "%#x", static_cast<unsigned>(result));
    throw PeerError(std::string(what) + " returned " + number);
}

D3d12Library::D3d12Library(const std::string& file)
{
    // The library looks for its other half by name alone; beside it, as its build has them, is nobody's search path.
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    for (const std::filesystem::path& other :
         {folder / "libvkd3d-proton-d3d12core.so", folder / "../d3d12core/libvkd3d-proton-d3d12core.so"})
        if (std::filesystem::exists(other) && dlopen(other.c_str(), RTLD_NOW | RTLD_LOCAL))
            break;
    m_library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!m_library)
        throw PeerError(std::string("the peer's library cannot be loaded: ") + dlerror());
    m_createDevice = reinterpret_cast<PFN_D3D12_CREATE_DEVICE>(find("D3D12CreateDevice"));
    m_serialize = reinterpret_cast<PFN_D3D12_SERIALIZE_ROOT_SIGNATURE>(find("D3D12SerializeRootSignature"));
}

void* D3d12Library::find(const char* name) const
{
    void* const function = dlsym(m_library, name);
    if (!function)
        throw PeerError(std::string("the peer's library has no ") + name);
    return function;
}

Com<ID3D12Device5> D3d12Library::createDevice() const
{
    Com<ID3D12Device5> device;
    check(m_createDevice(nullptr, D3D_FEATURE_LEVEL_11_0, idOf<ID3D12Device5>(), device.out()), "D3D12CreateDevice");
    return device;
}

Com<ID3D12RootSignature> D3d12Library::createRootSignature(ID3D12Device5& device,
                                                           const D3D12_ROOT_SIGNATURE_DESC& desc) const
{
    ID3DBlob* bytes = nullptr;
    check(m_serialize(&desc, D3D_ROOT_SIGNATURE_VERSION_1_0, &bytes, nullptr), "D3D12SerializeRootSignature");
    const Com<ID3DBlob> blob(bytes);
    Com<ID3D12RootSignature> signature;
    check(device.CreateRootSignature(0, blob->GetBufferPointer(), blob->GetBufferSize(), idOf<ID3D12RootSignature>(),
                                     signature.out()),
          "CreateRootSignature");
    return signature;
}

namespace {

// Read by the library when it creates a device. What the caller has set stays.
void setEnvironment(const std::string& device)
{
    setenv("VKD3D_CONFIG", "enable_experimental_features", 0);  // work graphs are there only then
    setenv("VKD3D_SHADER_CACHE_PATH", "0", 0);
    setenv("VKD3D_DEBUG", "err", 0);
    if (!device.empty())
        setenv("VKD3D_FILTER_DEVICE_NAME", device.c_str(), 1);
}

const std::string& prepared(const std::string& library, const std::string& device)
{
    setEnvironment(device);
    return library;
}

}  // namespace

D3d12Device::D3d12Device(const std::string& library, const std::string& device)
    : m_library(prepared(library, device)), m_device(m_library.createDevice())
{
    requireWorkGraphs();
    D3D12_COMMAND_QUEUE_DESC queue{};
    queue.Type = D3D12_COMMAND_LIST_TYPE_DIRECT;
    check(m_device->CreateCommandQueue(&queue, idOf<ID3D12CommandQueue>(), m_queue.out()), "CreateCommandQueue");
    check(m_device->CreateCommandAllocator(queue.Type, idOf<ID3D12CommandAllocator>(), m_allocator.out()),
          "CreateCommandAllocator");
    check(m_device->CreateCommandList(0, queue.Type, m_allocator.get(), nullptr, idOf<ID3D12GraphicsCommandList10>(),
                                      m_list.out()),
          "CreateCommandList");
    check(m_list->Close(), "Close");
    check(m_device->CreateFence(0, D3D12_FENCE_FLAG_NONE, idOf<ID3D12Fence>(), m_fence.out()), "CreateFence");
}

void D3d12Device::requireWorkGraphs() const
{
    D3D12_FEATURE_DATA_D3D12_OPTIONS21 options{};
    check(m_device->CheckFeatureSupport(D3D12_FEATURE_D3D12_OPTIONS21, &options, sizeof options),
          "CheckFeatureSupport");
    if (options.WorkGraphsTier != D3D12_WORK_GRAPHS_TIER_1_0)
        throw PeerError("it has no work graphs on " + name());
}

std::string D3d12Device::name() const
{
    const auto interop = m_device.as<ID3D12DXVKInteropDevice>("QueryInterface(ID3D12DXVKInteropDevice)");
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    check(interop->GetVulkanHandles(&instance, &physical, &device), "GetVulkanHandles");
    VkPhysicalDeviceDriverProperties driver{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &driver};
    vkGetPhysicalDeviceProperties2(physical, &properties);
    return std::string(properties.properties.deviceName) + ", " + driver.driverName + " " + driver.driverInfo;
}

Com<ID3D12Resource> D3d12Device::createBuffer(uint64_t bytes, Heap heap) const
{
    D3D12_HEAP_PROPERTIES properties{};
    properties.Type = heap == Heap::Default  ? D3D12_HEAP_TYPE_DEFAULT
                      : heap == Heap::Upload ? D3D12_HEAP_TYPE_UPLOAD
                                             : D3D12_HEAP_TYPE_READBACK;
    D3D12_RESOURCE_DESC desc{};
    desc.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER;
    desc.Width = bytes;
    desc.Height = desc.DepthOrArraySize = desc.MipLevels = 1;
    desc.SampleDesc.Count = 1;
    desc.Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR;
    desc.Flags = heap == Heap::Default ? D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS : D3D12_RESOURCE_FLAG_NONE;
    const D3D12_RESOURCE_STATES state = heap == Heap::Default  ? D3D12_RESOURCE_STATE_COMMON
                                        : heap == Heap::Upload ? D3D12_RESOURCE_STATE_GENERIC_READ
                                                               : D3D12_RESOURCE_STATE_COPY_DEST;
    Com<ID3D12Resource> resource;
    check(m_device->CreateCommittedResource(&properties, D3D12_HEAP_FLAG_NONE, &desc, state, nullptr,
                                            idOf<ID3D12Resource>(), resource.out()),
          "CreateCommittedResource");
    return resource;
}

Com<ID3D12Resource> D3d12Device::createFilled(const void* from, uint64_t fromBytes, uint64_t bytes)
{
    const Com<ID3D12Resource> staging = createBuffer(bytes, Heap::Upload);
    void* mapped = nullptr;
    check(staging->Map(0, nullptr, &mapped), "Map");
    std::memset(mapped, 0, bytes);
    if (fromBytes != 0)
        std::memcpy(mapped, from, fromBytes);
    staging->Unmap(0, nullptr);
    Com<ID3D12Resource> out = createBuffer(bytes, Heap::Default);
    submit([&](ID3D12GraphicsCommandList10& list) { list.CopyBufferRegion(out.get(), 0, staging.get(), 0, bytes); });
    return out;
}

Com<ID3D12Resource> D3d12Device::createImage(uint32_t width, uint32_t height) const
{
    D3D12_HEAP_PROPERTIES properties{};
    properties.Type = D3D12_HEAP_TYPE_DEFAULT;
    D3D12_RESOURCE_DESC desc{};
    desc.Dimension = D3D12_RESOURCE_DIMENSION_TEXTURE2D;
    desc.Width = width;
    desc.Height = height;
    desc.DepthOrArraySize = desc.MipLevels = 1;
    desc.Format = DXGI_FORMAT_R8G8B8A8_UNORM;
    desc.SampleDesc.Count = 1;
    desc.Flags = D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS;
    Com<ID3D12Resource> resource;
    check(m_device->CreateCommittedResource(&properties, D3D12_HEAP_FLAG_NONE, &desc, D3D12_RESOURCE_STATE_COPY_DEST,
                                            nullptr, idOf<ID3D12Resource>(), resource.out()),
          "CreateCommittedResource of an image");
    return resource;
}

void D3d12Device::submit(const std::function<void(ID3D12GraphicsCommandList10&)>& record)
{
    check(m_allocator->Reset(), "ID3D12CommandAllocator::Reset");
    check(m_list->Reset(m_allocator.get(), nullptr), "ID3D12GraphicsCommandList::Reset");
    record(*m_list.get());
    check(m_list->Close(), "Close");
    ID3D12CommandList* const list = m_list.get();
    m_queue->ExecuteCommandLists(1, &list);
    check(m_queue->Signal(m_fence.get(), ++m_submissions), "Signal");
    while (m_fence->GetCompletedValue() < m_submissions)
        sched_yield();
    check(m_device->GetDeviceRemovedReason(), "the device is lost: GetDeviceRemovedReason");
}

void transition(ID3D12GraphicsCommandList10& list, ID3D12Resource* resource, D3D12_RESOURCE_STATES from,
                D3D12_RESOURCE_STATES to)
{
    D3D12_RESOURCE_BARRIER barrier{};
    barrier.Type = D3D12_RESOURCE_BARRIER_TYPE_TRANSITION;
    barrier.Transition.pResource = resource;
    barrier.Transition.Subresource = D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES;
    barrier.Transition.StateBefore = from;
    barrier.Transition.StateAfter = to;
    list.ResourceBarrier(1, &barrier);
}

}  // namespace millrace::bench::peer
