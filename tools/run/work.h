// SPDX-License-Identifier: Apache-2.0
// Everything that goes to the device and comes back, as bytes.
#pragma once

#include <string>
#include <vector>

#include "tools/run/data_type.h"
#include "tools/run/description.h"
#include "tools/run/image_format.h"
#include "tools/run/program.h"

namespace millrace::tools::run {

// The address of a buffer, among bytes that need it.
struct AddressUse {
    uint64_t offset = 0;
    size_t resource = 0;  // into Work::resources
};

struct Resource {
    const ResourceDescription* description = nullptr;
    DescriptorKind kind = DescriptorKind::StorageBuffer;
    DataTypeRef type;
    Bytes initial;
    Bytes result;
    std::vector<AddressUse> addresses;  // in `initial`

    const ImageFormat* format = nullptr;  // images, and buffers of texels
    ImageAccess access;                   // of both
    uint32_t width = 0;                   // images
    uint32_t height = 0;

    const std::string& name() const { return description->name; }
    bool isImage() const { return description->isImage; }
};

// The rows of a table: the elements of a buffer whose only member is an array, or its texels.
struct TableRows {
    uint64_t offset = 0;
    uint64_t stride = 0;
    DataTypeRef type;   // a structure
    DataTypeRef array;  // of all rows
};
std::optional<TableRows> findTableRows(const Resource& resource);

struct Launch {
    const LaunchDescription* description = nullptr;
    size_t node = 0;  // into Program::nodes
    uint32_t count = 0;
    uint64_t stride = 0;
    Bytes payloads;  // may be fewer than `count` until repeatPayloads()
};

struct Dispatch {
    DispatchForm form = DispatchForm::Host;
    std::vector<Launch> launches;
    Bytes pushConstants;  // all of them
    std::vector<AddressUse> addresses;
};

struct Work {
    std::vector<Resource> resources;
    std::vector<Dispatch> dispatches;
    const TargetDescription* target = nullptr;  // of graphs with mesh nodes
    std::vector<std::string> warnings;
};

// Reads and encodes what the description names. The description must outlive the result. Throws InputError.
Work prepareWork(const GraphDescription& description, const Program& program);

// The lower-case ending of a file's name, such as ".json".
std::string endingOf(const std::string& file);

}  // namespace millrace::tools::run
