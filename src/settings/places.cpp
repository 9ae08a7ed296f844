// SPDX-License-Identifier: Apache-2.0
#include "settings/places.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "base/system.h"

namespace millrace::settings {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFileName = "vk_layer_settings.txt";
// The utility library tries these in this order. Others than the first may be meant for another layer.
constexpr std::array<std::string_view, 3> kPrefixes = {"VK_MILLRACE_EMULATION_", "VK_EMULATION_", "VK_"};
// In front of a setting in the file.
constexpr std::string_view kFilePrefix = "millrace_emulation.";
// What somebody has written by hand is shorter; /dev/zero is not.
constexpr std::streamsize kMostBytes = 1 << 20;

std::string variable(const std::string& name)
{
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? "" : value;
}

std::string converted(std::string text, int (*convert)(int))
{
    std::ranges::transform(text, text.begin(), [&](unsigned char c) { return static_cast<char>(convert(c)); });
    return text;
}

void findVariables(std::vector<FoundName>& found)
{
    for (char** each = environment(); each != nullptr && *each != nullptr; ++each) {
        const std::string_view entry = *each;
        const size_t equals = entry.find('=');
        if (!entry.starts_with(kPrefixes.front()) || equals == entry.npos || equals + 1 == entry.size())
            continue;
        const std::string name(entry.substr(0, equals));
        found.push_back({converted(name.substr(kPrefixes.front().size()), std::tolower), name});
    }
}

// The file has "layer.setting = value" in each line, and comments behind '#'.
void findLines(std::vector<FoundName>& found)
{
    const fs::path path = settingsFile();
    std::error_code error;
    if (!fs::is_regular_file(path, error))
        return;
    std::ifstream file(path);
    std::string line;
    for (size_t number = 1; std::getline(file, line) && file.tellg() < kMostBytes; ++number) {
        line.erase(std::min(line.find('#'), line.size()));
        const size_t equals = line.find('=');
        std::erase_if(line, [](unsigned char c) { return std::isspace(c) != 0; });
        if (equals != line.npos && line.starts_with(kFilePrefix))
            found.push_back({line.substr(kFilePrefix.size(), line.find('=') - kFilePrefix.size()),
                             path.string() + ", line " + std::to_string(number)});
    }
}

}  // namespace

std::string variableOf(const std::string& key)
{
    for (std::string_view prefix : kPrefixes) {
        const std::string name = std::string(prefix) + converted(key, std::toupper);
        if (!variable(name).empty())
            return name;
    }
    return "";
}

fs::path settingsFile()
{
    std::error_code error;
    const std::string data = variable("XDG_DATA_HOME");
    const std::string home = variable("HOME");
    const fs::path shared = !data.empty()  ? fs::path(data)
                            : home.empty() ? fs::path()
                                           : fs::path(home) / ".local/share";
    if (!shared.empty() && fs::is_regular_file(shared / "vulkan/settings.d" / kFileName, error))
        return shared / "vulkan/settings.d" / kFileName;
    const fs::path chosen = variable("VK_LAYER_SETTINGS_PATH");
    if (!chosen.empty() && fs::exists(chosen, error))
        return fs::is_directory(chosen, error) ? chosen / kFileName : chosen;
    return fs::current_path(error) / kFileName;
}

std::vector<FoundName> foundNames()
{
    std::vector<FoundName> found;
    findVariables(found);
    findLines(found);
    return found;
}

}  // namespace millrace::settings
