// SPDX-License-Identifier: Apache-2.0
#include "tools/run/resources.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/input_file.h"
#include "base/near_word.h"
#include "tools/run/csv.h"
#include "tools/run/numbers.h"
#include "tools/run/picture.h"

namespace millrace::tools::run {

namespace {

using Kind = DataType::Kind;

constexpr uint32_t kMostPixels = 65536;  // in a row or column

[[noreturn]] void failEnding(const Value& file, const char* endings)
{
    file.fail("files of this kind end in " + std::string(endings));
}

void checkKind(const ResourceDescription& description, const BindingUse* use)
{
    if (use == nullptr)
        return;
    const std::string found =
        std::string("nodes have ") + nameOf(use->kind) + (use->name.empty() ? "" : " \"" + use->name + "\"") + " here";
    if ((use->kind == DescriptorKind::StorageImage) != description.isImage)
        description.place.fail(found + "; move this to \"" + (description.isImage ? "buffers" : "images") + "\"");
    if (!description.isImage && description.format && !isTexelBuffer(use->kind))
        description.format->fail(found + ", and \"format\" is for texel buffers");
}

// A number for all scalars, or a value of the type.
void fillWith(const Value& fill, const DataType& type, Bytes& bytes)
{
    if (!fill.json().is_number() && !fill.json().is_string()) {
        encodeJson(fill, type, 0, bytes, {.mayBePartial = true, .mostBytes = bytes.size()});
        return;
    }
    forEachScalar(type, 0, bytes.size(), [&](const DataType& scalar, uint64_t offset) {
        if (offset + scalar.bytes > bytes.size())
            return;
        if (const auto error = scalarFromJson(scalar, fill.json(), bytes.data() + offset))
            fill.fail(*error);
    });
}

void fillWithTexel(const Value& fill, const ImageFormat& format, Bytes& bytes)
{
    Bytes texel;
    encodeJson(fill, *format.texelType(), 0, texel, {});
    for (size_t at = 0; at < bytes.size(); at += texel.size())
        std::ranges::copy(texel, bytes.begin() + static_cast<std::ptrdiff_t>(at));
}

// The size that the description states, if it does.
std::optional<uint64_t> statedSize(const ResourceDescription& description, const DataType& type)
{
    if (description.size)
        return description.size->count(1, mostBytes());
    if (!description.length)
        return std::nullopt;
    const uint64_t length = description.length->count(1, mostBytes());
    const DataMember* open = type.findOpenMember();
    if (open == nullptr) {
        description.length->fail("the buffer has no array of open length; its size is " + std::to_string(type.bytes) +
                                 " bytes");
    }
    if (length > mostBytes() / std::max<uint64_t>(open->type->stride, 1))
        description.length->fail("the buffer would be too large");
    return std::max(type.bytes, open->offset + length * open->type->stride);
}

void readTable(const Value& file, const Resource& resource, Bytes& bytes)
{
    const auto rows = findTableRows(resource);
    if (!rows)
        file.fail("CSV is for buffers whose only member is an array, not for " + nameOf(*resource.type));
    readCsv(pathOf(file), rows->type, rows->stride, bytes);
}

struct Contents {
    Bytes bytes;
    Bytes given;  // 1 for bytes that have a value; members of structures may be left out
};

// What the file or "data" gives; `most` bounds it.
Contents readContents(const ResourceDescription& description, const Resource& resource, uint64_t most,
                      std::vector<Address>* addresses = nullptr)
{
    Contents out;
    // The address stays in the document that it came from, which only the description keeps.
    const Encoding encoding{.mayBePartial = true,
                            .mostBytes = most,
                            .given = &out.given,
                            .addresses = description.data ? addresses : nullptr};
    const std::string ending = description.file ? endingOf(description.file->string()) : "";
    if (description.data) {
        encodeJson(*description.data, *resource.type, 0, out.bytes, encoding);
    } else if (ending == ".json") {
        const Document document = Document::read(pathOf(*description.file));
        encodeJson(document.root(), *resource.type, 0, out.bytes, encoding);
    } else if (ending == ".csv" && !resource.isImage()) {
        readTable(*description.file, resource, out.bytes);
    } else if (ending == ".bin") {
        out.bytes = readBytes(*description.file);
    } else if (description.file) {
        failEnding(*description.file, resource.isImage() ? ".png, .json or .bin" : ".json, .csv or .bin");
    }
    if (out.bytes.size() > most) {
        description.file->fail("these are " + std::to_string(out.bytes.size()) + " bytes, and the resource has " +
                               std::to_string(most));
    }
    if (out.given.empty())
        out.given.assign(out.bytes.size(), 1);
    return out;
}

// Contents on top of the fill value.
void initialize(const ResourceDescription& description, Resource& resource, const Contents& contents)
{
    if (description.fill && resource.format != nullptr && description.fill->json().is_array())
        fillWithTexel(*description.fill, *resource.format, resource.initial);
    else if (description.fill)
        fillWith(*description.fill, *resource.type, resource.initial);
    for (size_t i = 0; i < contents.bytes.size(); ++i)
        resource.initial[i] = contents.given[i] != 0 ? contents.bytes[i] : resource.initial[i];
}

const ImageFormat& chooseFormat(const ResourceDescription& description, const BindingUse* use)
{
    const ImageFormat* inShader = use != nullptr ? findFormat(use->format) : nullptr;
    if (!description.format) {
        if (inShader == nullptr)
            description.place.fail("\"format\" is missing, and the nodes do not say it either");
        return *inShader;
    }
    const std::string name = description.format->string();
    const ImageFormat* format = findFormat(name);
    if (format == nullptr)
        description.format->fail("unknown format \"" + name + "\"" + suggestion(name, formatNames()));
    if (inShader != nullptr && inShader != format)
        description.format->fail("the nodes say \"" + std::string(inShader->name) + "\"");
    if (use != nullptr && static_cast<uint32_t>(format->shaderKind()) != use->scalarKind)
        description.format->fail("shaders see other numbers in \"" + name + "\" than the nodes want");
    return *format;
}

void setExtent(const ResourceDescription& description, Resource& resource, const Picture& picture)
{
    const auto pixels = [&](const std::optional<Value>& stated, uint32_t found, const char* key) {
        if (!stated && found == 0)
            description.place.fail("\"" + std::string(key) + "\" is missing");
        const uint32_t value = stated ? static_cast<uint32_t>(stated->count(1, kMostPixels)) : found;
        if (found != 0 && value != found)
            stated->fail("the file has " + std::to_string(found));
        return value;
    };
    resource.width = pixels(description.width, picture.width, "width");
    resource.height = pixels(description.height, picture.height, "height");
}

}  // namespace

uint64_t mostBytes()
{
    // What the kernel would give without taking anything from others; it may promise more, and kill who takes it.
    std::ifstream file("/proc/meminfo");
    for (std::string name, unit; file >> name;) {
        uint64_t amount = 0;
        file >> amount;
        std::getline(file, unit);
        if (name == "MemAvailable:")
            return amount * 1024;
    }
    return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

std::string pathOf(const Value& file)
{
    return (std::filesystem::path(file.file()).parent_path() / file.string()).lexically_normal().string();
}

Bytes readBytes(const Value& file)
{
    std::string content;
    if (const Status read = readInputFile(pathOf(file), content); !read)
        file.fail(withReason("cannot read " + pathOf(file), read));
    return {content.begin(), content.end()};
}

std::optional<TableRows> findTableRows(const Resource& resource)
{
    const DataType& type = *resource.type;
    if (resource.format != nullptr && !resource.isImage())
        return TableRows{0, type.stride, structureType({{"texel", 0, type.element}}), resource.type};
    if (type.kind != Kind::Structure || type.members.size() != 1 || type.members[0].type->kind != Kind::Array)
        return std::nullopt;
    const DataMember& member = type.members[0];
    const DataTypeRef& element = member.type->element;
    const bool isStructure = element->kind == Kind::Structure;
    return TableRows{member.offset, member.type->stride,
                     isStructure ? element : structureType({{member.name, 0, element}}), member.type};
}

namespace {

// The size that the description states, in bytes, if it does.
std::optional<uint64_t> statedTexels(const ResourceDescription& description, uint64_t texelBytes)
{
    if (description.length)
        return description.length->count(1, mostBytes() / texelBytes) * texelBytes;
    if (!description.size)
        return std::nullopt;
    const uint64_t size = description.size->count(1, mostBytes());
    if (size % texelBytes != 0)
        description.size->fail("texels of this format have " + std::to_string(texelBytes) + " bytes each");
    return size;
}

Resource prepareTexelBuffer(const ResourceDescription& description, const BindingUse* use)
{
    Resource resource;
    resource.description = &description;
    resource.kind = use != nullptr ? use->kind : DescriptorKind::StorageBuffer;
    resource.access = use != nullptr ? use->access : ImageAccess{};
    resource.format = &chooseFormat(description, use);
    const uint64_t texelBytes = resource.format->texelBytes();
    resource.type = arrayType(resource.format->texelType(), std::nullopt, texelBytes);
    const std::optional<uint64_t> stated = statedTexels(description, texelBytes);
    const Contents contents = readContents(description, resource, stated.value_or(mostBytes()));
    if (!stated && contents.bytes.empty())
        description.place.fail(
            "how long is the buffer? Give \"length\" (texels), \"size\" (bytes), \"data\" or \"file\"");
    if (contents.bytes.size() % texelBytes != 0) {
        description.file->fail("these are " + std::to_string(contents.bytes.size()) + " bytes, and texels of format " +
                               resource.format->name + " have " + std::to_string(texelBytes) + " each");
    }
    resource.initial.resize(stated.value_or(contents.bytes.size()));
    initialize(description, resource, contents);
    return resource;
}

}  // namespace

Resource prepareBuffer(const ResourceDescription& description, const BindingUse* use, std::vector<Address>& addresses)
{
    checkKind(description, use);
    if (use != nullptr ? isTexelBuffer(use->kind) : description.format.has_value())
        return prepareTexelBuffer(description, use);
    Resource resource;
    resource.description = &description;
    resource.kind = use != nullptr ? use->kind : DescriptorKind::StorageBuffer;
    // Without a shader's word it is words.
    const DataTypeRef words = arrayType(scalarType(Kind::Unsigned, 32), std::nullopt, 4);
    resource.type = use != nullptr ? use->type : structureType({{"words", 0, words}});

    const std::optional<uint64_t> stated = statedSize(description, *resource.type);
    const Contents contents = readContents(description, resource, stated.value_or(mostBytes()), &addresses);
    const bool isOpen = resource.type->findOpenMember() != nullptr;
    if (!stated && contents.bytes.empty() && isOpen) {
        description.place.fail("how large is the buffer? Give \"length\" (elements of \"" +
                               resource.type->findOpenMember()->name + "\"), \"size\" (bytes), \"data\" or \"file\"");
    }
    uint64_t size = stated.value_or(std::max<uint64_t>(contents.bytes.size(), resource.type->bytes));
    if (size < resource.type->bytes)
        description.size->fail("the nodes' buffer has " + std::to_string(resource.type->bytes) + " bytes");
    size = (size + 3) / 4 * 4;  // as Vulkan's commands need it
    resource.initial.resize(std::max<uint64_t>(size, 4));
    initialize(description, resource, contents);
    return resource;
}

Resource prepareImage(const ResourceDescription& description, const BindingUse* use)
{
    checkKind(description, use);
    Resource resource;
    resource.description = &description;
    resource.kind = DescriptorKind::StorageImage;
    resource.access = use != nullptr ? use->access : ImageAccess{};
    resource.format = &chooseFormat(description, use);
    Picture picture;
    const bool isPicture = description.file && endingOf(description.file->string()) == ".png";
    if (isPicture && !resource.format->isPicture())
        description.file->fail("PNG is for formats of 8 bits, not for " + std::string(resource.format->name));
    if (isPicture) {
        const Status read = readPicture(pathOf(*description.file), resource.format->components, picture);
        if (!read)
            description.file->fail(withReason("cannot read " + pathOf(*description.file) + " as PNG", read));
    }
    setExtent(description, resource, picture);
    const uint64_t texels = uint64_t{resource.width} * resource.height;
    if (texels > mostBytes() / resource.format->texelBytes()) {
        description.place.fail("the image has " + std::to_string(texels) +
                               " pixels, more than fit into the memory that is free");
    }
    resource.type = imageType(*resource.format, resource.width, resource.height);
    resource.initial.resize(resource.type->bytes);
    Contents contents{std::move(picture.texels), {}};
    contents.given.assign(contents.bytes.size(), 1);
    initialize(description, resource, isPicture ? contents : readContents(description, resource, resource.type->bytes));
    return resource;
}

}  // namespace millrace::tools::run
