// SPDX-License-Identifier: Apache-2.0
#include "layer/loader/trace_file.h"

#include <utility>

#include "layer/base/output_path.h"
#include "layer/loader/device.h"
#include "trace/chrome.h"
#include "trace/file.h"
#include "trace/locked.h"

namespace millrace::layer {

namespace {

Result<std::shared_ptr<trace::Sink>> open(const std::string& path)
{
    auto shared = [](auto writer) {
        return writer ? Result<std::shared_ptr<trace::Sink>>(std::make_shared<trace::LockedSink>(std::move(*writer)))
                      : writer.error();
    };
    return path.ends_with(".json") ? shared(trace::ChromeWriter::create(path))
                                   : shared(trace::FileWriter::create(path));
}

}  // namespace

std::shared_ptr<trace::Sink> traceFile(Device& device)
{
    const Settings& settings = device.settings();
    if (settings.trace.empty() || device.traceSink)
        return device.traceSink;
    Result<std::shared_ptr<trace::Sink>> sink = open(outputPath(settings.trace));
    if (!sink) {
        device.messages().warning("Millrace-trace", objectReference(VK_OBJECT_TYPE_DEVICE, device.handle),
                                  sink.error().text() + "; nothing is traced",
                                  "Setting trace has the name of the file; its folder must be there");
        return nullptr;
    }
    device.tellProblems.push_back([&device, sink = *sink] {
        if (const std::optional<std::string> problem = sink->takeProblem())
            device.messages().warning("Millrace-trace", objectReference(VK_OBJECT_TYPE_DEVICE, device.handle),
                                      *problem + "; the trace ends here", "Setting trace has the name of the file");
    });
    device.traceSink = std::move(*sink);
    return device.traceSink;
}

std::shared_ptr<trace::Sink> describedTraceFile(Device& device)
{
    const bool isDescribed = device.traceSink != nullptr;
    const std::shared_ptr<trace::Sink> sink = traceFile(device);
    if (!sink || isDescribed)
        return sink;
    VkPhysicalDeviceVulkan11Properties properties11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &properties11};
    device.instance.table.GetPhysicalDeviceProperties2(device.physical, &properties);
    sink->device({properties.properties.deviceName, traceSettings(device), properties11.subgroupSize});
    return sink;
}

std::string traceSettings(const Device& device)
{
    const std::vector<settings::SettingText> found = settings::settingTexts(device.settings());
    const std::vector<settings::SettingText> defaults = settings::settingTexts({});
    std::string text;
    for (size_t i = 0; i < found.size(); ++i)
        if (found[i].value != defaults[i].value)
            text += (text.empty() ? "" : ", ") + std::string(found[i].key) + " = " + found[i].value;
    return text;
}

}  // namespace millrace::layer
