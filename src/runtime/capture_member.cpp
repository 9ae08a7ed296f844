// SPDX-License-Identifier: Apache-2.0
#include "runtime/capture_member.h"

#include <charconv>
#include <string_view>
#include <vector>

#include "base/near_word.h"

namespace millrace::runtime {

Result<data::Column> findCaptureMember(const data::DataTypeRef& type, uint64_t payloadBytes, const std::string& member)
{
    if (member.starts_with('@')) {
        uint32_t offset = 0;
        const char* end = member.data() + member.size();
        const auto [rest, error] = std::from_chars(member.data() + 1, end, offset);
        if (error == std::errc() && rest == end && payloadBytes >= 4 && offset <= payloadBytes - 4)
            return data::Column{member, offset, data::scalarType(data::DataType::Kind::Unsigned, 32)};
        return Diagnostic{"", "", "has no member \"" + member + "\" in " + std::to_string(payloadBytes) + " bytes"};
    }
    const std::vector<data::Column> columns = type ? data::columnsOf(type) : std::vector<data::Column>();
    std::vector<std::string_view> names;
    for (const data::Column& column : columns) {
        if (column.name == member)
            return column;
        names.push_back(column.name);
    }
    return Diagnostic{"", "",
                      "has no member \"" + member + "\" in " +
                          (type ? data::nameOf(*type) : std::to_string(payloadBytes) + " bytes") +
                          suggestion(member, names)};
}

}  // namespace millrace::runtime
