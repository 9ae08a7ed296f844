// SPDX-License-Identifier: Apache-2.0
#include "tools/report_errors.h"

#include <iostream>

#include <nlohmann/json.hpp>

#include "tools/console.h"

namespace millrace::tools {

nlohmann::ordered_json errorsJson(const std::vector<Diagnostic>& errors)
{
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Diagnostic& error : errors) {
        list.push_back({{"source", printable(error.component)},
                        {"where", printable(error.where)},
                        {"message", printable(error.message)}});
    }
    return list;
}

int reportErrors(const std::vector<Diagnostic>& errors, bool asJson)
{
    return reportErrors(errors, asJson, nlohmann::ordered_json::object());
}

int reportErrors(const std::vector<Diagnostic>& errors, bool asJson, nlohmann::ordered_json document)
{
    if (asJson) {
        document["errors"] = errorsJson(errors);
        std::cout << document.dump(2) << "\n";
    }
    for (const Diagnostic& error : errors) {
        (void)fail(printable(error.text()));
    }
    return 1;
}

}  // namespace millrace::tools
