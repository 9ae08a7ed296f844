// SPDX-License-Identifier: Apache-2.0
#include "tools/run/expectation.h"
#include "base/input_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/near_word.h"
#include "tools/run/csv.h"
#include "tools/run/json_data.h"
#include "tools/run/numbers.h"
#include "tools/run/picture.h"
#include "tools/run/resources.h"

namespace millrace::tools::run {

namespace {

size_t findResource(const std::string& name, const Value& place, const Work& work)
{
    const auto found = std::ranges::find_if(work.resources, [&](const Resource& r) { return r.name() == name; });
    if (found == work.resources.end()) {
        std::vector<std::string> names;
        for (const Resource& resource : work.resources)
            names.push_back(resource.name());
        place.fail("the graph has no buffer or image \"" + name + "\"" + suggestion(name, names));
    }
    return static_cast<size_t>(found - work.resources.begin());
}

void readPng(const Value& file, const Resource& resource, Bytes& bytes)
{
    Picture picture;
    if (!resource.isImage() || !resource.format->isPicture())
        file.fail("PNG is for images with formats of 8 bits");
    if (const Status read = readPicture(pathOf(file), resource.format->components, picture); !read)
        file.fail(withReason("cannot read " + pathOf(file) + " as PNG", read));
    if (picture.width != resource.width || picture.height != resource.height) {
        file.fail(pathOf(file) + " is " + std::to_string(picture.width) + " x " + std::to_string(picture.height) +
                  ", the image " + std::to_string(resource.width) + " x " + std::to_string(resource.height));
    }
    bytes = std::move(picture.texels);
}

void readFileBytes(const Value& file, const Resource& resource, Expectation& out, const Encoding& encoding)
{
    const std::string ending = endingOf(file.string());
    if (ending == ".json") {
        const Document document = Document::read(pathOf(file));
        encodeJson(document.root(), *resource.type, 0, out.bytes, encoding);
        return;
    }
    if (ending == ".csv") {
        const auto rows = findTableRows(resource);
        if (!rows)
            file.fail("CSV is for buffers whose only member is an array");
        readCsv(pathOf(file), rows->type, rows->stride, out.bytes);
    } else if (ending == ".png") {
        readPng(file, resource, out.bytes);
    } else if (ending == ".bin") {
        out.bytes = readBytes(file);
    } else {
        file.fail("expected results end in .json, .csv, .bin or .png");
    }
    out.given.assign(out.bytes.size(), 1);
}

// Bytes of all scalars of the resource.
uint64_t dataBytes(const Resource& resource)
{
    uint64_t end = 0;
    forEachScalar(*resource.type, 0, resource.initial.size(),
                  [&](const DataType& scalar, uint64_t offset) { end = std::max(end, offset + scalar.bytes); });
    return end;
}

Expectation readExpectation(const std::string& name, const Value& value, const Work& work)
{
    value.allowKeys({"data", "file", "tolerance", "order", "prefix"});
    Expectation out;
    out.resource = findResource(name, value, work);
    const Resource& resource = work.resources[out.resource];
    const Encoding encoding{.mayBePartial = true, .mostBytes = resource.initial.size(), .given = &out.given};
    if (value.has("data") == value.has("file"))
        value.fail("one of \"data\" and \"file\" says what is expected");
    if (const auto data = value.find("data"))
        encodeJson(*data, *resource.type, 0, out.bytes, encoding);
    else
        readFileBytes(value.get("file"), resource, out, encoding);
    if (const auto tolerance = value.find("tolerance"))
        out.tolerance = tolerance->number();
    out.isUnordered = value.has("order") && value.get("order").choice({"given", "any"}) == 1;
    if (out.isUnordered && (out.tolerance != 0 || !findTableRows(resource)))
        value.get("order").fail("only buffers whose only member is an array can have another order, without tolerance");
    const bool isPrefix = value.has("prefix") && value.get("prefix").boolean();
    const uint64_t size = dataBytes(resource);
    // A structure in front of an open array may be all that is compared.
    const bool isArray = resource.type->kind == DataType::Kind::Array;
    const bool isShort = out.bytes.size() < size && (isArray || out.bytes.size() > resource.type->bytes);
    if (!isPrefix && (isShort || out.bytes.size() > resource.initial.size())) {
        value.fail("\"" + name + "\" has " + std::to_string(size) + " bytes of data, and " +
                   std::to_string(out.bytes.size()) + " are expected (\"prefix\": true compares what is there)");
    }
    out.bytes.resize(resource.initial.size());
    out.given.resize(resource.initial.size());
    return out;
}

bool isSame(const DataType& scalar, const uint8_t* found, const uint8_t* expected, double tolerance)
{
    if (std::memcmp(found, expected, scalar.bytes) == 0)
        return true;
    if (tolerance == 0 && scalar.kind != DataType::Kind::Float)
        return false;
    const double a = readNumber(scalar, found);
    const double b = readNumber(scalar, expected);
    if (std::isnan(a) || std::isnan(b))
        return std::isnan(a) && std::isnan(b);
    return a == b || std::fabs(a - b) <= tolerance * std::max(1.0, std::fabs(b));
}

// Rows as pieces of memory in ascending order, so that equal sets become equal bytes.
void sortRows(const TableRows& rows, uint64_t count, Bytes& bytes)
{
    std::vector<std::string> pieces;
    for (uint64_t r = 0; r < count; ++r) {
        const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(rows.offset + r * rows.stride);
        pieces.emplace_back(first, first + static_cast<std::ptrdiff_t>(rows.type->bytes));
    }
    std::ranges::sort(pieces);
    for (uint64_t r = 0; r < count; ++r)
        std::ranges::copy(pieces[r], bytes.begin() + static_cast<std::ptrdiff_t>(rows.offset + r * rows.stride));
}

std::string textOf(const Json& json)
{
    return json.is_string() ? json.get<std::string>() : json.dump();
}

}  // namespace

std::string Difference::text() const
{
    return "\"" + resource + "\": " + path + " is " + found + ", expected " + expected + "; " +
           std::to_string(differing) + " of " + std::to_string(compared) + (compared == 1 ? " value" : " values") +
           (differing == 1 ? " differs" : " differ");
}

std::vector<Expectation> readExpectations(const Document& document, const Work& work)
{
    const Value root = document.root();
    root.allowKeys({"$schema", "description", "results"});
    std::vector<Expectation> out;
    for (const auto& [name, value] : root.get("results").members())
        out.push_back(readExpectation(name, value, work));
    if (out.empty())
        root.get("results").fail("nothing is expected");
    return out;
}

std::optional<Difference> compare(const Expectation& expectation, const Resource& resource)
{
    Bytes found = resource.result;
    Bytes expected = expectation.bytes;
    std::string path;
    if (expectation.isUnordered) {
        const TableRows rows = *findTableRows(resource);
        uint64_t count = 0;
        while (rows.offset + count * rows.stride < expectation.given.size() &&
               expectation.given[rows.offset + count * rows.stride] != 0)
            ++count;
        sortRows(rows, count, found);
        sortRows(rows, count, expected);
        path = " (of the elements in order of their bytes)";
    }
    Difference out;
    out.resource = resource.name();
    forEachScalar(*resource.type, 0, found.size(), [&](const DataType& scalar, uint64_t offset) {
        if (offset + scalar.bytes > found.size() || expectation.given[offset] == 0)
            return;
        ++out.compared;
        if (isSame(scalar, found.data() + offset, expected.data() + offset, expectation.tolerance))
            return;
        if (out.differing++ == 0) {
            out.path = pathTo(*resource.type, offset) + path;
            out.found = textOf(scalarToJson(scalar, found.data() + offset));
            out.expected = textOf(scalarToJson(scalar, expected.data() + offset));
        }
    });
    return out.differing > 0 ? std::optional(out) : std::nullopt;
}

}  // namespace millrace::tools::run
