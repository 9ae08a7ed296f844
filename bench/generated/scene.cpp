// SPDX-License-Identifier: Apache-2.0
#include "bench/generated/scene.h"

#include <algorithm>

namespace millrace::bench {

std::vector<Case> allCases(uint32_t mostSequences)
{
    std::vector<Case> cases;
    const auto add = [&](const std::string& name, Action action, uint32_t pipelines, bool isOrdered) {
        for (const uint32_t sequences : {1u, 1000u, 100000u})
            if (sequences <= mostSequences)
                cases.push_back({name, action, sequences, 1, pipelines, isOrdered});
    };
    add("draws with push constants", Action::Draw, 1, false);
    add("draws with vertex and index buffers", Action::DrawBuffers, 1, false);
    add("dispatches", Action::Dispatch, 1, false);
    for (const uint32_t pipelines : {2u, 16u, 256u}) {
        add("draws, set of " + std::to_string(pipelines), Action::Draw, pipelines, false);
        add("dispatches, set of " + std::to_string(pipelines), Action::Dispatch, pipelines, false);
        add("draws in order, set of " + std::to_string(pipelines), Action::Draw, pipelines, true);
    }
    // A record is 32 bytes, with a set 28.
    const uint32_t calls = std::min(4000u, std::max(1u, mostSequences / 25));
    cases.push_back({"calls of 30 draws", Action::Draw, 30, calls});
    cases.push_back({"calls of 30 draws in order, set of 2", Action::Draw, 30, calls, 2, true});
    cases.push_back(
        {"calls of 30 draws in order, set of 2, a draw behind each", Action::Draw, 30, calls, 2, true, true});
    return cases;
}

RecordLayout::RecordLayout(const Case& scene)
{
    uint32_t at = scene.hasSet() ? 1 : 0;
    push = at;
    at += scene.action == Action::Draw && !scene.hasSet() ? 4 : 2;
    if (scene.action == Action::DrawBuffers) {
        indices = at;
        vertices = at + 4;
        at += 8;
    }
    action = at;
    words = at + (scene.action == Action::Draw ? 4 : scene.action == Action::DrawBuffers ? 5 : 3);
}

std::vector<uint32_t> streamOf(const Case& scene, uint64_t vertices, uint64_t indices)
{
    const RecordLayout layout(scene);
    std::vector<uint32_t> stream(size_t{scene.total()} * layout.words);
    const auto putAddress = [](uint32_t* at, uint64_t address) {
        at[0] = static_cast<uint32_t>(address);
        at[1] = static_cast<uint32_t>(address >> 32);
    };
    for (uint32_t i = 0; i < scene.total(); ++i) {
        uint32_t* const record = &stream[size_t{i} * layout.words];
        if (scene.hasSet())
            record[layout.set] = pipelineOf(scene, i);
        record[layout.push] = i * kVertices;
        record[layout.push + 1] = colorOf(i);
        if (scene.action == Action::DrawBuffers) {
            putAddress(record + layout.vertices, vertices + uint64_t{i} * kVertices * 4);
            record[layout.vertices + 2] = kVertices * 4;
            record[layout.vertices + 3] = 4;
            putAddress(record + layout.indices, indices + i % kOrders * kVertices * 2);
            record[layout.indices + 2] = kVertices * 2;
            record[layout.indices + 3] = 0;  // VK_INDEX_TYPE_UINT16
        }
        const bool isDispatch = scene.action == Action::Dispatch;
        record[layout.action] = isDispatch ? 1 : kVertices;
        record[layout.action + 1] = 1;
        if (isDispatch)
            record[layout.action + 2] = 1;
    }
    return stream;
}

std::vector<uint32_t> expectedOf(const Case& scene)
{
    std::vector<uint32_t> words(kPixels);
    for (uint32_t i = 0; i < scene.total(); ++i)
        for (uint32_t k = 0; k < kVertices; ++k) {
            const uint32_t pixel = i * kVertices + k;
            words[pixel] = colorOf(i) + pixel + pipelineOf(scene, i) * kSalt;
        }
    return words;
}

}  // namespace millrace::bench
