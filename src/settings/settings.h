// SPDX-License-Identifier: Apache-2.0
// What the user can choose: VK_EXT_layer_settings, vk_layer_settings.txt, environment. docs/settings.md has the tables.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/runtime.h"

namespace millrace::settings {

// The layer whose settings these are.
inline constexpr char kLayerName[] = "VK_LAYER_MILLRACE_emulation";

enum class Continuation {
    Complete,  // a graph runs until nothing is left, however many sweeps that takes
    Single,    // as many sweeps as are recorded at once; what is left is reported as an error
};

// Consumers run inside their producers: nowhere, where they can and it is of use, or wherever they can.
enum class Fusion { None, Useful, All };

struct Settings {
    bool forceEnable = false;
    bool generatedCommands = false;  // provide VK_EXT_device_generated_commands
    bool meshShaders = false;        // provide VK_EXT_mesh_shader
    bool meshCommands = true;        // and with it generated commands that draw its shaders, where the driver's do not
    bool meshNodes = false;          // shaderMeshEnqueue
    bool validate = false;
    bool validateSpirv = false;
    bool hideMaintenance5 = false;
    Fusion fusion = Fusion::Useful;
    bool ahead = true;             // pipelines that later dispatches may need are made behind the graph's creation
    bool leaf = true;              // nodes that send nothing run without the scheduler where they can
    bool computedVertices = true;  // draws with mesh shaders of the layer's compute vertices again where they can
    bool meshIndices = true;       // draws with mesh shaders of the layer's have index buffers where they can
    bool viewPointSizes = true;    // vertex shaders of mesh shaders' points may read ViewIndex and write PointSize
    bool combinedSets = true;      // pipelines of execution sets become one, where generated draws keep their order
    bool lateMembers = true;       // generated commands run what is in their execution sets at submission
    bool earlySubmissions = true;  // what waits for the host is with the driver before
    bool debugLabels = false;      // enable VK_EXT_debug_utils even if nobody else does
    bool stepByStep = false;       // each step is a submission of its own
    uint32_t stepLimitMs = 0;      // report steps that take longer; 0: none. Implies runtime::Settings::breadcrumbs
    Continuation continuation = Continuation::Complete;
    std::string trace;        // file, empty: none
    bool traceNodes = false;  // each node by itself
    std::string capture;      // filters, see capture_filter.h; empty: none
    std::string captureFile;
    runtime::Settings runtime;
};

// Whether nodes that send nothing may run without the scheduler: nobody looks at its steps, and nobody wants to know
// what is wrong with scratch memory that is not used then.
bool runsLeaves(const Settings& settings);

// Values that cannot be read stay as they are by default. `problems` says so, one entry each, and what names no
// setting.
Settings readSettings(const VkInstanceCreateInfo& createInfo, std::vector<std::string>& problems);

// A setting as it is written in files and variables.
struct SettingText {
    const char* key;
    std::string value;
};
std::vector<SettingText> settingTexts(const Settings& settings);

}  // namespace millrace::settings
