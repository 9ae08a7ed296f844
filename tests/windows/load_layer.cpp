// SPDX-License-Identifier: Apache-2.0
// load_layer LIBRARY: loads the layer's library as Windows does, asks it what the loader asks, and looks whether the
// loader that is beside this program lists the layer. For .ci/windows.
#include <windows.h>

#include <vulkan/vk_layer.h>

#include <cstdio>
#include <cstring>
#include <vector>

namespace {

constexpr const char* kLayerName = "VK_LAYER_MILLRACE_emulation";

template <typename Function>
Function find(HMODULE library, const char* name)
{
    return reinterpret_cast<Function>(reinterpret_cast<void*>(GetProcAddress(library, name)));
}

bool fails(const char* what)
{
    std::printf("load_layer: %s (error %lu)\n", what, GetLastError());
    return false;
}

bool answersLoader(const char* path)
{
    HMODULE library = LoadLibraryA(path);
    if (!library)
        return fails("the layer's library does not load");
    const auto negotiate =
        find<PFN_vkNegotiateLoaderLayerInterfaceVersion>(library, "vkNegotiateLoaderLayerInterfaceVersion");
    if (!negotiate)
        return fails("vkNegotiateLoaderLayerInterfaceVersion is not exported");
    VkNegotiateLayerInterface older{LAYER_NEGOTIATE_INTERFACE_STRUCT, nullptr, 1};
    if (negotiate(&older) == VK_SUCCESS)
        return fails("the layer agrees to a version of the interface that it has not");
    VkNegotiateLayerInterface asked{LAYER_NEGOTIATE_INTERFACE_STRUCT, nullptr, CURRENT_LOADER_LAYER_INTERFACE_VERSION};
    if (negotiate(&asked) != VK_SUCCESS)
        return fails("vkNegotiateLoaderLayerInterfaceVersion fails");
    if (asked.pfnGetInstanceProcAddr != find<PFN_vkGetInstanceProcAddr>(library, "vkGetInstanceProcAddr") ||
        asked.pfnGetDeviceProcAddr != find<PFN_vkGetDeviceProcAddr>(library, "vkGetDeviceProcAddr"))
        return fails("the functions negotiated are not those exported");
    if (!asked.pfnGetInstanceProcAddr(VK_NULL_HANDLE, "vkCreateInstance"))
        return fails("the layer has no vkCreateInstance");
    return true;
}

bool isListed()
{
    HMODULE loader = LoadLibraryA("vulkan-1.dll");
    if (!loader)
        return fails("vulkan-1.dll does not load");
    const auto enumerate = find<PFN_vkEnumerateInstanceLayerProperties>(loader, "vkEnumerateInstanceLayerProperties");
    uint32_t count = 0;
    if (!enumerate || enumerate(&count, nullptr) != VK_SUCCESS)
        return fails("vkEnumerateInstanceLayerProperties fails");
    std::vector<VkLayerProperties> layers(count);
    enumerate(&count, layers.data());
    for (const VkLayerProperties& layer : layers)
        if (std::strcmp(layer.layerName, kLayerName) == 0)
            return true;
    return fails("the loader does not list the layer");
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 2)
        return 2;
    if (!answersLoader(argv[1]) || !isListed())
        return 1;
    std::printf("load_layer: the library loads and answers; the loader lists %s\n", kLayerName);
    return 0;
}
