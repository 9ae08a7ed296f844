// SPDX-License-Identifier: Apache-2.0
#include "layer/settings.h"

#include <vulkan/layer/vk_layer_settings.hpp>

#include <string>

#include "base/log.h"

namespace millrace::layer {

namespace {

void VKAPI_PTR logSetting(const char* name, const char* message)
{
    log(Severity::Warning, std::string("setting ") + name + ": " + message);
}

class SettingSet {
public:
    explicit SettingSet(const VkInstanceCreateInfo& createInfo)
    {
        vkuCreateLayerSettingSet(kLayerName, vkuFindLayerSettingsCreateInfo(&createInfo), nullptr, logSetting, &m_set);
    }
    ~SettingSet() { vkuDestroyLayerSettingSet(m_set, nullptr); }

    template <typename Value>
    void read(const char* name, Value& value) const
    {
        if (!vkuHasLayerSetting(m_set, name))
            return;
        Value wanted = value;
        if (vkuGetLayerSettingValue(m_set, name, wanted) == VK_SUCCESS)
            value = wanted;
    }

    // Reads one of two words. Requires: the setting's default is `word0`.
    bool isWord(const char* name, const std::string& word0, const std::string& word1) const
    {
        std::string value = word0;
        read(name, value);
        if (value != word0 && value != word1)
            log(Severity::Warning, std::string("setting ") + name + " is \"" + value + "\", which is neither \"" +
                                       word0 + "\" nor \"" + word1 + "\"; using \"" + word0 + "\"");
        return value == word1;
    }

private:
    VkuLayerSettingSet m_set = VK_NULL_HANDLE;
};

}  // namespace

Settings readSettings(const VkInstanceCreateInfo& createInfo)
{
    const SettingSet set(createInfo);
    Settings settings;
    set.read("force_enable", settings.forceEnable);
    set.read("validate", settings.validate);
    set.read("validate_spirv", settings.validateSpirv);
    set.read("hide_maintenance5", settings.hideMaintenance5);
    if (set.isWord("continuation", "complete", "single"))
        settings.continuation = Continuation::Single;
    if (set.isWord("path", "direct", "indirect"))
        settings.runtime.path = runtime::Path::Indirect;
    uint32_t scratchMib = static_cast<uint32_t>(settings.runtime.maxScratchBytes >> 20);
    set.read("max_scratch_mib", scratchMib);
    settings.runtime.maxScratchBytes = static_cast<uint64_t>(scratchMib) << 20;
    set.read("grid_groups", settings.runtime.gridGroups);
    return settings;
}

}  // namespace millrace::layer
