// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/text.h"

#include <cstring>
#include <string_view>
#include <unordered_map>

namespace millrace::layertest {

namespace {

class Writer {
public:
    explicit Writer(bool outputs) : m_outputs(outputs) {}

    // What the caller gives, or with `isReturned` what the driver fills.
    void write(const Struct& type, const std::byte* at, bool isReturned)
    {
        text += '{';
        if (type.hasChain)
            writeChain(reinterpret_cast<const VkBaseInStructure*>(at)->pNext, isReturned);
        for (const Member& member : type.members)
            writeMember(member, at, isReturned);
        text += '}';
    }

    std::string text;

private:
    void writeChain(const VkBaseInStructure* first, bool isReturned)
    {
        for (const VkBaseInStructure* item = first; item; item = item->pNext) {
            const Struct* known = findStruct(item->sType);
            text += known ? known->name : "unknown " + std::to_string(item->sType);
            if (known && !(isReturned && !m_outputs)) {
                text += '{';
                for (const Member& member : known->members)
                    writeMember(member, reinterpret_cast<const std::byte*>(item), isReturned);
                text += '}';
            }
            text += " -> ";
        }
    }

    void writeMember(const Member& member, const std::byte* structure, bool isReturned)
    {
        const std::byte* at = structure + member.offset;
        text += std::string(" ") + member.name + '=';
        if (member.pointers == 0) {
            for (size_t i = 0; i * member.elementBytes < member.bytes; ++i)
                writeElement(member, at + i * member.elementBytes, isReturned);
            return;
        }
        const std::byte* elements = nullptr;
        std::memcpy(&elements, at, sizeof elements);
        const size_t count = member.count ? member.count(structure) : 1;
        writeArray(member, elements, count);
    }

    void writeArray(const Member& member, const std::byte* elements, size_t count)
    {
        // Where there are none, nobody reads the pointer.
        if (!elements || count == 0) {
            text += count == 0 ? "[]" : "null";
            return;
        }
        const bool isReturned = !member.isConst;
        text += '[';
        if (member.pointers == 2 && member.isConst) {
            Member one = member;
            one.pointers = 1;
            for (size_t i = 0; i < count; ++i) {
                const std::byte* element = nullptr;
                std::memcpy(&element, elements + i * sizeof element, sizeof element);
                writeArray(one, element, 1);
            }
        } else if (member.kind == Kind::Text && member.isTerminated) {
            text += reinterpret_cast<const char*>(elements);
        } else if (!isReturned || m_outputs || member.counted > 0 || member.kind == Kind::Struct) {
            for (size_t i = 0; i < count; ++i)
                writeElement(member, elements + i * (member.pointers == 2 ? sizeof(void*) : member.elementBytes),
                             isReturned);
        }
        text += ']';
    }

    void writeElement(const Member& member, const std::byte* at, bool isReturned)
    {
        if (member.kind == Kind::Struct) {
            if (!isReturned || m_outputs)
                write(*member.type, at, isReturned);
            else if (member.type->hasChain)
                writeChain(reinterpret_cast<const VkBaseInStructure*>(at)->pNext, true);
            return;
        }
        if (member.kind != Kind::Type)
            text += textOfBytes(at, member.pointers == 2 ? sizeof(void*) : member.elementBytes);
    }

    const bool m_outputs;
};

}  // namespace

const Struct* findStruct(VkStructureType type)
{
    static const std::unordered_map<int, const Struct*> byType = [] {
        std::unordered_map<int, const Struct*> map;
        for (const Struct* known : chainedStructs())
            map.emplace(known->sType, known);
        return map;
    }();
    const auto found = byType.find(type);
    return found == byType.end() ? nullptr : found->second;
}

Struct comparable(const Command& command)
{
    Struct parameters = command.arguments;
    if (std::string_view(command.name()).starts_with("vkCmd"))
        parameters.members = parameters.members.subspan(1);
    return parameters;
}

std::string textOfInputs(const Struct& type, const void* structure)
{
    Writer writer(false);
    writer.write(type, static_cast<const std::byte*>(structure), false);
    return writer.text;
}

std::string textOfOutputs(const Struct& type, const void* structure)
{
    Writer writer(true);
    writer.write(type, static_cast<const std::byte*>(structure), false);
    return writer.text;
}

// Little endian, so that numbers read as such.
std::string textOfBytes(const void* data, size_t bytes)
{
    constexpr char kDigits[] = "0123456789abcdef";
    const auto* at = static_cast<const unsigned char*>(data);
    std::string text;
    for (size_t i = bytes; i-- > 0;) {
        if (at[i] == 0 && text.empty() && i > 0)
            continue;
        text += kDigits[at[i] >> 4];
        text += kDigits[at[i] & 15];
    }
    return text + ",";
}

}  // namespace millrace::layertest
