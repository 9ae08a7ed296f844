// SPDX-License-Identifier: Apache-2.0
#include "spirv/same_code.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>
#include <vector>

namespace millrace::spirv {

namespace {

std::vector<std::string> tokens(const std::string& text)
{
    std::istringstream in(text);
    std::vector<std::string> out;
    for (std::string token; in >> token;)
        out.push_back(token);
    return out;
}

bool isNumbered(const std::string& token)
{
    return token.size() > 1 && token[0] == '%' && std::isdigit(static_cast<unsigned char>(token[1]));
}

}  // namespace

testing::AssertionResult isSameCode(const std::string& actual, const std::string& expected)
{
    const std::vector<std::string> a = tokens(actual);
    const std::vector<std::string> e = tokens(expected);
    std::map<std::string, std::string> toExpected, toActual;
    size_t differs = std::min(a.size(), e.size());
    for (size_t t = 0; t < std::min(a.size(), e.size()); ++t) {
        const bool isPair = isNumbered(a[t]) && e[t][0] == '%' &&
                            toExpected.try_emplace(a[t], e[t]).first->second == e[t] &&
                            toActual.try_emplace(e[t], a[t]).first->second == a[t];
        if (!isPair && a[t] != e[t]) {
            differs = t;
            break;
        }
    }
    if (differs == a.size() && differs == e.size())
        return testing::AssertionSuccess();
    return testing::AssertionFailure() << "token " << differs << ": " << (differs < a.size() ? a[differs] : "the end")
                                       << " where " << (differs < e.size() ? e[differs] : "the end")
                                       << " is expected, in\n"
                                       << actual;
}

}  // namespace millrace::spirv
