// SPDX-License-Identifier: Apache-2.0
#include "tools/info/layer_place.h"

#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "settings/settings.h"
#include "tools/vulkan/loader_filters.h"

namespace millrace::tools {

namespace {

namespace fs = std::filesystem;

constexpr const char* kInstanceLayers = "VK_INSTANCE_LAYERS";
constexpr const char* kEnabledLayers = "VK_LOADER_LAYERS_ENABLE";

std::string valueOf(const char* variable)
{
    const char* value = std::getenv(variable);
    return value == nullptr ? "" : value;
}

// The loader looks at the second only where the first is not set.
const char* searchPath()
{
    return valueOf("VK_LAYER_PATH").empty() ? "VK_ADD_LAYER_PATH" : "VK_LAYER_PATH";
}

int findLibrary(dl_phdr_info* info, size_t, void* result)
{
    const std::string_view name = info->dlpi_name;
    if (name.find("libVkLayer_MILLRACE_emulation") == std::string_view::npos)
        return 0;
    *static_cast<std::string*>(result) = name;
    return 1;
}

}  // namespace

std::string loadedLayerLibrary()
{
    std::string library;
    dl_iterate_phdr(findLibrary, &library);
    std::error_code error;
    const fs::path whole = fs::weakly_canonical(library, error);
    return library.empty() || error ? library : whole.string();
}

std::string layerFolderBesideTool()
{
    std::error_code error;
    const fs::path tool = fs::read_symlink("/proc/self/exe", error);
    for (const char* place : {"../src/layer", "../share/vulkan/explicit_layer.d"}) {
        const fs::path folder = (tool.parent_path() / place).lexically_normal();
        if (fs::exists(folder / (std::string("VkLayer_MILLRACE_emulation.json")), error))
            return folder.string();
    }
    return {};
}

void letLoaderLookBesideTool()
{
    const std::string folder = layerFolderBesideTool();
    if (!folder.empty()) {
        const std::string old = valueOf(searchPath());
        setenv(searchPath(), (old.empty() ? folder : old + ":" + folder).c_str(), 1);
    }
}

std::string adviceToFindLayer()
{
    const std::string folder = layerFolderBesideTool();
    if (!folder.empty()) {
        const std::string path = searchPath();
        return "export " + path + "=" + (valueOf(searchPath()).empty() ? "" : "$" + path + ":") + folder;
    }
    return "install Millrace, or set VK_ADD_LAYER_PATH to the folder that has VkLayer_MILLRACE_emulation.json and the "
           "library (src/layer in a build tree)";
}

void WithoutLayer::filter(const char* variable, char separator, std::string& before)
{
    const char* value = std::getenv(variable);
    std::istringstream items(value == nullptr ? "" : value);
    std::string kept;
    bool isChanged = false;
    for (std::string item; std::getline(items, item, separator);) {
        const bool isPattern = std::string_view(variable) == kEnabledLayers;
        if (isPattern ? isInLoaderList(item, settings::kLayerName) : item == settings::kLayerName)
            isChanged = true;
        else
            kept += (kept.empty() ? "" : std::string(1, separator)) + item;
    }
    if (isChanged) {
        before = value;
        m_wasEnabled = true;
        setenv(variable, kept.c_str(), 1);
    }
}

WithoutLayer::WithoutLayer()
{
    filter(kInstanceLayers, ':', m_instanceLayers);
    filter(kEnabledLayers, ',', m_enabledLayers);
}

WithoutLayer::~WithoutLayer()
{
    if (!m_instanceLayers.empty())
        setenv(kInstanceLayers, m_instanceLayers.c_str(), 1);
    if (!m_enabledLayers.empty())
        setenv(kEnabledLayers, m_enabledLayers.c_str(), 1);
}

}  // namespace millrace::tools
