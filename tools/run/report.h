// SPDX-License-Identifier: Apache-2.0
// What `millrace run` says of a run.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "tools/run/device.h"
#include "tools/run/execute.h"
#include "tools/run/expectation.h"
#include "tools/run/outputs.h"

namespace millrace::tools::run {

struct Report {
    std::string device;
    std::string driver;
    bool isEmulated = false;
    Execution execution;
    std::vector<OutputFile> files;
    std::vector<Difference> differences;
    size_t checked = 0;         // resources
    std::optional<Json> shown;  // payloads, if somebody wanted to see them
    std::vector<Message> messages;
};

void printReport(std::ostream& out, const Report& report, const Work& work);
Json reportJson(const Report& report, const Work& work);
Json messagesJson(const std::vector<Message>& messages);

double medianOf(std::vector<double> values);

}  // namespace millrace::tools::run
