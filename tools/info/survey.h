// SPDX-License-Identifier: Apache-2.0
// What `millrace info` finds out: every device without Millrace and with it.
#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/info/tried.h"

namespace millrace::tools {

struct LayerState {
    bool isFound = false;             // the loader lists it
    bool isBesideTool = false;        // for this tool alone: applications have to be told where it is
    bool isLoaded = false;            // an instance with it can be created
    bool isEnabledByDefault = false;  // variables of the environment enable it for every application
    std::string library;              // path
    std::string problem;              // why it is not loaded, and what to do
    std::string advice;               // isBesideTool: how applications find it
};

struct SettingState {
    std::string key;
    std::string value;
    std::string byDefault;
    std::string origin;  // "default", "environment", "file"
    std::string source;  // the variable or the file; empty by default
};

// Something that the driver has, that Millrace adds, or neither.
struct Provided {
    std::string name;
    bool driver = false;
    bool withMillrace = false;  // as far as it is known: LayerState::isLoaded
    std::string remark;
};

struct Need {
    std::string name;
    std::string use;
    bool required = false;
    bool isThere = false;
};

struct Missing {
    std::string name;
    std::string reason;
    bool isForGraphs = true;  // false: for another extension, which graphs do without
};

struct Limit {
    std::string name;
    std::vector<uint64_t> values;
};

// What Millrace chooses for a device (docs/device-traits.md).
struct TraitState {
    std::string name;
    uint32_t value = 0;
    std::string origin;  // "measured", "setting"
};

enum class Graphs { None, Driver, Millrace };

struct DeviceState {
    size_t index = 0;  // as Vulkan enumerates them
    VkPhysicalDeviceProperties properties{};
    std::array<uint8_t, VK_UUID_SIZE> uuid{};
    std::array<uint8_t, VK_UUID_SIZE> driverUuid{};
    std::string driver;      // name and version as the driver writes them
    Tried tried;             // of the driver, whatever this device is
    bool listsOnly = false;  // the driver lists VK_AMDX_shader_enqueue and does not implement it
    Graphs graphs = Graphs::None;
    std::vector<Provided> provided;
    std::vector<Need> needs;       // empty for drivers that are too old to be asked
    std::vector<Missing> missing;  // why there are no graphs, or what they and other extensions do without
    std::vector<Limit> limits;
    std::vector<TraitState> traits;  // where Millrace runs graphs
};

struct Survey {
    uint32_t loaderVersion = 0;
    LayerState layer;
    std::vector<SettingState> settings;
    std::vector<DeviceState> devices;
    std::vector<std::string> settingProblems;  // the layer reports them as well, where it is loaded
    std::vector<std::string> warnings;
};

Result<Survey> survey();

}  // namespace millrace::tools
