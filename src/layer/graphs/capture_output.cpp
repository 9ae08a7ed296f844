// SPDX-License-Identifier: Apache-2.0
#include "layer/graphs/capture_output.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>

#include "base/output_file.h"
#include "data/csv.h"
#include "data/text.h"
#include "layer/base/output_path.h"
#include "layer/loader/device.h"
#include "settings/capture_filter.h"

namespace millrace::layer {

namespace {

using File = std::unique_ptr<OutputFile>;

std::string contentOf(const runtime::CapturedPayload& payload)
{
    return payload.type ? data::jsonText(*payload.type, payload.bytes) : data::jsonWords(payload.bytes);
}

constexpr char kNameOfTheFile[] = "Setting capture_file has the name of the file; its folder must be there";

const std::string kJsonEnd = "\n]\n";

// Where a payload comes from, for JSON and, as one line, for CSV.
struct Origin {
    const char* name;
    std::string value;
    bool isText = false;
};

std::vector<Origin> originOf(const runtime::CapturedPayload& payload)
{
    return {{"graph", payload.graph, true},
            {"dispatch", std::to_string(payload.dispatch)},
            {"run", std::to_string(payload.run)},
            {"sweep", std::to_string(payload.sweep)},
            {"level", std::to_string(payload.slot.level)},
            {"node", payload.node.name, true},
            {"index", std::to_string(payload.node.index)},
            {"recursions_left", std::to_string(payload.slot.remaining)},
            {"number", std::to_string(payload.number)}};
}

// Problems go to the application, each once, but not from in here: what it does then may lead back to us.
class Output : public runtime::CaptureSink {
public:
    explicit Output(const Device& device) : m_device(device) {}

    void tell()
    {
        std::vector<Problem> problems;
        {
            const std::lock_guard lock(m_mutex);
            problems.swap(m_problems);
        }
        for (const Problem& problem : problems)
            m_device.messages().warning("Millrace-capture", objectReference(VK_OBJECT_TYPE_DEVICE, m_device.handle),
                                        problem.text, problem.advice);
    }

    void lost(uint64_t payloads) override
    {
        problem(std::to_string(payloads) +
                    " captured payloads were lost: the application submitted too much before it waited",
                "Capture fewer, with \"first\", \"level\" or \"where\" in setting capture");
    }
    void problem(const std::string& text, const std::string& advice) override
    {
        const std::lock_guard lock(m_mutex);
        if (m_said.insert(text).second)
            m_problems.push_back({text, advice});
    }

protected:
    void check(OutputFile& file)
    {
        if (const std::optional<std::string> said = file.takeProblem())
            problem(*said + "; what was captured before is in the file, and nothing else", kNameOfTheFile);
    }

private:
    struct Problem {
        std::string text;
        std::string advice;
    };

    const Device& m_device;
    std::mutex m_mutex;
    std::set<std::string> m_said;
    std::vector<Problem> m_problems;
};

// For people, on standard error.
class TextOutput final : public Output {
public:
    using Output::Output;
    void payload(const runtime::CapturedPayload& payload) override
    {
        std::fprintf(stderr, "Millrace: %s, level %u, node '%s'[%u], payload %u: %s\n", payload.graph.c_str(),
                     payload.slot.level, payload.node.name.c_str(), payload.node.index, payload.number,
                     contentOf(payload).c_str());
    }
};

// An array of objects. The end is written each time, and written over by the next: a process may be killed at any time.
class JsonOutput final : public Output {
public:
    JsonOutput(const Device& device, File file) : Output(device), m_file(std::move(file)) {}
    void payload(const runtime::CapturedPayload& payload) override
    {
        std::string text = m_first ? "\n{" : ",\n{";
        m_first = false;
        for (const Origin& origin : originOf(payload))
            text += std::string("\"") + origin.name +
                    "\": " + (origin.isText ? data::quotedJson(origin.value) : origin.value) + ", ";
        m_file->write(text + "\"payload\": " + contentOf(payload) + "}" + kJsonEnd, kJsonEnd.size());
        check(*m_file);
    }

private:
    File m_file;
    bool m_first = true;
};

// A line for each payload, a column for each scalar. Payloads with other columns go to a file of their own.
class CsvOutput final : public Output {
public:
    CsvOutput(const Device& device, std::string path, File file) : Output(device), m_path(std::move(path))
    {
        m_unused = std::move(file);
    }
    void payload(const runtime::CapturedPayload& payload) override
    {
        std::string header;
        std::string line;
        const std::vector<Origin> origins = originOf(payload);
        for (const Origin& origin : origins) {
            header += std::string(header.empty() ? "" : ",") + origin.name;
            line += (line.empty() ? "" : ",") + (origin.isText ? data::csvText(origin.value) : origin.value);
        }
        if (std::vector<data::Column> columns = columnsOf(payload); !columns.empty()) {
            for (data::Column& column : columns)
                if (std::any_of(origins.begin(), origins.end(), [&](const Origin& o) { return o.name == column.name; }))
                    column.name = "payload." + column.name;
            header += "," + data::csvNames(columns);
            line += "," + data::csvValues(columns, payload.bytes);
        }
        if (OutputFile* file = fileFor(header)) {
            file->write(line + "\n");
            check(*file);
        }
    }

private:
    static std::vector<data::Column> columnsOf(const runtime::CapturedPayload& payload)
    {
        if (payload.type)
            return data::columnsOf(data::DataTypeRef(std::shared_ptr<void>(), payload.type));
        std::vector<data::Column> columns;
        for (size_t offset = 0; offset < payload.bytes.size(); offset += 4)
            columns.push_back(
                {"@" + std::to_string(offset), offset, data::scalarType(data::DataType::Kind::Unsigned, 32)});
        return columns;
    }

    OutputFile* fileFor(const std::string& header)
    {
        auto [entry, isNew] = m_files.try_emplace(header);
        if (!isNew)
            return entry->second.get();
        if (m_unused) {
            m_unused->write(header + "\n");
            entry->second = std::move(m_unused);
        } else if (auto file = OutputFile::create(outputPath(m_path), header + "\n")) {
            entry->second = std::move(*file);
        } else {
            problem(file.error().message, kNameOfTheFile);
        }
        return entry->second.get();
    }

    std::string m_path;
    File m_unused;  // the first, until its columns are known
    std::map<std::string, File> m_files;
};

Result<std::shared_ptr<Output>> open(const Device& device, const std::string& pattern)
{
    if (pattern.empty())
        return std::shared_ptr<Output>(std::make_shared<TextOutput>(device));
    const bool isCsv = pattern.ends_with(".csv");
    auto file = OutputFile::create(outputPath(pattern), isCsv ? "" : "[" + kJsonEnd);
    if (!file)
        return file.error();
    if (isCsv)
        return std::shared_ptr<Output>(std::make_shared<CsvOutput>(device, pattern, std::move(*file)));
    return std::shared_ptr<Output>(std::make_shared<JsonOutput>(device, std::move(*file)));
}

}  // namespace

VkResult startCapture(Device& device)
{
    const Settings& settings = device.settings();
    if (settings.capture.empty())
        return VK_SUCCESS;
    const ObjectReference reference = objectReference(VK_OBJECT_TYPE_DEVICE, device.handle);
    Result<std::vector<runtime::CaptureFilter>> filters = settings::parseCaptureFilters(settings.capture);
    if (!filters) {
        device.messages().warning("Millrace-capture", reference, filters.error().text() + "; nothing is captured",
                                  "Correct setting capture; docs/capture.md has examples");
        return VK_SUCCESS;
    }
    Result<std::shared_ptr<Output>> output = open(device, settings.captureFile);
    if (!output) {
        device.messages().warning("Millrace-capture", reference, output.error().text() + "; nothing is captured",
                                  kNameOfTheFile);
        return VK_SUCCESS;
    }
    device.tellProblems.push_back([output = *output] { output->tell(); });
    return runtime::CaptureRecorder::create(*device.runtime, std::move(*output), std::move(*filters), device.capture);
}

}  // namespace millrace::layer
