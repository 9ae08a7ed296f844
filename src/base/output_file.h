// SPDX-License-Identifier: Apache-2.0
// A file that grows while others may read it, on a disk that may be full.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace millrace {

// Thread-safe.
class OutputFile {
public:
    // Makes the file, or empties it, and begins it.
    static Result<std::unique_ptr<OutputFile>> create(const std::string& path, std::string_view begin);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;

    // Puts `text` in the place of the last `over` bytes. Where that fails the file stays as it was, from then on, so
    // that what it has can be read.
    void write(std::string_view text, size_t over = 0);

    // Why it stayed as it was, in words for whoever wanted the file; once.
    std::optional<std::string> takeProblem();

private:
    OutputFile(int file, std::string path) : m_file(file), m_path(std::move(path)) {}
    bool put(std::string_view text, size_t at);

    std::mutex m_mutex;
    const int m_file;
    const std::string m_path;
    std::string m_end;  // the last bytes, as far as write() may ask for them
    size_t m_size = 0;
    int m_error = 0;  // of errno; nothing is written any more
    bool m_isTold = false;
};

}  // namespace millrace
