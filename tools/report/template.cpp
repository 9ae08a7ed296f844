// SPDX-License-Identifier: Apache-2.0
#include "tools/report/template.h"

#include <cassert>

namespace millrace::tools::report {

std::string htmlText(const std::string& text)
{
    std::string out;
    for (const char c : text)
        out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
    return out;
}

std::string jsonForScript(const nlohmann::ordered_json& json)
{
    std::string text = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    for (size_t at = 0; (at = text.find('<', at)) != std::string::npos; at += 6)
        text.replace(at, 1, "\\u003c");
    return text;
}

std::string fillIn(std::string_view page, const std::map<std::string, std::string, std::less<>>& texts)
{
    std::string out;
    for (;;) {
        const size_t begin = page.find("{{");
        out += page.substr(0, begin);
        if (begin == std::string_view::npos)
            return out;
        const size_t end = page.find("}}", begin);
        assert(end != std::string_view::npos);
        const auto text = texts.find(page.substr(begin + 2, end - begin - 2));
        assert(text != texts.end());
        out += text->second;
        page.remove_prefix(end + 2);
    }
}

std::string joined(const char* const* files)
{
    std::string text;
    for (; *files != nullptr; ++files)
        text += std::string(*files) + "\n";
    return text;
}

}  // namespace millrace::tools::report
