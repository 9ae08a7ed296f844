// SPDX-License-Identifier: Apache-2.0
// Dispatches of one command buffer with no barrier between them, in another order.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace millrace::shuffle {

// Puts dispatches off until something else is recorded, and records them from the last to the first then. What they are
// told indirectly is read late, and by those that come first before those that wrote it have run.
class DispatchOrder {
public:
    using Command = std::function<void()>;

    explicit DispatchOrder(bool reverses = false) : m_reverses(reverses) {}

    // A part of the state that dispatches look at, by a number of its own. Recorded now, and again where it is needed.
    void set(uint64_t part, Command command);
    void dispatch(Command command);
    // State is set that nobody can set again: from here on all is recorded as it comes.
    void giveUp();
    // Something else follows.
    void flush();

private:
    using State = std::vector<std::pair<uint64_t, Command>>;

    bool m_reverses;
    State m_state;  // in order
    std::vector<std::pair<State, Command>> m_waiting;
};

}  // namespace millrace::shuffle
