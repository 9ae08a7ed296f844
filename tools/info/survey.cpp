// SPDX-License-Identifier: Apache-2.0
#include "tools/info/survey.h"

#include <vulkan/vk_enum_string_helper.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "runtime/driver_support.h"
#include "settings/settings.h"
#include "tools/info/device_traits.h"
#include "tools/info/layer_place.h"
#include "tools/info/mesh_limits.h"
#include "tools/info/setting_origins.h"
#include "tools/vulkan/loader.h"
#include "tools/vulkan/loader_filters.h"

namespace millrace::tools {

namespace {

constexpr const char* kToolName = "Millrace";  // of vkGetPhysicalDeviceToolProperties

// What one instance says of one device.
struct View {
    const VulkanInstance& instance;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkPhysicalDeviceProperties properties{};
    std::vector<VkExtensionProperties> extensions;

    View(const VulkanInstance& instance, VkPhysicalDevice physical) : instance(instance), physical(physical)
    {
        instance.table().GetPhysicalDeviceProperties(physical, &properties);
        extensions = instance.extensions(physical);
    }

    bool has(const char* extension) const { return lists(extensions, extension); }
    bool claimsGraphs() const { return runtime::claimsShaderEnqueue(instance.table(), physical); }
    bool runsGraphs() const { return has(VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME) && claimsGraphs(); }
    bool hasMaintenance5() const { return runtime::hasMaintenance5(instance.table(), physical); }

    bool runsMeshNodes() const
    {
        VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue{
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX};
        VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &enqueue};
        instance.table().GetPhysicalDeviceFeatures2(physical, &features);
        return runsGraphs() && enqueue.shaderMeshEnqueue == VK_TRUE;
    }

    // Of VK_EXT_device_generated_commands.
    VkShaderStageFlags generatingStages() const
    {
        VkPhysicalDeviceDeviceGeneratedCommandsPropertiesEXT commands{
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_PROPERTIES_EXT};
        VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &commands};
        if (has(VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME))
            instance.table().GetPhysicalDeviceProperties2(physical, &all);
        return commands.supportedIndirectCommandsShaderStages;
    }

    // The layer lists itself where it provides graphs.
    bool hasMillrace() const
    {
        if (properties.apiVersion < VK_API_VERSION_1_3)
            return false;
        uint32_t count = 0;
        instance.table().GetPhysicalDeviceToolProperties(physical, &count, nullptr);
        std::vector<VkPhysicalDeviceToolProperties> tools(
            count, VkPhysicalDeviceToolProperties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES});
        instance.table().GetPhysicalDeviceToolProperties(physical, &count, tools.data());
        return std::ranges::any_of(tools, [](const auto& tool) { return std::strcmp(tool.name, kToolName) == 0; });
    }
};

void identify(const View& view, DeviceState& state)
{
    state.properties = view.properties;
    state.tried = whatWasTried({});
    if (view.properties.apiVersion < VK_API_VERSION_1_2)
        return;
    VkPhysicalDeviceDriverProperties driver{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceIDProperties ids{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES, &driver};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &ids};
    view.instance.table().GetPhysicalDeviceProperties2(view.physical, &properties);
    std::copy_n(ids.deviceUUID, VK_UUID_SIZE, state.uuid.begin());
    std::copy_n(ids.driverUUID, VK_UUID_SIZE, state.driverUuid.begin());
    state.tried = whatWasTried(driver.driverID);
    state.driver = driver.driverName;
    if (driver.driverInfo[0] != '\0')
        state.driver += std::string(state.driver.empty() ? "" : ", ") + driver.driverInfo;
}

void askForNeeds(const View& view, DeviceState& state)
{
    if (view.properties.apiVersion < runtime::kNeededApiVersion)
        return;
    const runtime::DriverAnswers answers = runtime::askDriver(view.instance.table(), view.physical);
    for (const runtime::DriverNeed& need : runtime::driverNeeds())
        state.needs.push_back({need.name, need.use, need.required, need.has(answers)});
}

// The layer generates commands beside the driver, on devices with its mesh shaders.
bool generatesForMeshes(const View& driver, const View& withLayer, const settings::Settings& settings)
{
    const bool isLayers =
        settings.meshShaders && (!driver.has(VK_EXT_MESH_SHADER_EXTENSION_NAME) || settings.forceEnable);
    return isLayers && (withLayer.generatingStages() & VK_SHADER_STAGE_MESH_BIT_EXT);
}

// An extension that the layer provides where a setting says so.
void compareProvided(const View& driver, const View* withLayer, const char* extension, const char* word, bool isSet,
                     bool isForced, DeviceState& state)
{
    const bool isNative = driver.has(extension);
    const bool isThere = withLayer != nullptr && withLayer->has(extension);
    const bool isEmulated = isThere && isSet && (!isNative || isForced);
    std::string remark;
    if (isEmulated)
        remark = "emulated, by the setting enable = " + std::string(word);
    else if (isThere)
        remark = "native";
    state.provided.push_back({extension, isNative, isThere, remark});
}

// `withLayer` is null where there is no instance with the layer.
void compare(const View& driver, const View* withLayer, const settings::Settings& settings, DeviceState& state)
{
    const bool isNative = driver.runsGraphs();
    state.listsOnly = driver.has(VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME) && !isNative;
    state.graphs = isNative ? Graphs::Driver : Graphs::None;
    if (withLayer != nullptr && withLayer->runsGraphs())
        state.graphs = withLayer->hasMillrace() ? Graphs::Millrace : Graphs::Driver;
    const auto add = [&](const char* name, auto&& question, const char* remark = "") {
        state.provided.push_back({name, question(driver), withLayer != nullptr && question(*withLayer), remark});
    };
    add(
        VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME, [](const View& view) { return view.runsGraphs(); },
        state.listsOnly ? "the driver lists it and does not implement it" : "");
    add("shaderMeshEnqueue", [](const View& view) { return view.runsMeshNodes(); });
    add(VK_KHR_MAINTENANCE_5_EXTENSION_NAME, [](const View& view) { return view.hasMaintenance5(); });
    add(VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
        [](const View& view) { return view.has(VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME); });
    for (const char* extension :
         {VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME, VK_NV_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME,
          VK_NV_DEVICE_GENERATED_COMMANDS_COMPUTE_EXTENSION_NAME}) {
        compareProvided(driver, withLayer, extension, "generated_commands", settings.generatedCommands,
                        settings.forceEnable, state);
    }
    const auto commands =
        std::ranges::find(state.provided, VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME, &Provided::name);
    if (commands->remark == "native" && withLayer != nullptr && generatesForMeshes(driver, *withLayer, settings))
        commands->remark = "native; on devices with mesh shaders emulated, by the setting enable = mesh_shaders";
    compareProvided(driver, withLayer, VK_EXT_MESH_SHADER_EXTENSION_NAME, "mesh_shaders", settings.meshShaders,
                    settings.forceEnable, state);
}

std::string namesOfMissing(const DeviceState& state)
{
    if (state.properties.apiVersion < runtime::kNeededApiVersion)
        return "Vulkan 1.3";
    std::string names;
    for (const Need& need : state.needs)
        if (need.required && !need.isThere)
            names += (names.empty() ? "" : ", ") + need.name;
    return names;
}

// What a setting asks the layer for and is not there. All of it needs of the driver what graphs need.
void findMissingExtensions(const LayerState& layer, const settings::Settings& settings, DeviceState& state)
{
    for (const auto& [name, isSet] :
         {std::pair{VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME, settings.generatedCommands},
          {VK_EXT_MESH_SHADER_EXTENSION_NAME, settings.meshShaders}}) {
        const auto found = std::ranges::find(state.provided, std::string_view(name), &Provided::name);
        if (!isSet || !layer.isLoaded || found->withMillrace)
            continue;
        const std::string lacks = namesOfMissing(state);
        const std::string reason = lacks.empty() ? "the layer adds nothing to a driver that runs graphs itself"
                                                 : "the layer needs what the driver lacks for it: " + lacks;
        state.missing.push_back({name, reason, false});
    }
}

std::string whyNoMeshNodes(const View& driver, const settings::Settings& settings)
{
    if (!settings.meshNodes)
        return "the setting enable has no mesh_nodes";
    return "the driver lacks what draws them: " + runtime::whatMeshNodesLack(driver.instance.table(), driver.physical) +
           "; with enable = mesh_nodes, mesh_shaders" +
           (driver.has(VK_EXT_MESH_SHADER_EXTENSION_NAME) ? " and force_enable" : "") + " the layer does";
}

void findMissing(const View& driver, const LayerState& layer, const settings::Settings& settings, DeviceState& state)
{
    if (state.graphs == Graphs::None) {
        if (state.properties.apiVersion < runtime::kNeededApiVersion)
            state.missing.push_back({"Vulkan 1.3", "the driver has " + versionText(state.properties.apiVersion)});
        for (const Need& need : state.needs)
            if (need.required && !need.isThere)
                state.missing.push_back({need.name, "the driver lacks it; graphs need it for " + need.use});
        if (state.missing.empty()) {
            state.missing.push_back({VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME,
                                     layer.isLoaded ? "the layer does not provide it here, for an unknown reason"
                                                    : "only the layer could provide it, and it is not loaded"});
        }
    }
    if (state.graphs == Graphs::Millrace) {
        const auto mesh = std::ranges::find(state.provided, std::string_view("shaderMeshEnqueue"), &Provided::name);
        if (mesh == state.provided.end() || !mesh->withMillrace)
            state.missing.push_back({"shaderMeshEnqueue", whyNoMeshNodes(driver, settings), false});
        for (const Need& need : state.needs)
            if (!need.required && !need.isThere)
                state.missing.push_back({need.name, "the driver lacks it; it is for " + need.use});
    }
    findMissingExtensions(layer, settings, state);
}

// The layer says what the device has, and offers the extension all the same (docs/mesh-shaders.md).
void findSmallMeshLimits(const View& withLayer, const settings::Settings& settings, DeviceState& state)
{
    const auto mesh = std::ranges::find(state.provided, VK_EXT_MESH_SHADER_EXTENSION_NAME, &Provided::name);
    if (!mesh->withMillrace || !settings.meshShaders || (mesh->driver && !settings.forceEnable))
        return;
    VkPhysicalDeviceMeshShaderPropertiesEXT limits{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &limits};
    withLayer.instance.table().GetPhysicalDeviceProperties2(withLayer.physical, &properties);
    const std::string small = limitsBelowMinima(limits);
    if (!small.empty())
        state.missing.push_back({mesh->name, "limits that are less than the extension asks for: " + small, false});
}

template <size_t count>
std::vector<uint64_t> values(const uint32_t (&limits)[count])
{
    return {std::begin(limits), std::end(limits)};
}

void readGraphLimits(const View& view, DeviceState& state)
{
    VkPhysicalDeviceShaderEnqueuePropertiesAMDX graphs{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_PROPERTIES_AMDX};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &graphs};
    view.instance.table().GetPhysicalDeviceProperties2(view.physical, &properties);
    state.limits.push_back({"maxExecutionGraphDepth", {graphs.maxExecutionGraphDepth}});
    state.limits.push_back({"maxExecutionGraphShaderOutputNodes", {graphs.maxExecutionGraphShaderOutputNodes}});
    state.limits.push_back({"maxExecutionGraphShaderPayloadSize", {graphs.maxExecutionGraphShaderPayloadSize}});
    state.limits.push_back({"maxExecutionGraphShaderPayloadCount", {graphs.maxExecutionGraphShaderPayloadCount}});
    state.limits.push_back({"executionGraphDispatchAddressAlignment", {graphs.executionGraphDispatchAddressAlignment}});
    state.limits.push_back({"maxExecutionGraphWorkgroupCount", values(graphs.maxExecutionGraphWorkgroupCount)});
    state.limits.push_back({"maxExecutionGraphWorkgroups", {graphs.maxExecutionGraphWorkgroups}});
}

void readDriverLimits(const View& view, DeviceState& state)
{
    const VkPhysicalDeviceLimits& limits = view.properties.limits;
    state.limits.push_back({"maxComputeWorkGroupInvocations", {limits.maxComputeWorkGroupInvocations}});
    state.limits.push_back({"maxComputeWorkGroupSize", values(limits.maxComputeWorkGroupSize)});
    state.limits.push_back({"maxComputeSharedMemorySize", {limits.maxComputeSharedMemorySize}});
    state.limits.push_back({"maxPushConstantsSize", {limits.maxPushConstantsSize}});
    if (view.properties.apiVersion < VK_API_VERSION_1_3)
        return;
    const runtime::DriverAnswers answers = runtime::askDriver(view.instance.table(), view.physical);
    state.limits.push_back({"subgroupSize", {answers.properties11.subgroupSize}});
    state.limits.push_back({"minSubgroupSize", {answers.properties13.minSubgroupSize}});
    state.limits.push_back({"maxSubgroupSize", {answers.properties13.maxSubgroupSize}});
    state.limits.push_back({"maxMemoryAllocationSize", {answers.properties11.maxMemoryAllocationSize}});
}

bool isSameDevice(const DeviceState& a, const DeviceState& b)
{
    return a.uuid == b.uuid && a.driverUuid == b.driverUuid && a.properties.vendorID == b.properties.vendorID &&
           a.properties.deviceID == b.properties.deviceID &&
           std::strcmp(a.properties.deviceName, b.properties.deviceName) == 0;
}

// Takes each device of the other instance once: there are drivers that give equal devices equal identifiers.
const View* takeCounterpart(std::vector<std::pair<View, bool>>& views, const DeviceState& state)
{
    for (auto& [view, isTaken] : views) {
        DeviceState other;
        identify(view, other);
        if (!isTaken && isSameDevice(other, state)) {
            isTaken = true;
            return &view;
        }
    }
    return nullptr;
}

std::string errorText(const char* what, VkResult result)
{
    return std::string(what) + ": vkCreateInstance returns " + string_VkResult(result);
}

bool listsLayer(const Loader& loader)
{
    return std::ranges::any_of(loader.layers(), [](const VkLayerProperties& layer) {
        return std::strcmp(layer.layerName, settings::kLayerName) == 0;
    });
}

// As `millrace run` does: where the loader does not find the layer by itself, beside the tool.
void findLayer(const Loader& loader, VulkanInstance& instance, LayerState& state)
{
    state.isFound = listsLayer(loader);
    if (!state.isFound) {
        state.advice = adviceToFindLayer();
        letLoaderLookBesideTool();
        state.isBesideTool = state.isFound = listsLayer(loader);
    }
    if (!state.isFound) {
        const std::string hider = hiddenBy(settings::kLayerName);
        state.problem = std::string("the loader does not find ") + settings::kLayerName + ": " +
                        (hider.empty() ? state.advice : hider + " hides it");
        return;
    }
    const VkResult result = instance.create(loader, {settings::kLayerName});
    if (result != VK_SUCCESS) {
        state.problem = errorText("the loader lists the layer and cannot load it", result) +
                        "; run again with VK_LOADER_DEBUG=error,layer to see why";
        return;
    }
    state.isLoaded = true;
    state.library = loadedLayerLibrary();
}

void readTraits(const View& view, const settings::Settings& settings, DeviceState& state,
                std::vector<std::string>& warnings)
{
    std::vector<std::string> found;
    state.traits = findTraits(view.instance, view.physical, settings, found);
    for (const std::string& warning : found)
        warnings.push_back(std::string(state.properties.deviceName) + ": " + warning);
}

void surveyDevices(const VulkanInstance& plain, const VulkanInstance& layered, const settings::Settings& settings,
                   Survey& result)
{
    std::vector<std::pair<View, bool>> counterparts;
    if (result.layer.isLoaded)
        for (VkPhysicalDevice physical : layered.physicalDevices())
            counterparts.emplace_back(View(layered, physical), false);
    for (VkPhysicalDevice physical : plain.physicalDevices()) {
        const View view(plain, physical);
        DeviceState state;
        identify(view, state);
        state.index = result.devices.size();
        const View* withLayer = takeCounterpart(counterparts, state);
        askForNeeds(view, state);
        compare(view, withLayer, settings, state);
        findMissing(view, result.layer, settings, state);
        if (withLayer != nullptr)
            findSmallMeshLimits(*withLayer, settings, state);
        if (state.graphs != Graphs::None)
            readGraphLimits(withLayer == nullptr ? view : *withLayer, state);
        readDriverLimits(view, state);
        if (state.graphs == Graphs::Millrace)
            readTraits(view, settings, state, result.warnings);
        if (view.hasMillrace()) {
            result.warnings.push_back(
                std::string(state.properties.deviceName) +
                ": something other than VK_INSTANCE_LAYERS loads the layer; what the driver has itself is not known");
        }
        result.devices.push_back(std::move(state));
    }
}

}  // namespace

Result<Survey> survey()
{
    const Result<Loader> loader = Loader::open();
    if (!loader)
        return loader.error();
    Survey result;
    result.loaderVersion = loader->version();
    VulkanInstance plain;
    {
        const WithoutLayer withoutLayer;
        result.layer.isEnabledByDefault = withoutLayer.wasEnabled();
        const VkResult created = plain.create(*loader, {});
        if (created != VK_SUCCESS) {
            return Diagnostic{
                "", "",
                created == VK_ERROR_INCOMPATIBLE_DRIVER ? noDriverText() : errorText("there is no instance", created)};
        }
    }
    VulkanInstance layered;
    findLayer(*loader, layered, result.layer);
    settings::Settings settings;
    result.settings = findSettings(settings, result.settingProblems);
    surveyDevices(plain, layered, settings, result);
    return result;
}

}  // namespace millrace::tools
