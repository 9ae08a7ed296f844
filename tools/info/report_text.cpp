// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ostream>

#include "settings/settings.h"
#include "tools/console.h"
#include "tools/info/report.h"
#include "tools/vulkan/loader.h"

namespace millrace::tools {

namespace {

constexpr const char* kIndent = "  ";

std::string yesNo(bool value)
{
    return value ? colour(Colour::Green, "yes") : colour(Colour::Red, "no");
}

std::string graphsText(const DeviceState& device)
{
    switch (device.graphs) {
        case Graphs::Driver:
            return colour(Colour::Green, "yes") + ", by the driver";
        case Graphs::Millrace:
            return colour(Colour::Green, "yes") + ", by Millrace";
        case Graphs::None:
            return colour(Colour::Red, "no");
    }
    return "";
}

void printProvided(std::ostream& out, const DeviceState& device, bool isLayerLoaded)
{
    Table table({"extension or feature", "driver", "with Millrace", "remark"});
    for (const Provided& provided : device.provided) {
        table.add({provided.name, yesNo(provided.driver), isLayerLoaded ? yesNo(provided.withMillrace) : "?",
                   provided.remark});
    }
    table.print(out, kIndent);
}

void printNeeds(std::ostream& out, const DeviceState& device)
{
    if (device.needs.empty())
        return;
    Table table({"needed of the driver", "there", "for"});
    for (const Need& need : device.needs) {
        table.add({need.name, need.isThere || need.required ? yesNo(need.isThere) : colour(Colour::Yellow, "no"),
                   need.use + (need.required ? "" : " (not needed otherwise)")});
    }
    out << "\n";
    table.print(out, kIndent);
}

void printLimits(std::ostream& out, const DeviceState& device)
{
    Table table({"limit", "value"});
    for (const Limit& limit : device.limits) {
        std::string text;
        for (uint64_t value : limit.values)
            text += (text.empty() ? "" : " x ") + std::to_string(value);
        table.add({limit.name, text});
    }
    out << "\n";
    table.print(out, kIndent);
}

void printTraits(std::ostream& out, const DeviceState& device)
{
    if (device.traits.empty())
        return;
    Table table({"trait", "value", "from"});
    for (const TraitState& trait : device.traits)
        table.add({trait.name, std::to_string(trait.value), trait.origin});
    out << "\n";
    table.print(out, kIndent);
}

void printDevice(std::ostream& out, const DeviceState& device, bool isLayerLoaded)
{
    out << "\n"
        << colour(Colour::Bold,
                  "device " + std::to_string(device.index) + ": " + printable(device.properties.deviceName))
        << "\n"
        << kIndent << deviceKind(device.properties.deviceType) << ", Vulkan "
        << versionText(device.properties.apiVersion) << (device.driver.empty() ? "" : ", " + printable(device.driver))
        << "\n"
        << kIndent << "tried: " << device.tried.text << "\n"
        << kIndent << "UUID " << uuidText(device.uuid) << "\n"
        << kIndent << "execution graphs: " << graphsText(device) << "\n";
    for (const Missing& missing : device.missing)
        out << kIndent << "missing: " << missing.name << ": " << missing.reason << "\n";
    out << "\n";
    printProvided(out, device, isLayerLoaded);
    printNeeds(out, device);
    printLimits(out, device);
    printTraits(out, device);
}

// In a few words why the device runs graphs or does not.
std::string reason(const DeviceState& device)
{
    if (device.graphs == Graphs::Driver)
        return "";
    if (device.graphs == Graphs::Millrace) {
        const bool isNative = !device.provided.empty() && device.provided.front().driver;
        return isNative ? ", because of the setting force_enable" : ", since the driver does not run them";
    }
    std::string text;
    for (const Missing& missing : device.missing)
        if (missing.isForGraphs)
            text += (text.empty() ? ", for want of " : ", ") + missing.name;
    return text;
}

// Which devices run what and why, in a line each.
void printOverview(std::ostream& out, const Survey& survey)
{
    out << "Millrace " << MILLRACE_VERSION << ", Vulkan loader " << versionText(survey.loaderVersion) << "\n";
    for (const DeviceState& device : survey.devices) {
        out << "device " << device.index << ": " << printable(device.properties.deviceName)
            << ": execution graphs: " << graphsText(device) << reason(device) << "\n";
    }
}

void printLayer(std::ostream& out, const Survey& survey)
{
    const LayerState& layer = survey.layer;
    out << "\n" << settings::kLayerName << ": ";
    if (!layer.isLoaded) {
        out << colour(Colour::Red, layer.isFound ? "not loaded" : "not found") << "\n";
        return;
    }
    out << printable(layer.library) << "\n" << kIndent;
    if (layer.isBesideTool)
        out << "beside this tool; so that applications find it: " << printable(layer.advice) << "\n" << kIndent;
    out << (layer.isEnabledByDefault
                ? "enabled by the environment"
                : "not enabled by the environment: applications enable it, or VK_INSTANCE_LAYERS=" +
                      std::string(settings::kLayerName))
        << "\n";
}

void printSettings(std::ostream& out, const Survey& survey, bool all)
{
    Table table({"setting", "value", "from"});
    for (const SettingState& setting : survey.settings) {
        if (all || !setting.source.empty()) {
            table.add({setting.key, setting.value.empty() ? "none" : printable(setting.value),
                       setting.source.empty() ? colour(Colour::Grey, "default") : printable(setting.source)});
        }
    }
    out << "\n";
    if (table.rowCount() == 0)
        out << "settings: all are as by default; --all lists them\n";
    else
        table.print(out);
}

}  // namespace

std::string deviceKind(VkPhysicalDeviceType type)
{
    switch (type) {
        case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
            return "integrated";
        case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
            return "discrete";
        case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
            return "virtual";
        case VK_PHYSICAL_DEVICE_TYPE_CPU:
            return "cpu";
        default:
            return "other";
    }
}

std::string uuidText(const std::array<uint8_t, VK_UUID_SIZE>& uuid)
{
    constexpr const char* kDigits = "0123456789abcdef";
    std::string text;
    for (size_t i = 0; i < uuid.size(); ++i) {
        text += i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";
        text += kDigits[uuid[i] >> 4];
        text += kDigits[uuid[i] & 15];
    }
    return text;
}

void printSurvey(std::ostream& out, const Survey& survey, bool allSettings)
{
    printOverview(out, survey);
    printLayer(out, survey);
    printSettings(out, survey, allSettings);
    for (const DeviceState& device : survey.devices)
        printDevice(out, device, survey.layer.isLoaded);
}

}  // namespace millrace::tools
