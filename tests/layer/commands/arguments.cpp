// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/arguments.h"

#include <cstdlib>
#include <cstring>

#include "layer/commands/text.h"

namespace millrace::layertest {

namespace {

constexpr uint32_t kDeepestChain = 2;  // chains in chains of chains are as long as all Vulkan
constexpr uint32_t kElements = 2;      // of arrays, as command_tables.py says
constexpr size_t kOpaqueBytes = 256;   // of what nothing says the length of
constexpr char kText[] = "main";

void* VKAPI_CALL allocate(void*, size_t size, size_t, VkSystemAllocationScope)
{
    return std::malloc(size);
}
void* VKAPI_CALL reallocate(void*, void* old, size_t size, size_t, VkSystemAllocationScope)
{
    return std::realloc(old, size);
}
void VKAPI_CALL release(void*, void* memory)
{
    std::free(memory);
}

bool isAllocator(const Member& member)
{
    return std::string_view(member.typeName) == "VkAllocationCallbacks";
}

// An index of a family or a queue that the fake driver has.
bool isFamily(std::string_view name)
{
    return name.find("ueueFamilyInd") != name.npos || name == "queueIndex";
}

// Of those that go with a descriptor's type, the first that is not 0 needs images.
bool isIgnored(std::string_view name)
{
    return name == "pBufferInfo" || name == "pTexelBufferView";
}

bool isTemplate(const Member& member)
{
    return std::string_view(member.typeName) == "VkDescriptorUpdateTemplate";
}

template <typename Handle>
uint64_t handleNumber(Handle handle)
{
    uint64_t number = 0;
    std::memcpy(&number, &handle, sizeof handle);
    return number;
}

// `bytes` of a number.
void store(std::byte* at, uint64_t value, size_t bytes)
{
    std::memcpy(at, &value, std::min(bytes, sizeof value));
}

}  // namespace

void* Dispatchables::of(const Command& command, const Member& member) const
{
    const std::string_view type = member.typeName;
    if (type == "VkInstance")
        return instance;
    if (type == "VkPhysicalDevice")
        return physical;
    if (type == "VkDevice")
        return device;
    if (type == "VkQueue")
        return queue;
    return &member == command.arguments.members.data() ? commandBuffer : commandBuffers;
}

uint64_t Arguments::numberFor(const Member& member, uint32_t next) const
{
    if (member.counted > 0)
        return m_shape == Shape::Single && member.counted == kElements ? 1 : member.counted;
    return isFamily(member.name) ? 0 : next % 251 + 1;
}

Arguments::Arguments(const Command& command, const Dispatchables& objects, Shape shape, uint32_t number)
    : m_command(command),
      m_objects(objects),
      m_shape(shape),
      m_number(number),
      m_next(number * 37),
      m_data(take(command.arguments.bytes))
{
    fill(command.arguments, m_data, 0);
}

void Arguments::overwrite()
{
    for (const auto& [memory, bytes] : m_memory)
        std::memset(memory.get(), 0xee, bytes);
}

std::byte* Arguments::take(size_t bytes)
{
    m_memory.emplace_back(new std::byte[bytes + 1]{}, bytes);
    return m_memory.back().first.get();
}

void Arguments::fill(const Struct& type, std::byte* at, uint32_t depth)
{
    if (type.hasChain) {
        auto* header = reinterpret_cast<VkBaseOutStructure*>(at);
        header->sType = type.sType;
        header->pNext = static_cast<VkBaseOutStructure*>(makeChain(type, false, depth));
    }
    // Lengths first: they say how many elements pointers lead to.
    for (const Member& member : type.members)
        if (member.pointers == 0 || member.counted > 0)
            fillMember(member, at, depth);
    for (const Member& member : type.members)
        if (member.pointers > 0 && member.counted == 0)
            fillMember(member, at, depth);
}

void* Arguments::makeChain(const Struct& type, bool isReturned, uint32_t depth)
{
    const bool hasUnknown = m_shape == Shape::Tomorrow;
    if ((m_shape != Shape::Full && !hasUnknown) || depth > kDeepestChain)
        return nullptr;
    VkBaseOutStructure* first = hasUnknown ? makeUnknown(1, nullptr) : nullptr;
    for (const Struct* extension : type.extensions) {
        if (extension->isReturned && !isReturned)
            continue;
        std::byte* at = take(extension->bytes);
        fill(*extension, at, kDeepestChain + 1);
        auto* header = reinterpret_cast<VkBaseOutStructure*>(at);
        header->pNext = first;
        first = header;
    }
    return hasUnknown ? makeUnknown(0, first) : first;
}

VkBaseOutStructure* Arguments::makeUnknown(uint32_t which, VkBaseOutStructure* next)
{
    auto* made = reinterpret_cast<VkBaseOutStructure*>(take(kOpaqueBytes));
    made->sType = static_cast<VkStructureType>(kFirstUnknownType + 2 * m_number + which);
    made->pNext = next;
    return made;
}

void Arguments::fillMember(const Member& member, std::byte* structure, uint32_t depth)
{
    std::byte* at = structure + member.offset;
    if (member.kind == Kind::Type || member.kind == Kind::Foreign || isIgnored(member.name))
        return;
    const bool isLeftOut = m_shape == Shape::Bare && member.isOptional;
    if (member.pointers == 0) {
        if (!isLeftOut || member.kind == Kind::Enum)
            for (size_t i = 0; i * member.elementBytes < member.bytes; ++i)
                fillElement(member, at + i * member.elementBytes, depth);
        return;
    }
    if (isLeftOut && member.counted == 0)
        return;
    const size_t count = member.count ? member.count(structure) : member.isTerminated ? sizeof kText : 1;
    void* elements = makeArray(member, count, depth);
    if (elements)
        std::memcpy(at, &elements, sizeof elements);
}

void* Arguments::makeArray(const Member& member, size_t count, uint32_t depth)
{
    if (member.pointers == 2) {
        auto** elements = reinterpret_cast<void**>(take(std::max<size_t>(count, 1) * sizeof(void*)));
        Member one = member;
        one.pointers = 1;
        for (size_t i = 0; member.isConst && i < count; ++i)
            elements[i] = makeArray(one, member.kind == Kind::Text ? sizeof kText : 1, depth);
        return elements;
    }
    std::byte* elements = take(member.elementBytes == 1 && !member.isCounted && member.kind == Kind::Bytes
                                   ? kOpaqueBytes
                                   : std::max<size_t>(count, 1) * member.elementBytes);
    for (size_t i = 0; i < count; ++i) {
        std::byte* at = elements + i * member.elementBytes;
        if (member.isConst || member.counted > 0) {
            fillElement(member, at, depth + 1);
            // One stage after the other, not all the same.
            if (i > 0 && std::string_view(member.typeName).find("FlagBits") != std::string_view::npos)
                store(at, member.valid << i, member.elementBytes);
        } else if (member.kind == Kind::Struct && member.type->hasChain) {
            auto* header = reinterpret_cast<VkBaseOutStructure*>(at);
            header->sType = member.type->sType;
            header->pNext = static_cast<VkBaseOutStructure*>(makeChain(*member.type, true, depth + 1));
        }
    }
    if (member.kind == Kind::Text && member.isConst)
        std::memcpy(elements, kText, std::min(count, sizeof kText));
    return elements;
}

void Arguments::fillElement(const Member& member, std::byte* at, uint32_t depth)
{
    const uint32_t next = m_next++;
    switch (member.kind) {
        case Kind::Bytes:
            store(at, numberFor(member, next), member.elementBytes);
            break;
        case Kind::Bool:
            store(at, VK_TRUE, member.elementBytes);
            break;
        case Kind::Float: {
            const auto value = static_cast<float>(next % 251 + 1);
            std::memcpy(at, &value, sizeof value);
            break;
        }
        case Kind::Double: {
            const auto value = static_cast<double>(next % 251 + 1);
            std::memcpy(at, &value, sizeof value);
            break;
        }
        case Kind::Enum:
            store(at, m_shape == Shape::Bare && member.isOptional ? 0 : member.valid, member.elementBytes);
            break;
        case Kind::Handle:
            store(at, isTemplate(member) ? handleNumber(m_objects.updateTemplate) : 0x10000 + next,
                  member.elementBytes);
            break;
        case Kind::Dispatchable: {
            void* object = m_objects.of(m_command, member);
            std::memcpy(at, &object, sizeof object);
            break;
        }
        case Kind::Struct:
            if (isAllocator(member)) {
                const VkAllocationCallbacks callbacks{nullptr, allocate, reallocate, release, nullptr, nullptr};
                std::memcpy(at, &callbacks, sizeof callbacks);
            } else {
                fill(*member.type, at, depth + 1);
            }
            break;
        case Kind::Text:
            store(at, 'a' + next % 26, 1);
            break;
        case Kind::Type:
        case Kind::Foreign:
            break;
    }
}

namespace {

void writeReturned(const Struct& type, std::byte* at, uint32_t& number);

void writeElement(const Member& member, std::byte* at, uint32_t& number)
{
    switch (member.kind) {
        case Kind::Struct:
            writeReturned(*member.type, at, number);
            break;
        case Kind::Bool:
            store(at, VK_TRUE, member.elementBytes);
            break;
        case Kind::Enum:
            store(at, member.valid, member.elementBytes);
            break;
        case Kind::Text:
            store(at, 0, 1);
            break;
        case Kind::Type:
        case Kind::Foreign:
        case Kind::Dispatchable:
            break;
        default:
            store(at, number++, member.elementBytes);
    }
}

// A structure of the caller's that is the driver's to fill.
void writeReturned(const Struct& type, std::byte* at, uint32_t& number)
{
    for (const Member& member : type.members)
        if (member.pointers == 0 && member.counted == 0)
            for (size_t i = 0; i * member.elementBytes < member.bytes; ++i)
                writeElement(member, at + member.offset + i * member.elementBytes, number);
}

}  // namespace

void writeOutputs(const Struct& type, void* structure, uint32_t number)
{
    auto* at = static_cast<std::byte*>(structure);
    for (const Member& member : type.members) {
        if (member.pointers == 0 || member.isConst || member.counted > 0)
            continue;
        std::byte* elements = nullptr;
        std::memcpy(&elements, at + member.offset, sizeof elements);
        if (!elements)
            continue;
        const size_t count = member.count ? member.count(structure) : 1;
        if (member.pointers == 2) {
            // Mapped memory.
            store(elements, number++, sizeof(void*));
            continue;
        }
        for (size_t i = 0; i < count; ++i) {
            std::byte* element = elements + i * member.elementBytes;
            if (member.kind != Kind::Struct) {
                writeElement(member, element, number);
                continue;
            }
            writeReturned(*member.type, element, number);
            if (member.type->hasChain)
                for (auto* next = reinterpret_cast<VkBaseOutStructure*>(element)->pNext; next; next = next->pNext)
                    if (const Struct* known = findStruct(next->sType))
                        writeReturned(*known, reinterpret_cast<std::byte*>(next), number);
        }
    }
}

}  // namespace millrace::layertest
