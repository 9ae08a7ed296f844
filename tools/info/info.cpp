// SPDX-License-Identifier: Apache-2.0
// `millrace info`: devices, what they have, what Millrace adds, what is missing, and the settings in force.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tools/commands.h"
#include "tools/console.h"
#include "tools/info/report.h"
#include "tools/info/survey.h"
#include "tools/progress.h"
#include "tools/report_errors.h"
#include "tools/vulkan/choose_device.h"
#include "tools/vulkan/loader_filters.h"

namespace millrace::tools {

namespace {

struct Arguments {
    std::string device;
    bool all = false;
    bool asJson = false;
};

// What is wrong with the devices as a whole; empty if nothing is.
std::string selectDevices(const std::string& wanted, std::vector<DeviceState>& devices)
{
    if (devices.empty())
        return noDriverText();
    std::vector<std::string> names;
    for (const DeviceState& device : devices)
        names.emplace_back(device.properties.deviceName);
    const Result<std::vector<size_t>> chosen = chooseDevices(names, wanted);
    if (!chosen) {
        devices.clear();
        return chosen.error().text();
    }
    std::erase_if(devices,
                  [&](const DeviceState& device) { return !std::ranges::binary_search(*chosen, device.index); });
    return "";
}

void warnOfProblems(const Survey& survey)
{
    if (!survey.layer.problem.empty())
        warn(printable(survey.layer.problem));
    // A layer that is loaded has reported them itself.
    if (!survey.layer.isLoaded)
        for (const std::string& problem : survey.settingProblems)
            warn(printable(problem));
    for (const std::string& warning : survey.warnings)
        warn(printable(warning));
}

int runInfo(const Arguments& arguments)
{
    Result<Survey> found = [] {
        const Progress progress("asking drivers");
        return survey();
    }();
    if (!found)
        return reportErrors({found.error()}, arguments.asJson, {{"millrace", MILLRACE_VERSION}});
    const std::string problem = selectDevices(arguments.device, found->devices);
    if (!problem.empty())
        return reportErrors({{"", "", problem}}, arguments.asJson, surveyJson(*found));
    if (arguments.asJson)
        std::cout << surveyJson(*found).dump(2) << "\n";
    else
        printSurvey(std::cout, *found, arguments.all);
    std::cout.flush();
    warnOfProblems(*found);
    return 0;
}

}  // namespace

Command addInfo(CLI::App& app)
{
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand("info", "Show devices, what Millrace adds to them, and settings in force");
    command->footer(
        "If the loader does not find the layer, a warning says what to do; that is no failure.\n"
        "\n"
        "Examples:\n"
        "  millrace info\n"
        "  millrace info --device nvidia --json");
    command
        ->add_option("--device", arguments->device,
                     "only devices that have this text in their names, or the device of this number")
        ->type_name("TEXT");
    command->add_flag("--all", arguments->all, "list settings that are as by default, too");
    command->add_flag("--json", arguments->asJson, "write JSON instead of text");
    return [arguments] { return runInfo(*arguments); };
}

}  // namespace millrace::tools
