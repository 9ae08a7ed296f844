// SPDX-License-Identifier: Apache-2.0
// A trace that several write at the same time.
#pragma once

#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include "trace/trace.h"

namespace millrace::trace {

// Thread-safe.
class LockedSink final : public Sink {
public:
    explicit LockedSink(std::unique_ptr<Sink> sink) : m_sink(std::move(sink)) {}

    void device(const Device& device) override { locked(&Sink::device, device); }
    void graph(const Graph& graph) override { locked(&Sink::graph, graph); }
    void dispatch(const Dispatch& dispatch) override { locked(&Sink::dispatch, dispatch); }
    void sweep(const Sweep& sweep) override { locked(&Sink::sweep, sweep); }
    void lost(uint64_t sweeps) override { locked(&Sink::lost, sweeps); }
    void meshPipeline(const MeshPipeline& pipeline) override { locked(&Sink::meshPipeline, pipeline); }
    void meshWork(const MeshWork& work) override { locked(&Sink::meshWork, work); }
    void meshFront(const MeshFront& front) override { locked(&Sink::meshFront, front); }
    void generatedCall(const GeneratedCall& call) override { locked(&Sink::generatedCall, call); }
    void generatedWork(const GeneratedWork& work) override { locked(&Sink::generatedWork, work); }
    std::optional<std::string> takeProblem() override { return m_sink->takeProblem(); }

private:
    template <typename Part>
    void locked(void (Sink::*take)(Part), std::type_identity_t<Part> part)
    {
        const std::lock_guard lock(m_mutex);
        (m_sink.get()->*take)(part);
    }

    std::mutex m_mutex;
    const std::unique_ptr<Sink> m_sink;
};

}  // namespace millrace::trace
