// SPDX-License-Identifier: Apache-2.0
// The compact form of a trace (docs/trace.md, "The compact file"), written as it comes.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/output_file.h"
#include "base/result.h"
#include "trace/trace.h"

namespace millrace::trace {

// Writes to a file. What was written is whole after each call.
class FileWriter final : public Sink {
public:
    // Fails if the file cannot be made. Where the disk is full later, the file stays as it is then.
    static Result<std::unique_ptr<FileWriter>> create(const std::string& path);
    FileWriter(const FileWriter&) = delete;

    void device(const Device& device) override;
    void graph(const Graph& graph) override;
    void dispatch(const Dispatch& dispatch) override;
    void sweep(const Sweep& sweep) override;
    void lost(uint64_t sweeps) override;
    void meshPipeline(const MeshPipeline& pipeline) override;
    void meshWork(const MeshWork& work) override;
    void meshFront(const MeshFront& front) override;
    void generatedCall(const GeneratedCall& call) override;
    void generatedWork(const GeneratedWork& work) override;
    std::optional<std::string> takeProblem() override { return m_file->takeProblem(); }

private:
    explicit FileWriter(std::unique_ptr<OutputFile> file) : m_file(std::move(file)) {}
    void write(char tag, const std::string& bytes);

    std::unique_ptr<OutputFile> m_file;
};

// Hands everything in a compact file to the sink. What comes behind an incomplete end, as a process leaves it that was
// killed, is not missed; anything else that is wrong is an error.
Status read(std::span<const char> bytes, Sink& sink);

}  // namespace millrace::trace
