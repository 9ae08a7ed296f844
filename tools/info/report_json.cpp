// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "settings/settings.h"
#include "tools/console.h"
#include "tools/info/report.h"
#include "tools/vulkan/loader.h"

namespace millrace::tools {

using Json = nlohmann::ordered_json;

namespace {

const char* graphsWord(Graphs graphs)
{
    return graphs == Graphs::Driver ? "driver" : graphs == Graphs::Millrace ? "millrace" : "none";
}

Json layerJson(const LayerState& layer)
{
    Json json = {{"name", settings::kLayerName},
                 {"found", layer.isFound},
                 {"besideTool", layer.isBesideTool},
                 {"loaded", layer.isLoaded},
                 {"enabledByEnvironment", layer.isEnabledByDefault}};
    if (!layer.library.empty())
        json["library"] = printable(layer.library);
    if (!layer.problem.empty())
        json["problem"] = printable(layer.problem);
    return json;
}

Json settingJson(const SettingState& setting)
{
    Json json = {{"key", setting.key},
                 {"value", printable(setting.value)},
                 {"default", setting.byDefault},
                 {"origin", setting.origin}};
    if (!setting.source.empty())
        json["source"] = printable(setting.source);
    return json;
}

Json limitsJson(const std::vector<Limit>& limits)
{
    Json json = Json::object();
    for (const Limit& limit : limits)
        json[limit.name] = limit.values.size() == 1 ? Json(limit.values[0]) : Json(limit.values);
    return json;
}

Json deviceJson(const DeviceState& device, bool isLayerLoaded)
{
    Json json = {{"index", device.index},
                 {"name", printable(device.properties.deviceName)},
                 {"type", deviceKind(device.properties.deviceType)},
                 {"apiVersion", versionText(device.properties.apiVersion)},
                 {"driver", printable(device.driver)},
                 {"tried", {{"how", device.tried.how}, {"text", device.tried.text}}},
                 {"uuid", uuidText(device.uuid)},
                 {"graphs", graphsWord(device.graphs)},
                 {"provided", Json::array()},
                 {"needs", Json::array()},
                 {"missing", Json::array()},
                 {"limits", limitsJson(device.limits)},
                 {"traits", Json::array()}};
    for (const Provided& provided : device.provided) {
        Json row = {{"name", provided.name}, {"driver", provided.driver}};
        if (isLayerLoaded)
            row["withMillrace"] = provided.withMillrace;
        if (!provided.remark.empty())
            row["remark"] = provided.remark;
        json["provided"].push_back(std::move(row));
    }
    for (const Need& need : device.needs) {
        json["needs"].push_back(
            {{"name", need.name}, {"for", need.use}, {"required", need.required}, {"available", need.isThere}});
    }
    for (const TraitState& trait : device.traits)
        json["traits"].push_back({{"name", trait.name}, {"value", trait.value}, {"origin", trait.origin}});
    for (const Missing& missing : device.missing)
        json["missing"].push_back({{"name", missing.name}, {"reason", missing.reason}});
    return json;
}

}  // namespace

Json surveyJson(const Survey& survey)
{
    Json json = {{"millrace", MILLRACE_VERSION},     {"loader", versionText(survey.loaderVersion)},
                 {"layer", layerJson(survey.layer)}, {"settings", Json::array()},
                 {"devices", Json::array()},         {"warnings", Json::array()},
                 {"errors", Json::array()}};
    for (const SettingState& setting : survey.settings)
        json["settings"].push_back(settingJson(setting));
    for (const DeviceState& device : survey.devices)
        json["devices"].push_back(deviceJson(device, survey.layer.isLoaded));
    for (const auto* warnings : {&survey.settingProblems, &survey.warnings})
        for (const std::string& warning : *warnings)
            json["warnings"].push_back(printable(warning));
    return json;
}

}  // namespace millrace::tools
