// SPDX-License-Identifier: Apache-2.0
#include "settings/lists.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <span>
#include <string>

#include "base/near_word.h"

namespace millrace::settings {

namespace {

// A word of `enable` or `disable`, and what it does.
struct Switch {
    std::string_view word;
    void (*set)(Settings&);
    bool (*isSet)(const Settings&);
};

constexpr Switch kEnabled[] = {
    {"generated_commands", [](Settings& s) { s.generatedCommands = true; },
     [](const Settings& s) { return s.generatedCommands; }},
    {"mesh_nodes", [](Settings& s) { s.meshNodes = true; }, [](const Settings& s) { return s.meshNodes; }},
    {"mesh_shaders", [](Settings& s) { s.meshShaders = true; }, [](const Settings& s) { return s.meshShaders; }},
};

constexpr Switch kDisabled[] = {
    {"ahead", [](Settings& s) { s.ahead = false; }, [](const Settings& s) { return !s.ahead; }},
    {"calls", [](Settings& s) { s.runtime.hasCalls = false; }, [](const Settings& s) { return !s.runtime.hasCalls; }},
    {"combined_sets", [](Settings& s) { s.combinedSets = false; }, [](const Settings& s) { return !s.combinedSets; }},
    {"computed_vertices", [](Settings& s) { s.computedVertices = false; },
     [](const Settings& s) { return !s.computedVertices; }},
    {"direct", [](Settings& s) { s.runtime.path = runtime::Path::Indirect; },
     [](const Settings& s) { return s.runtime.path == runtime::Path::Indirect; }},
    {"early_submissions", [](Settings& s) { s.earlySubmissions = false; },
     [](const Settings& s) { return !s.earlySubmissions; }},
    {"late_members", [](Settings& s) { s.lateMembers = false; }, [](const Settings& s) { return !s.lateMembers; }},
    {"leaf", [](Settings& s) { s.leaf = false; }, [](const Settings& s) { return !s.leaf; }},
    {"maintenance5", [](Settings& s) { s.hideMaintenance5 = true; },
     [](const Settings& s) { return s.hideMaintenance5; }},
    {"measuring", [](Settings& s) { s.runtime.measures = false; },
     [](const Settings& s) { return !s.runtime.measures; }},
    {"mesh_commands", [](Settings& s) { s.meshCommands = false; }, [](const Settings& s) { return !s.meshCommands; }},
    {"mesh_indices", [](Settings& s) { s.meshIndices = false; }, [](const Settings& s) { return !s.meshIndices; }},
    {"read_only", [](Settings& s) { s.runtime.hasReadOnly = false; },
     [](const Settings& s) { return !s.runtime.hasReadOnly; }},
    {"reductions", [](Settings& s) { s.runtime.reduces = false; },
     [](const Settings& s) { return !s.runtime.reduces; }},
    {"view_point_sizes", [](Settings& s) { s.viewPointSizes = false; },
     [](const Settings& s) { return !s.viewPointSizes; }},
};

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kBlanks = " \t\r\n";
    const size_t first = text.find_first_not_of(kBlanks);
    return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

// Calls `use` for each element that is not empty.
template <typename Use>
void forElements(std::string_view text, Use&& use)
{
    while (!text.empty()) {
        const size_t comma = std::min(text.find(','), text.size());
        const std::string_view element = trimmed(text.substr(0, comma));
        if (!element.empty())
            use(element);
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
}

void append(std::string& list, std::string_view element)
{
    list.append(list.empty() ? "" : ", ").append(element);
}

// Empty if the trait has the value now, else what is wrong.
std::string readTrait(std::string_view name, std::string_view value, runtime::DeviceTraits& traits)
{
    const auto& table = runtime::traitTable();
    const auto trait = std::ranges::find_if(
        table, [&](const runtime::Trait& each) { return name == each.key && !each.hasOwnSetting; });
    if (trait == table.end())
        return "there is no trait \"" + std::string(name) + "\"" + suggestion(name, traitNames());
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || !trait->allows(number))
        return std::string(name) + " is \"" + std::string(value) + "\", which is not " + trait->range();
    traits.*trait->value = number;
    return "";
}

std::vector<std::string_view> wordsOf(std::span<const Switch> switches)
{
    std::vector<std::string_view> words;
    std::ranges::transform(switches, std::back_inserter(words), &Switch::word);
    return words;
}

void readSwitches(std::span<const Switch> switches, const char* setting, std::string_view text, Settings& settings,
                  std::vector<std::string>& problems)
{
    forElements(text, [&](std::string_view word) {
        const auto found = std::ranges::find(switches, word, &Switch::word);
        if (found != switches.end())
            found->set(settings);
        else
            problems.push_back("setting " + std::string(setting) + ": there is no \"" + std::string(word) + "\" to " +
                               setting + suggestion(word, wordsOf(switches)));
    });
}

std::string textOf(std::span<const Switch> switches, const Settings& settings)
{
    std::string list;
    for (const Switch& each : switches)
        if (each.isSet(settings))
            append(list, each.word);
    return list;
}

}  // namespace

std::vector<std::string_view> enableWords()
{
    return wordsOf(kEnabled);
}

std::vector<std::string_view> disableWords()
{
    return wordsOf(kDisabled);
}

std::vector<std::string_view> traitNames()
{
    std::vector<std::string_view> names;
    for (const runtime::Trait& trait : runtime::traitTable())
        if (!trait.hasOwnSetting)
            names.push_back(trait.key);
    return names;
}

void readEnabled(std::string_view text, Settings& settings, std::vector<std::string>& problems)
{
    readSwitches(kEnabled, "enable", text, settings, problems);
}

void readDisabled(std::string_view text, Settings& settings, std::vector<std::string>& problems)
{
    readSwitches(kDisabled, "disable", text, settings, problems);
}

void readTraits(std::string_view text, runtime::DeviceTraits& traits, std::vector<std::string>& problems)
{
    forElements(text, [&](std::string_view element) {
        const size_t equals = element.find('=');
        std::string problem = "\"" + std::string(element) + "\" is no \"TRAIT=NUMBER\"";
        if (equals != element.npos)
            problem = readTrait(trimmed(element.substr(0, equals)), trimmed(element.substr(equals + 1)), traits);
        if (!problem.empty())
            problems.push_back("setting traits: " + problem);
    });
}

std::string enabledText(const Settings& settings)
{
    return textOf(kEnabled, settings);
}

std::string disabledText(const Settings& settings)
{
    return textOf(kDisabled, settings);
}

std::string traitsText(const runtime::DeviceTraits& traits)
{
    std::string list;
    for (const runtime::Trait& trait : runtime::traitTable())
        if (traits.*trait.value != 0 && !trait.hasOwnSetting)
            append(list, std::string(trait.key) + "=" + std::to_string(traits.*trait.value));
    return list;
}

}  // namespace millrace::settings
