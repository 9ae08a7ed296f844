// SPDX-License-Identifier: Apache-2.0
// The builds of src/shaders/device/node.glsl, ready to be linked into node shaders.
#pragma once

#include <cstdint>

#include "abi/graph_memory.h"
#include "base/result.h"
#include "graph/graph.h"
#include "spirv/library.h"

namespace millrace::compiler {

// What is decided before a node is known; the rest are specialization constants that linking fills in.
struct DeviceLibraryVariant {
    uint32_t kind = abi::kKindStatic;  // abi::kKind*
    graph::MemoryUse memory = graph::MemoryUse::Reserves;
    bool indirect = false;
    bool vulkanMemoryModel = false;
    uint32_t emits = abi::kEmitsToSeveral;  // abi::kEmits*
    bool sendsGrids = true;                 // and the next two: graph::CodeTraits
    bool sendsTracked = true;
    bool plainQueues = false;
    bool batched = false;      // a dispatch may run several slots
    bool counted = false;      // finished workgroups are counted for the host
    bool loose = false;        // workgroups need not stay together: graph::isLoose()
    bool keeps = false;        // leaves: workgroups have scratch memory, graph::Node::groupMemoryBytes
    bool begins = false;       // likewise; where the dispatch fits
    bool once = false;         // graph::Node::sendsWhenFinished, likewise
    bool stepsInside = false;  // passes/step_through_grid.h
    bool longAtomics = true;   // Options::longAtomics
    uint32_t subgroupOperations = abi::kSubgroupArithmetic;  // Options::subgroupOperations

    auto operator<=>(const DeviceLibraryVariant&) const = default;
};

inline constexpr uint32_t kWorkgroupSizeSpecId = 2001;   // invocations of our workgroup
inline constexpr uint32_t kInputTableSpecId = 2002;      // entries of the table of input addresses
inline constexpr uint32_t kSubgroupSizeSpecId = 2006;    // the smallest that there may be
inline constexpr uint32_t kOutputStrideSpecId = 2011;    // graph::CodeTraits
inline constexpr uint32_t kInputStrideSpecId = 2012;     // likewise
inline constexpr uint32_t kInputBesideSpecId = 2031;     // payloads of one sender that neighbours take
inline constexpr uint32_t kPartsSpecId = 2032;           // graph::Node
inline constexpr uint32_t kChunksPerGroupSpecId = 2033;  // that a workgroup of ours takes if it can
inline constexpr uint32_t kGridXSpecId = 2013;           // static grid
inline constexpr uint32_t kGridYSpecId = 2014;
inline constexpr uint32_t kGridZSpecId = 2015;
inline constexpr uint32_t kNodeSizeSpecId = 2017;        // invocations of the node's workgroup
inline constexpr uint32_t kAlwaysReceivedSpecId = 2019;  // graph::CodeTraits
inline constexpr uint32_t kChunkGroupsSpecId = 2020;     // Options::chunkGroups or silentChunkGroups
inline constexpr uint32_t kOrderedBytesSpecId = 2021;    // Options::orderedBytes
inline constexpr uint32_t kDepthFirstSpecId = 2023;      // graph::Node
inline constexpr uint32_t kBusyPayloadsSpecId = 2024;    // Options
inline constexpr uint32_t kSentMostSpecId = 2025;        // DepthFirst
inline constexpr uint32_t kQueuePayloadsSpecId = 2026;   // likewise
inline constexpr uint32_t kLevelBitsSpecId = 2036;       // likewise
inline constexpr uint32_t kMemoryBytesSpecId = 2027;     // graph::Node::groupMemoryBytes
inline constexpr uint32_t kOutputsSpecId = 2022;         // outputs that a workgroup knows by heart

// Made at the first call for a variant and kept until the process ends. Thread-safe.
// Errors: only if the library was built wrongly.
const Result<spirv::Library>& getDeviceLibrary(const DeviceLibraryVariant& variant);

}  // namespace millrace::compiler
