// SPDX-License-Identifier: Apache-2.0
// The driver's command buffer that takes commands now. Whoever asks for it is about to record there, so what was put
// off comes first. Commands that only set state may come in front of some of that. Not thread-safe, like the command
// buffer.
#pragma once

#include <vulkan/vulkan.h>

#include <utility>

namespace millrace::layer {

class CurrentStream {
public:
    // Commands that nothing but such as come before them in any case has followed yet.
    class PutOff {
    public:
        virtual void record(VkCommandBuffer stream) = 0;

    protected:
        ~PutOff() = default;
    };

    explicit CurrentStream(VkCommandBuffer stream) : m_stream(stream) {}
    CurrentStream(const CurrentStream&) = delete;
    CurrentStream& operator=(const CurrentStream&) = delete;
    CurrentStream& operator=(VkCommandBuffer stream)
    {
        recordPutOff();
        m_stream = stream;
        return *this;
    }

    // Throws nothing. Requires: nothing was put off since `stream` was left.
    void goBack(VkCommandBuffer stream) noexcept { m_stream = stream; }

    operator VkCommandBuffer() const
    {
        recordPutOff();
        return m_stream;
    }
    // For who may record in front of what was put off, or records nothing.
    VkCommandBuffer inFrontOfPutOff() const { return m_stream; }
    // For who sets state.
    VkCommandBuffer forState() const
    {
        if (mindsState()) [[unlikely]]
            recordPutOff();
        return m_stream;
    }

    bool hasPutOff() const { return m_putOff != nullptr; }
    // True if something is put off that depends on what is set.
    bool mindsState() const { return m_minding != nullptr; }
    void recordPutOff() const
    {
        if (!m_putOff) [[likely]]
            return;
        m_minding = nullptr;
        std::exchange(m_putOff, nullptr)->record(m_stream);
    }
    // What does not depend on it alone.
    void recordUnminding() const
    {
        if (!mindsState())
            recordPutOff();
    }

    // Once for each time. Requires: nothing is put off. `commands` stay until they are recorded or dropped.
    void putOff(PutOff& commands) { m_putOff = m_minding = &commands; }
    // The same for what does not depend on what is set in the stream: state may be set there in front of it.
    void putOffUnminding(PutOff& commands) { m_putOff = &commands; }
    void drop() { m_putOff = m_minding = nullptr; }

private:
    VkCommandBuffer m_stream;
    mutable PutOff* m_putOff = nullptr;
    mutable PutOff* m_minding = nullptr;  // null, or the same
};

}  // namespace millrace::layer
