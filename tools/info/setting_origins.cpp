// SPDX-License-Identifier: Apache-2.0
#include "tools/info/setting_origins.h"

#include <vulkan/layer/vk_layer_settings.h>

#include "settings/places.h"
#include "settings/settings.h"

namespace millrace::tools {

std::vector<SettingState> findSettings(settings::Settings& settings, std::vector<std::string>& problems)
{
    const VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    settings = settings::readSettings(info, problems);
    const auto values = settings::settingTexts(settings);
    const auto defaults = settings::settingTexts({});
    VkuLayerSettingSet set = VK_NULL_HANDLE;
    vkuCreateLayerSettingSet(settings::kLayerName, nullptr, nullptr, nullptr, &set);
    std::vector<SettingState> states;
    for (size_t s = 0; s < values.size(); ++s) {
        SettingState state{values[s].key, values[s].value, defaults[s].value, "default", ""};
        state.source = settings::variableOf(state.key);
        if (!state.source.empty()) {
            state.origin = "environment";
        } else if (vkuHasLayerSetting(set, state.key.c_str()) == VK_TRUE) {
            state.origin = "file";
            state.source = settings::settingsFile().string();
        }
        states.push_back(std::move(state));
    }
    vkuDestroyLayerSettingSet(set, nullptr);
    return states;
}

}  // namespace millrace::tools
