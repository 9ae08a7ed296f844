// SPDX-License-Identifier: Apache-2.0
// Rows run in a process of their own, which another one watches: what one of the sides does not survive is a row's
// result.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace millrace::bench::peer {

// What a worker writes its messages to, one a line.
inline constexpr int kWorkerDescriptor = 3;
// Of a worker: it begins with this row; it has its result; anything else.
void tellBegin(size_t row);
void tellResult(size_t row, const nlohmann::json& result);
void tell(const nlohmann::json& message);

struct Watcher {
    std::function<void(size_t row, const nlohmann::json& result)> onResult;
    std::function<void(size_t row, const std::string& reason)> onLost;  // the worker ended in this row
    std::function<void(const nlohmann::json& message)> onMessage;
};

// Runs `command N`, where N is the first row that is missing, until there are `rows`. A worker that says nothing for so
// many seconds is ended. Throws PeerError if one ends without having begun a row.
void watchWorkers(const std::vector<std::string>& command, size_t rows, double silentSeconds, const Watcher& watcher);

}  // namespace millrace::bench::peer
