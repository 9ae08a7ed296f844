// SPDX-License-Identifier: Apache-2.0
// The compact form of a trace (docs/trace.md, "The compact file"), written as it comes.
#pragma once

#include <cstdio>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "trace/trace.h"

namespace millrace::trace {

// Writes to a file. What was written is whole after each call.
class FileWriter final : public Sink {
public:
    // Fails if the file cannot be made.
    static Result<std::unique_ptr<FileWriter>> create(const std::string& path);
    ~FileWriter() override;
    FileWriter(const FileWriter&) = delete;

    void device(const Device& device) override;
    void graph(const Graph& graph) override;
    void dispatch(const Dispatch& dispatch) override;
    void sweep(const Sweep& sweep) override;
    void lost(uint64_t sweeps) override;

private:
    explicit FileWriter(std::FILE* file) : m_file(file) {}
    void write(char tag, const std::string& bytes);

    std::FILE* m_file;
};

// Hands everything in a compact file to the sink. What comes behind an incomplete end, as a process leaves it that was
// killed, is not missed; anything else that is wrong is an error.
Status read(std::span<const char> bytes, Sink& sink);

}  // namespace millrace::trace
