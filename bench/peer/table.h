// SPDX-License-Identifier: Apache-2.0
// What the rows say, as Markdown and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/peer/measure.h"

namespace millrace::bench::peer {

struct FinishedRow {
    std::string records, title, form;
    uint32_t count = 0;
    RowResult result;
};

std::string tableHead();
std::string tableRow(const FinishedRow& row);
// Geometric means over the rows in which both are right and say the same, of all and of each form, the largest ratio,
// and what went wrong.
std::string summaryOf(const std::vector<FinishedRow>& rows);
// Whether Millrace was right in all rows that ran.
bool isMillraceRight(const std::vector<FinishedRow>& rows);

nlohmann::json toJson(const RowResult& result);
RowResult resultFromJson(const nlohmann::json& json);
nlohmann::json toJson(const FinishedRow& row);

}  // namespace millrace::bench::peer
