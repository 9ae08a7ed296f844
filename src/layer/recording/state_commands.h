// SPDX-License-Identifier: Apache-2.0
// Intercepting a command that sets state: call the driver, then remember the command in the log.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>
#include <type_traits>

#include "layer/loader/entry_points.h"
#include "layer/recording/command_buffer.h"
#include "layer/recording/copy_few.h"
#include "layer/recording/quick_call.h"
#include "layer/recording/state_log.h"

namespace millrace::layer {

using Table = VkuDeviceDispatchTable;

constexpr size_t alignPayload(size_t bytes)
{
    return (bytes + alignof(std::max_align_t) - 1) & ~(alignof(std::max_align_t) - 1);
}

// A call with arguments that are values, or pointers to what the log's entry owns.
template <auto Member, typename... Args>
struct LoggedCall {
    using Arguments = std::tuple<Args...>;
    static_assert(std::is_trivially_destructible_v<Arguments>);

    static void replay(const Table& table, VkCommandBuffer commandBuffer, const std::byte* payload)
    {
        const auto& values = *reinterpret_cast<const Arguments*>(payload);
        std::apply([&](const auto&... value) { (table.*Member)(commandBuffer, value...); }, values);
    }
};

// Remembers a call with these arguments: values, or pointers to what belongs to `owner`.
template <auto Member, typename... Args>
void logOwned(StateLog& log, const StateKey& key, uint32_t scopes, std::shared_ptr<const void> owner, Args... args)
{
    using Call = LoggedCall<Member, Args...>;
    using Arguments = typename Call::Arguments;
    new (log.add(key, scopes, Call::replay, sizeof(Arguments), std::move(owner))) Arguments(args...);
}

// The same where all arguments are values.
template <auto Member, typename... Args>
void logCall(StateLog& log, const StateKey& key, uint32_t scopes, Args... args)
{
    using Call = LoggedCall<Member, Args...>;
    using Arguments = typename Call::Arguments;
    new (log.add(key, scopes, Call::replay, sizeof(Arguments))) Arguments(args...);
}

// Where a command sets a part of something, which arguments say what part.
enum class Part {
    Whole,  // it sets all of it
    Face,   // the first argument is a face mask
    Range,  // the first two arguments are first and count
};

template <Part kPart, typename Arguments>
StateKey keyFor(StateKind kind, const Arguments& arguments)
{
    StateKey key{kind};
    if constexpr (kPart == Part::Face) {
        key.where = static_cast<uint32_t>(std::get<0>(arguments));
    } else if constexpr (kPart == Part::Range) {
        key.first = static_cast<uint32_t>(std::get<0>(arguments));
        key.count = static_cast<uint32_t>(std::get<1>(arguments));
    }
    return key;
}

// For StateLog::addAgain(): the words of that key that calls of the command differ in.
template <Part kPart, typename Arguments>
auto shapeFor(const Arguments& arguments)
{
    if constexpr (kPart == Part::Face)
        return std::array{static_cast<uint32_t>(std::get<0>(arguments))};
    else if constexpr (kPart == Part::Range)
        return std::array{static_cast<uint32_t>(std::get<0>(arguments)), static_cast<uint32_t>(std::get<1>(arguments))};
    else
        return std::array<uint32_t, 0>{};
}

// A command all of whose arguments are values.
template <auto Member, StateKind kKind, Part kPart = Part::Whole, uint32_t kScopes = kScopeOther>
struct ValueState;
template <typename... Args, void (VKAPI_PTR* Table::*Member)(VkCommandBuffer, Args...), StateKind kKind, Part kPart,
          uint32_t kScopes>
struct ValueState<Member, kKind, kPart, kScopes> {
    static VKAPI_ATTR void VKAPI_CALL call(VkCommandBuffer handle, Args... args)
    {
        CommandBuffer& commandBuffer = CommandBuffer::of(handle);
        (commandBuffer.device.table.*Member)(commandBuffer.current.forState(), args...);
        const auto arguments = std::tie(args...);
        if (commandBuffer.logs)
            new (commandBuffer.log.addShaped(keyFor<kPart>(kKind, arguments), shapeFor<kPart>(arguments), kScopes,
                                             Call::replay, sizeof(Arguments))) Arguments(args...);
    }
    static bool callAgain(CommandBuffer& commandBuffer, Args... args) noexcept
    {
        if (commandBuffer.current.mindsState())
            return false;
        if (!commandBuffer.logs)
            return true;
        const auto arguments = std::tie(args...);
        std::byte* const payload =
            commandBuffer.log.addAgain(keyFor<kPart>(kKind, arguments), shapeFor<kPart>(arguments), Call::replay);
        if (payload)
            new (payload) Arguments(args...);
        return payload != nullptr;
    }
    static EntryFunction entry() { return quick<Member, &callAgain, &call>(); }

private:
    using Call = LoggedCall<Member, Args...>;
    using Arguments = typename Call::Arguments;
};

// The number of elements behind the pointers of a command: the argument at an index,
template <size_t kIndex>
struct CountAt {
    template <typename Arguments>
    static size_t of(const Arguments& arguments)
    {
        return static_cast<size_t>(std::get<kIndex>(arguments));
    }
};
// always as many,
template <size_t kCount>
struct FixedCount {
    template <typename Arguments>
    static size_t of(const Arguments&)
    {
        return kCount;
    }
};
// or one 32-bit word for every 32 samples that the first argument names.
struct SampleMaskWords {
    template <typename Arguments>
    static size_t of(const Arguments& arguments)
    {
        return (static_cast<size_t>(std::get<0>(arguments)) + 31) / 32;
    }
};

// A command with pointers to arrays, all equally long: the arguments at kPointers. Null pointers stay null.
template <auto Member, StateKind kKind, Part kPart, uint32_t kScopes, typename Count, size_t... kPointers>
struct ArrayState;
template <typename... Args, void (VKAPI_PTR* Table::*Member)(VkCommandBuffer, Args...), StateKind kKind, Part kPart,
          uint32_t kScopes, typename Count, size_t... kPointers>
struct ArrayState<Member, kKind, kPart, kScopes, Count, kPointers...> {
    using Arguments = std::tuple<Args...>;

    static VKAPI_ATTR void VKAPI_CALL call(VkCommandBuffer handle, Args... args)
    {
        CommandBuffer& commandBuffer = CommandBuffer::of(handle);
        (commandBuffer.device.table.*Member)(commandBuffer.current.forState(), args...);
        if (commandBuffer.logs)
            record(commandBuffer.log, Arguments(args...));
    }
    static bool callAgain(CommandBuffer& commandBuffer, Args... args) noexcept
    {
        if (commandBuffer.current.mindsState())
            return false;
        return !commandBuffer.logs || recordAgain(commandBuffer.log, std::tie(args...));
    }
    static EntryFunction entry() { return quick<Member, &callAgain, &call>(); }

    static bool isRecorded(const StateLog::Entry& entry) { return entry.replay == replay; }
    // Pointers lead into the payload.
    static Arguments read(const std::byte* payload)
    {
        Arguments arguments = *reinterpret_cast<const Arguments*>(payload);
        const size_t count = Count::of(arguments);
        size_t offset = alignPayload(sizeof(Arguments));
        (point<kPointers>(arguments, count, payload, offset), ...);
        return arguments;
    }

    // Payload: the arguments, then the arrays. `owner` has what the elements of those lead to.
    static void record(StateLog& log, const Arguments& arguments)
    {
        const StateKey key = keyFor<kPart>(kKind, arguments);
        const size_t bytes = payloadBytes(Count::of(arguments));
        if (Count::of(arguments) <= kFew)
            fill(log.addShaped(key, shapeOf(arguments), kScopes, replay, bytes), arguments);
        else
            fill(log.add(key, kScopes, replay, bytes), arguments);
    }
    static void record(StateLog& log, const Arguments& arguments, std::shared_ptr<const void> owner)
    {
        const StateKey key = keyFor<kPart>(kKind, arguments);
        fill(log.add(key, kScopes, replay, payloadBytes(Count::of(arguments)), std::move(owner)), arguments);
    }
    // For quick calls: false, with nothing changed, where record() is needed. `arguments`: a tuple of references, so
    // that they go from registers to the log.
    template <typename References>
    static bool recordAgain(StateLog& log, const References& arguments) noexcept
    {
        std::byte* const payload = log.addAgain(keyFor<kPart>(kKind, arguments), shapeOf(arguments), replay);
        if (payload)
            fill<kFew>(payload, arguments);
        return payload != nullptr;
    }

private:
    static constexpr size_t kFew = 4;  // elements of each array, in a quick call

    template <typename Given>
    static auto shapeOf(const Given& arguments)
    {
        const auto part = shapeFor<kPart>(arguments);
        if constexpr (kPart == Part::Range && std::is_same_v<Count, CountAt<1>>) {
            return part;
        } else {
            std::array<uint32_t, std::tuple_size_v<decltype(part)> + 1> shape{};
            std::ranges::copy(part, shape.begin());
            shape.back() = static_cast<uint32_t>(Count::of(arguments));
            return shape;
        }
    }

    // Of an array in the payload, be it given or not, so that few elements are always at the same places.
    template <size_t kIndex>
    static size_t arrayBytes(size_t count)
    {
        using Element = std::remove_pointer_t<std::tuple_element_t<kIndex, Arguments>>;
        return alignPayload(std::max(count, kFew) * sizeof(Element));
    }
    static size_t payloadBytes(size_t count)
    {
        return (alignPayload(sizeof(Arguments)) + ... + arrayBytes<kPointers>(count));
    }

    // kMost: elements of each array, 0 if that is not known.
    template <size_t kMost = 0, typename Given>
    [[gnu::always_inline]] static void fill(std::byte* payload, const Given& arguments)
    {
        const size_t count = Count::of(arguments);
        new (payload) Arguments(arguments);
        size_t offset = alignPayload(sizeof(Arguments));
        (store<kPointers, kMost>(arguments, count, payload, offset), ...);
    }

    static void replay(const Table& table, VkCommandBuffer commandBuffer, const std::byte* payload)
    {
        std::apply([&](const auto&... value) { (table.*Member)(commandBuffer, value...); }, read(payload));
    }

    template <size_t kIndex, size_t kMost, typename Given>
    [[gnu::always_inline]] static void store(const Given& arguments, size_t count, std::byte* payload, size_t& offset)
    {
        const auto* pointer = std::get<kIndex>(arguments);
        using Element = std::remove_cvref_t<decltype(*pointer)>;
        if (pointer && kMost > 0)
            copyFew<kMost>(reinterpret_cast<Element*>(payload + offset), pointer, count);
        else if (pointer && count > 0)
            std::memcpy(payload + offset, pointer, count * sizeof *pointer);
        offset += arrayBytes<kIndex>(kMost > 0 ? kMost : count);
    }

    template <size_t kIndex>
    static void point(Arguments& arguments, size_t count, const std::byte* payload, size_t& offset)
    {
        auto& pointer = std::get<kIndex>(arguments);
        if (pointer)
            pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(payload + offset);
        offset += arrayBytes<kIndex>(count);
    }
};

}  // namespace millrace::layer
