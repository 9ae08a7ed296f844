// SPDX-License-Identifier: Apache-2.0
// What graph.json says (docs/run.md), checked as far as it can be without shaders and device.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <vulkan/vulkan.h>

#include "tools/run/document.h"

namespace millrace::tools::run {

struct ShaderDescription {
    Value place;
    std::string file;
    std::optional<std::string> entryPoint;
    std::vector<std::pair<std::string, Value>> specialization;  // by name or number
    std::vector<std::pair<std::string, std::string>> definitions;
    std::vector<std::string> includeFolders;
};

enum class Blend { None, Alpha, Add };
inline constexpr std::array<std::string_view, 3> kBlendNames = {"none", "alpha", "add"};
inline constexpr std::array<std::string_view, 3> kCullNames = {"none", "front", "back"};  // as VkCullModeFlagBits
// As VkCompareOp.
inline constexpr std::array<std::string_view, 8> kCompareNames = {
    "never", "less", "equal", "less_or_equal", "greater", "not_equal", "greater_or_equal", "always"};

// How a mesh node draws.
struct DrawDescription {
    ShaderDescription fragment;
    VkCullModeFlags cull = VK_CULL_MODE_NONE;
    Blend blend = Blend::None;
    VkCompareOp depthTest = VK_COMPARE_OP_LESS;
    bool depthWrite = true;
};

// One shader stage of the graph pipeline.
struct NodeDescription : ShaderDescription {
    std::optional<std::string> name;
    std::optional<uint32_t> index;
    std::vector<uint32_t> indices;  // of an array of nodes that are alike; empty: one node
    std::optional<DrawDescription> draw;
};

// A buffer or an image at a descriptor, or the image that mesh nodes draw into.
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
    bool isTarget = false;        // an image without a descriptor
    std::optional<Value> size;    // buffers: bytes
    std::optional<Value> length;  // buffers: elements of the array at the end, or texels
    std::optional<Value> format;  // images and texel buffers
    std::optional<Value> width;
    std::optional<Value> height;

    bool isAt(uint32_t otherSet, uint32_t otherBinding) const
    {
        return !isTarget && set == otherSet && binding == otherBinding;
    }
};

struct TargetDescription {
    Value place;
    size_t resource = 0;         // into GraphDescription::resources
    std::optional<float> depth;  // what the depth is everywhere at first; none: there is no depth buffer
    uint32_t samples = 1;
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
    std::optional<TargetDescription> target;
    std::vector<DispatchDescription> dispatches;
    std::optional<Value> pushConstants;
    std::optional<Value> scratch;  // "min", "max" or bytes
    std::string device;
};

// Throws InputError. The document must outlive the description. Files that it names are beside it.
GraphDescription readDescription(const Document& document);

}  // namespace millrace::tools::run
