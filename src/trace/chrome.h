// SPDX-License-Identifier: Apache-2.0
// A trace as the JSON that Perfetto and chrome://tracing open (docs/trace.md, "In Perfetto"), written as it comes.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/output_file.h"
#include "base/result.h"
#include "trace/trace.h"

namespace millrace::trace {

class ChromeWriter final : public Sink {
public:
    // Fails if the file cannot be made. Where the disk is full later, the file stays as it is then.
    static Result<std::unique_ptr<ChromeWriter>> create(const std::string& path);
    ChromeWriter(const ChromeWriter&) = delete;

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
    explicit ChromeWriter(std::unique_ptr<OutputFile> file) : m_file(std::move(file)) {}
    void event(const std::string& members);
    void commit();
    void nameProcess(uint32_t process, const std::string& name);
    void nameThread(uint32_t process, uint32_t thread, const std::string& name);
    void level(const Graph& graph, const LevelWork& level);

    std::unique_ptr<OutputFile> m_file;
    bool m_first = true;
    std::string m_events;  // of the call under way
    std::string m_device;  // and its traits
    std::map<uint32_t, Graph> m_graphs;
    std::map<uint32_t, Dispatch> m_dispatches;
    std::map<uint32_t, uint32_t> m_lanes;  // per graph: threads that show nodes and have a name
    std::map<uint32_t, MeshPipeline> m_meshPipelines;
    std::map<uint32_t, GeneratedCall> m_generatedCalls;
    bool m_hasFronts = false;
    uint64_t m_now = 0;  // nanoseconds; from there on nothing is shown yet
};

}  // namespace millrace::trace
