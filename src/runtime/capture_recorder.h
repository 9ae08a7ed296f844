// SPDX-License-Identifier: Apache-2.0
// Captures payloads that nodes receive (docs/capture.md): an observer of every dispatch that has such a node. Without
// one nothing of it is recorded.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/data_type.h"
#include "runtime/runtime.h"

namespace millrace::runtime {

// Which payloads to capture.
struct CaptureFilter {
    std::string node;
    std::optional<uint32_t> index;  // none: of all nodes of that name
    std::optional<uint32_t> level;
    uint32_t first = 100;  // of a run of the graph at most
    // A condition: member "velocity.x", or "@8" for the word at byte 8; compare is one of abi::kCompare*.
    uint32_t compare = 0;
    std::string member;
    std::string value;
};

struct CapturedPayload {
    const std::string& graph;
    uint32_t dispatch;  // recorded dispatches that have captures count from 0
    uint32_t run;       // of the dispatch, from 0
    uint32_t sweep;
    const graph::NodeId& node;
    const graph::Slot& slot;
    uint32_t number;             // in its queue
    const data::DataType* type;  // null: not known
    std::span<const uint8_t> bytes;
};

class CaptureSink {
public:
    virtual ~CaptureSink() = default;
    virtual void payload(const CapturedPayload& payload) = 0;
    virtual void lost(uint64_t payloads) = 0;  // that nobody has fetched in time
    virtual void problem(const std::string& text, const std::string& advice) = 0;
};

// Thread-safe, but for its creation. The sink is called by one thread at a time.
class CaptureRecorder {
public:
    // From now on `device` captures. Both outlive everything that is recorded. GraphPipeline::payloadTypes says what
    // payloads are.
    static VkResult create(Device& device, std::shared_ptr<CaptureSink> sink, std::vector<CaptureFilter> filters,
                           std::unique_ptr<CaptureRecorder>& out);
    ~CaptureRecorder();

    // Gives the sink what the device has written, as TraceRecorder::drain().
    void drain();

    struct Impl;

private:
    std::shared_ptr<Impl> m_impl;
};

}  // namespace millrace::runtime
