// SPDX-License-Identifier: Apache-2.0
// A work graph, what it is given, and what must come out: all that both sides have to know of a row.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace millrace::bench::peer {

// Whatever keeps a row from being measured; the text is for the table's footnotes.
struct PeerError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

using Words = std::vector<uint32_t>;

// A root parameter of the global root signature, in order.
struct Argument {
    enum class Kind {
        Constants,  // b
        Uav,        // u: address of a buffer
        Srv,        // t: address of a buffer
        Image,      // u: a table of one descriptor
    };
    Kind kind = Kind::Uav;
    uint32_t shaderRegister = 0;
    size_t resource = 0;  // among Work::resources
    Words constants{};
};

// What the local root signature, constants at b0, gives to a node.
struct LocalArguments {
    std::string function;
    Words constants;
};

struct Graph {
    std::vector<uint8_t> container;  // DXIL, lib_6_8
    std::vector<Argument> arguments;
    std::vector<LocalArguments> local;  // of equal sizes; none: no local root signature
};

// In front of each run it is what `initial` says, and zero behind that.
struct Resource {
    uint64_t bytes = 0;               // of a buffer
    uint32_t width = 0, height = 0;   // of an image of four bytes a texel (R8G8B8A8_UNORM)
    Words initial{};                  // of a buffer
    std::optional<Words> expected{};  // what the CPU worked out
    uint32_t mask = ~0u;              // bits of a word that are compared

    bool isImage() const { return width != 0; }
    uint64_t size() const { return isImage() ? uint64_t{4} * width * height : bytes; }
};

// Records for one node: record i begins at word i * strideWords.
struct Launch {
    std::string node;
    uint32_t count = 1;
    uint32_t strideWords = 0;  // 0: all records are empty
    Words words{};
};

enum class Form {
    Cpu,       // D3D12_DISPATCH_MODE_NODE_CPU_INPUT; vkCmdDispatchGraphAMDX
    CpuSplit,  // the same, but the peer gets several inputs of less than 32,768 records (..._MULTI_NODE_CPU_INPUT)
    Gpu,  // ..._NODE_GPU_INPUT; vkCmdDispatchGraphIndirectAMDX: records and what leads to them are in device memory
};
const char* nameOf(Form form);

struct Work {
    std::vector<Resource> resources;
    std::vector<Launch> launches;
    Form form = Form::Cpu;
};

}  // namespace millrace::bench::peer
