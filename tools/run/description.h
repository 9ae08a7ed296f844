// SPDX-License-Identifier: Apache-2.0
// What graph.json says (docs/run.md), checked as far as it can be without shaders and device.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/run/document.h"

namespace millrace::tools::run {

// One shader stage of the graph pipeline.
struct NodeDescription {
    Value place;
    std::string file;
    std::optional<std::string> entryPoint;
    std::optional<std::string> name;
    std::optional<uint32_t> index;
    std::vector<uint32_t> indices;                              // of an array of nodes that are alike; empty: one node
    std::vector<std::pair<std::string, Value>> specialization;  // by name or number
    std::vector<std::pair<std::string, std::string>> definitions;
    std::vector<std::string> includeFolders;
};

// A buffer or an image at a descriptor.
struct ResourceDescription {
    Value place;
    std::string name;
    uint32_t set = 0;
    uint32_t binding = 0;
    std::optional<Value> data;  // initial contents: one of data, file, fill
    std::optional<Value> file;
    std::optional<Value> fill;
    std::vector<Value> outputs;
    bool print = false;

    bool isImage = false;
    std::optional<Value> size;    // buffers: bytes
    std::optional<Value> length;  // buffers: elements of the array at the end
    std::optional<Value> format;  // images
    std::optional<Value> width;
    std::optional<Value> height;
};

// Payloads for one node.
struct LaunchDescription {
    Value place;
    std::string node;
    uint32_t index = 0;
    std::optional<Value> payloads;  // an array, or the name of a file
    std::optional<Value> count;
};

enum class DispatchForm { Host, Indirect, IndirectCount };
inline constexpr std::array<std::string_view, 3> kFormNames = {"host", "indirect", "indirect-count"};
std::optional<DispatchForm> parseForm(std::string_view text);
const char* nameOf(DispatchForm form);

struct DispatchDescription {
    Value place;
    DispatchForm form = DispatchForm::Host;
    std::vector<LaunchDescription> launches;
    std::optional<Value> pushConstants;  // from this dispatch on
};

struct GraphDescription {
    std::vector<NodeDescription> nodes;
    std::vector<ResourceDescription> resources;
    std::vector<DispatchDescription> dispatches;
    std::optional<Value> pushConstants;
    std::optional<Value> scratch;  // "min", "max" or bytes
    std::string device;
};

// Throws InputError. The document must outlive the description. Files that it names are beside it.
GraphDescription readDescription(const Document& document);

}  // namespace millrace::tools::run
