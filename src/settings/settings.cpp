// SPDX-License-Identifier: Apache-2.0
#include "settings/settings.h"

#include <vulkan/layer/vk_layer_settings.hpp>

#include <algorithm>

#include "base/near_word.h"
#include "base/system.h"
#include "settings/lists.h"
#include "settings/places.h"

namespace millrace::settings {

namespace {

// A setting that has one of a few words as value; the first is what it is by default.
template <typename Enum>
struct Words {
    struct Meaning {
        const char* word;
        Enum value;
    };
    Enum& value;
    std::vector<Meaning> meanings;
};

// A list, as text and back.
struct List {
    Settings& settings;
    std::string (*write)(const Settings&);
    void (*read)(std::string_view, Settings&, std::vector<std::string>&);
};

std::string writeTraits(const Settings& settings)
{
    return traitsText(settings.runtime.traits);
}

void readTraitsInto(std::string_view text, Settings& settings, std::vector<std::string>& problems)
{
    readTraits(text, settings.runtime.traits, problems);
}

// All settings, with their names, for whoever reads or writes them. The manifest and docs/settings.md list them as
// well.
template <typename Visitor>
void visitSettings(Settings& settings, Visitor&& visitor)
{
    visitor("force_enable", settings.forceEnable);
    visitor("enable", List{settings, enabledText, readEnabled});
    visitor("fusion",
            Words<Fusion>{settings.fusion, {{"on", Fusion::Useful}, {"off", Fusion::None}, {"all", Fusion::All}}});
    visitor("continuation",
            Words<Continuation>{settings.continuation,
                                {{"complete", Continuation::Complete}, {"single", Continuation::Single}}});
    visitor("max_scratch_mib", settings.runtime.traits.maxScratchMib);
    visitor("validate", settings.validate);
    visitor("validate_spirv", settings.validateSpirv);
    visitor("trace", settings.trace);
    visitor("trace_detail", Words<bool>{settings.traceNodes, {{"steps", false}, {"nodes", true}}});
    visitor("capture", settings.capture);
    visitor("capture_file", settings.captureFile);
    visitor("debug_labels", settings.debugLabels);
    visitor("step_by_step", settings.stepByStep);
    visitor("breadcrumbs", settings.runtime.breadcrumbs);
    visitor("step_limit_ms", settings.stepLimitMs);
    visitor("disable", List{settings, disabledText, readDisabled});
    visitor("traits", List{settings, writeTraits, readTraitsInto});
}

// The callback of the utility library has no argument of ours.
thread_local std::vector<std::string>* t_problems = nullptr;

void VKAPI_PTR addProblem(const char* name, const char* message)
{
    std::string text = std::string("setting ") + name + ": " + message;
    while (text.ends_with('.'))  // whoever tells it goes on
        text.pop_back();
    t_problems->push_back(std::move(text));
}

class Reader {
public:
    Reader(const VkInstanceCreateInfo& createInfo, std::vector<std::string>& problems) : m_problems(problems)
    {
        t_problems = &problems;
        vkuCreateLayerSettingSet(kLayerName, vkuFindLayerSettingsCreateInfo(&createInfo), nullptr, addProblem, &m_set);
    }
    ~Reader()
    {
        vkuDestroyLayerSettingSet(m_set, nullptr);
        t_problems = nullptr;
    }

    template <typename Value>
    void operator()(const char* name, Value& value) const
    {
        if (!vkuHasLayerSetting(m_set, name))
            return;
        Value wanted = value;
        const size_t before = m_problems.size();
        // What cannot be read is reported and counts as zero.
        if (vkuGetLayerSettingValue(m_set, name, wanted) == VK_SUCCESS && m_problems.size() == before)
            value = wanted;
    }

    void operator()(const char* name, List list) const
    {
        std::string text;
        (*this)(name, text);
        list.read(text, list.settings, m_problems);
    }

    template <typename Enum>
    void operator()(const char* name, Words<Enum> words) const
    {
        std::string value = words.meanings.front().word;
        (*this)(name, value);
        std::string others;
        for (const auto& meaning : words.meanings) {
            if (value == meaning.word) {
                words.value = meaning.value;
                return;
            }
            others += (others.empty() ? "neither \"" : " nor \"") + std::string(meaning.word) + "\"";
        }
        words.value = words.meanings.front().value;
        // In one piece it would be a false -Warray-bounds of GCC 12 with ThreadSanitizer.
        std::string& problem = m_problems.emplace_back("setting ");
        problem.append(name).append(" is \"").append(value).append("\", which is ").append(others);
        problem.append("; using \"").append(words.meanings.front().word).append("\"");
    }

private:
    std::vector<std::string>& m_problems;
    VkuLayerSettingSet m_set = VK_NULL_HANDLE;
};

class Writer {
public:
    void operator()(const char* name, bool value) { m_texts.push_back({name, value ? "true" : "false"}); }
    void operator()(const char* name, uint32_t value) { m_texts.push_back({name, std::to_string(value)}); }
    void operator()(const char* name, const std::string& value) { m_texts.push_back({name, value}); }
    void operator()(const char* name, List list) { m_texts.push_back({name, list.write(list.settings)}); }
    template <typename Enum>
    void operator()(const char* name, Words<Enum> words)
    {
        for (const auto& meaning : words.meanings)
            if (meaning.value == words.value)
                m_texts.push_back({name, meaning.word});
    }

    std::vector<SettingText> take() { return std::move(m_texts); }

private:
    std::vector<SettingText> m_texts;
};

}  // namespace

bool runsLeaves(const Settings& settings)
{
    const bool areStepsSeen = settings.runtime.breadcrumbs || settings.stepLimitMs > 0 || settings.stepByStep ||
                              !settings.trace.empty() || !settings.capture.empty();
    return settings.leaf && settings.runtime.path == runtime::Path::Direct && !areStepsSeen && !settings.validate;
}

namespace {

// Where somebody may look who wrote `key`, which is no setting.
std::string advice(const std::string& key, const std::vector<std::string_view>& keys)
{
    if (std::ranges::count(traitNames(), key) > 0)
        return "; it is a trait: traits = " + key + "=NUMBER";
    if (std::ranges::count(enableWords(), key) > 0)
        return "; it can be enabled: enable = " + key;
    if (std::ranges::count(disableWords(), key) > 0)
        return "; it can be disabled: disable = " + key;
    return suggestion(key, keys);
}

void findUnknown(const VkInstanceCreateInfo& createInfo, std::vector<std::string>& problems)
{
    std::vector<std::string_view> keys;
    for (const SettingText& setting : settingTexts({}))
        keys.push_back(setting.key);
    std::vector<FoundName> found = foundNames();
    for (auto info = vkuFindLayerSettingsCreateInfo(&createInfo); info; info = vkuNextLayerSettingsCreateInfo(info))
        for (uint32_t i = 0; i < info->settingCount; ++i)
            if (std::string_view(info->pSettings[i].pLayerName) == kLayerName)
                found.push_back({info->pSettings[i].pSettingName, "VkLayerSettingsCreateInfoEXT"});
    for (const FoundName& name : found)
        if (std::ranges::count(keys, name.key) == 0)
            problems.push_back("there is no setting \"" + name.key + "\" (" + name.place + ")" +
                               advice(name.key, keys));
}

// Whoever starts a set-uid program must not choose files that it overwrites.
void forgetFiles(Settings& settings, std::vector<std::string>& problems)
{
    for (const auto& [name, file] :
         {std::pair("trace", &settings.trace), std::pair("capture_file", &settings.captureFile)}) {
        if (file->empty())
            continue;
        problems.push_back(std::string("setting ") + name +
                           " is ignored, since the process has more privileges than whoever started it");
        file->clear();
        // Captures would go to standard error instead, which nobody has asked for.
        if (file == &settings.captureFile)
            settings.capture.clear();
    }
}

}  // namespace

Settings readSettings(const VkInstanceCreateInfo& createInfo, std::vector<std::string>& problems)
{
    Settings settings;
    visitSettings(settings, Reader(createInfo, problems));
    findUnknown(createInfo, problems);
    settings.runtime.breadcrumbs |= settings.stepLimitMs > 0;
    if (hasMorePrivileges())
        forgetFiles(settings, problems);
    return settings;
}

std::vector<SettingText> settingTexts(const Settings& settings)
{
    Settings copy = settings;
    Writer writer;
    visitSettings(copy, writer);
    return writer.take();
}

}  // namespace millrace::settings
