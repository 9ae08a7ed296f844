// SPDX-License-Identifier: Apache-2.0
#include "tools/run/outputs.h"

#include <filesystem>

#include "tools/files.h"
#include "tools/run/csv.h"
#include "tools/run/json_data.h"
#include "tools/run/picture.h"

namespace millrace::tools::run {

namespace {

void checkOutput(const Value& output, const Resource& resource)
{
    const std::string ending = endingOf(output.string());
    if (ending == ".png" && (!resource.isImage() || !resource.format->isPicture()))
        output.fail("PNG is for images with formats of 8 bits");
    if (ending == ".csv" && !findTableRows(resource))
        output.fail("CSV is for buffers whose only member is an array");
    if (ending != ".png" && ending != ".csv" && ending != ".json" && ending != ".bin")
        output.fail("outputs end in .bin, .json, .csv or .png");
}

std::string contentOf(const std::string& ending, const Resource& resource)
{
    if (ending == ".json")
        return decodeJson(*resource.type, resource.result.data(), resource.result.size()).dump(1) + "\n";
    if (ending == ".csv") {
        const TableRows rows = *findTableRows(resource);
        const std::span<const uint8_t> bytes = std::span(resource.result).subspan(rows.offset);
        return writeCsv(rows.type, bytes, rows.stride, rows.array->countIn(bytes.size()));
    }
    if (ending == ".png")
        return encodePicture(resource.width, resource.height, resource.format->components, resource.result);
    return {resource.result.begin(), resource.result.end()};
}

}  // namespace

void checkOutputs(const Work& work)
{
    for (const Resource& resource : work.resources)
        for (const Value& output : resource.description->outputs)
            checkOutput(output, resource);
}

std::vector<OutputFile> writeOutputs(const Work& work, const std::string& folder)
{
    std::vector<OutputFile> out;
    for (const Resource& resource : work.resources) {
        for (const Value& output : resource.description->outputs) {
            const std::string path = (std::filesystem::path(folder) / output.string()).lexically_normal().string();
            if (const Status made = makeFile(path, contentOf(endingOf(path), resource)); !made)
                output.fail(made.error().text());
            out.push_back({resource.name(), path});
        }
    }
    return out;
}

}  // namespace millrace::tools::run
