// SPDX-License-Identifier: Apache-2.0
// Keeps everything that a trace says.
#pragma once

#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace millrace::trace {

class Collector final : public Sink {
public:
    std::vector<Device> devices;
    std::vector<Graph> graphs;
    std::map<uint32_t, Dispatch> dispatches;
    std::vector<Sweep> sweeps;
    uint64_t lostSweeps = 0;
    std::map<uint32_t, MeshPipeline> meshPipelines;
    std::vector<MeshWork> meshWorks;
    std::vector<MeshFront> meshFronts;
    std::map<uint32_t, GeneratedCall> generatedCalls;
    std::vector<GeneratedWork> generatedWorks;

    void device(const Device& device) override { devices.push_back(device); }
    void graph(const Graph& graph) override { graphs.push_back(graph); }
    void dispatch(const Dispatch& dispatch) override { dispatches[dispatch.id] = dispatch; }
    void sweep(const Sweep& sweep) override { sweeps.push_back(sweep); }
    void lost(uint64_t sweeps) override { lostSweeps += sweeps; }
    void meshPipeline(const MeshPipeline& pipeline) override { meshPipelines[pipeline.id] = pipeline; }
    void meshWork(const MeshWork& work) override { meshWorks.push_back(work); }
    void meshFront(const MeshFront& front) override { meshFronts.push_back(front); }
    void generatedCall(const GeneratedCall& call) override { generatedCalls[call.id] = call; }
    void generatedWork(const GeneratedWork& work) override { generatedWorks.push_back(work); }
};

inline std::vector<char> readBytes(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace millrace::trace
