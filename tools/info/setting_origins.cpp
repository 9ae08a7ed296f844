// SPDX-License-Identifier: Apache-2.0
#include "tools/info/setting_origins.h"

#include <vulkan/layer/vk_layer_settings.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "layer/settings.h"

namespace millrace::tools {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFileName = "vk_layer_settings.txt";

std::string variable(const std::string& name)
{
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? "" : value;
}

// The utility library tries these names in this order; empty variables do not count.
std::string findVariable(std::string key)
{
    std::ranges::transform(key, key.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    for (const char* prefix : {"VK_MILLRACE_EMULATION_", "VK_EMULATION_", "VK_"}) {
        if (!variable(prefix + key).empty()) {
            return prefix + key;
        }
    }
    return "";
}

// Where the utility library looks for the file.
fs::path settingsFile()
{
    std::error_code error;
    const std::string data = variable("XDG_DATA_HOME");
    const std::string home = variable("HOME");
    const fs::path shared = !data.empty()  ? fs::path(data)
                            : home.empty() ? fs::path()
                                           : fs::path(home) / ".local/share";
    if (!shared.empty() && fs::is_regular_file(shared / "vulkan/settings.d" / kFileName, error)) {
        return shared / "vulkan/settings.d" / kFileName;
    }
    const fs::path chosen = variable("VK_LAYER_SETTINGS_PATH");
    if (!chosen.empty() && fs::exists(chosen, error)) {
        return fs::is_directory(chosen, error) ? chosen / kFileName : chosen;
    }
    return fs::current_path(error) / kFileName;
}

}  // namespace

std::vector<SettingState> findSettings(layer::Settings& settings, std::vector<std::string>& problems)
{
    const VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    settings = layer::readSettings(info, problems);
    const auto values = layer::settingTexts(settings);
    const auto defaults = layer::settingTexts({});
    VkuLayerSettingSet set = VK_NULL_HANDLE;
    vkuCreateLayerSettingSet(layer::kLayerName, nullptr, nullptr, nullptr, &set);
    std::vector<SettingState> states;
    for (size_t s = 0; s < values.size(); s++) {
        SettingState state{values[s].key, values[s].value, defaults[s].value, "default", ""};
        state.source = findVariable(state.key);
        if (!state.source.empty()) {
            state.origin = "environment";
        } else if (vkuHasLayerSetting(set, state.key.c_str()) == VK_TRUE) {
            state.origin = "file";
            state.source = settingsFile().string();
        }
        states.push_back(std::move(state));
    }
    vkuDestroyLayerSettingSet(set, nullptr);
    return states;
}

}  // namespace millrace::tools
