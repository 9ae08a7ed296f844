// SPDX-License-Identifier: Apache-2.0
// Nothing that is thrown leaves the layer: its callers are not C++, or have another C++ library. What is thrown means
// that there was no memory, or nothing else of the system's, such as a thread.
#pragma once

#include <vulkan/vulkan.h>

#include <type_traits>
#include <utility>

namespace millrace::layer {

// vkEndCommandBuffer will tell. Handles that the layer does not know are left alone.
void noteFailure(VkCommandBuffer commandBuffer) noexcept;

template <auto Function>
struct Guarded;
template <typename Return, typename Handle, typename... Args, Return(VKAPI_PTR* Function)(Handle, Args...)>
struct Guarded<Function> {
    static VKAPI_ATTR Return VKAPI_CALL call(Handle handle, Args... args) noexcept
    {
        try {
            return Function(handle, args...);
        } catch (...) {
            if constexpr (std::is_same_v<Handle, VkCommandBuffer>)
                noteFailure(handle);
            if constexpr (std::is_same_v<Return, VkResult>)
                return VK_ERROR_OUT_OF_HOST_MEMORY;
            else
                return Return();
        }
    }
};

// A function of ours that others may call. Only guarded() makes one, and quick() (recording/quick_call.h): a table of
// entry points has no others.
class EntryFunction {
public:
    PFN_vkVoidFunction get() const { return m_function; }

private:
    explicit EntryFunction(PFN_vkVoidFunction function) : m_function(function) {}
    template <auto Function>
    friend EntryFunction guarded();
    template <auto kMember, auto kQuick, auto kCareful>
    friend EntryFunction quick();

    PFN_vkVoidFunction m_function;
};

template <auto Function>
EntryFunction guarded()
{
    return EntryFunction(reinterpret_cast<PFN_vkVoidFunction>(&Guarded<Function>::call));
}

// Does something that throws nothing at the end of a block, however that is left: what throws in a destructor ends the
// process.
template <typename Action>
class Finally {
    static_assert(std::is_nothrow_invocable_v<Action&>);

public:
    explicit Finally(Action action) : m_action(std::move(action)) {}
    ~Finally() { m_action(); }
    Finally(const Finally&) = delete;
    Finally& operator=(const Finally&) = delete;

private:
    Action m_action;
};

// What was made must not stay if it cannot be remembered.
template <typename Undo, typename Remember>
void rememberOrUndo(const Undo& undo, const Remember& remember)
{
    try {
        remember();
    } catch (...) {
        undo();
        throw;
    }
}

}  // namespace millrace::layer
