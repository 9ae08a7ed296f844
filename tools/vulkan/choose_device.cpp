// SPDX-License-Identifier: Apache-2.0
#include "tools/vulkan/choose_device.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/near_word.h"

namespace millrace::tools {

namespace {

// Names have numbers as well, of models and versions: "RTX 4090", "LLVM 19.1.7".
constexpr size_t kDigitsOfNumber = 2;

std::string lowerCase(std::string text)
{
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

// Of letters and digits.
std::vector<std::string_view> words(std::string_view text)
{
    std::vector<std::string_view> found;
    size_t start = 0;
    for (size_t i = 0; i <= text.size(); ++i) {
        if (i == text.size() || std::isalnum(static_cast<unsigned char>(text[i])) == 0) {
            if (i > start)
                found.push_back(text.substr(start, i - start));
            start = i + 1;
        }
    }
    return found;
}

}  // namespace

std::string deviceList(const std::vector<std::string>& names)
{
    std::string list = names.size() == 1 ? "there is device " : "there are devices ";
    for (size_t d = 0; d < names.size(); ++d)
        list += (d == 0 ? "" : ", ") + std::to_string(d) + ": " + names[d];
    return list;
}

Result<std::vector<size_t>> chooseDevices(const std::vector<std::string>& names, const std::string& wanted)
{
    const bool isNumber = !wanted.empty() && wanted.size() <= kDigitsOfNumber &&
                          std::ranges::all_of(wanted, [](unsigned char c) { return std::isdigit(c) != 0; });
    std::vector<size_t> chosen;
    std::vector<std::string> lower;
    for (size_t d = 0; d < names.size(); ++d) {
        lower.push_back(lowerCase(names[d]));
        if (isNumber ? std::stoul(wanted) == d : lower[d].find(lowerCase(wanted)) != std::string::npos)
            chosen.push_back(d);
    }
    if (!chosen.empty())
        return chosen;
    if (isNumber)
        return Diagnostic{"", "", "there is no device " + wanted + "; " + deviceList(names)};
    std::vector<std::string_view> all;
    for (const std::string& name : lower) {
        all.push_back(name);
        const std::vector<std::string_view> parts = words(name);
        all.insert(all.end(), parts.begin(), parts.end());
    }
    return Diagnostic{"", "",
                      "no device has \"" + wanted + "\" in its name" + suggestion(lowerCase(wanted), all) +
                          (suggestion(lowerCase(wanted), all).empty() ? ";" : "") + " " + deviceList(names)};
}

}  // namespace millrace::tools
