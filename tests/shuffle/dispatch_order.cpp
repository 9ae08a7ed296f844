// SPDX-License-Identifier: Apache-2.0
#include "shuffle/dispatch_order.h"

#include <algorithm>

namespace millrace::shuffle {

void DispatchOrder::set(uint64_t part, Command command)
{
    command();
    std::erase_if(m_state, [&](const auto& item) { return item.first == part; });
    m_state.emplace_back(part, std::move(command));
}

void DispatchOrder::dispatch(Command command)
{
    if (m_reverses)
        m_waiting.emplace_back(m_state, std::move(command));
    else
        command();
}

void DispatchOrder::giveUp()
{
    flush();
    m_reverses = false;
}

void DispatchOrder::flush()
{
    if (m_waiting.empty())
        return;
    const auto apply = [](const State& state) {
        for (const auto& [part, command] : state)
            command();
    };
    for (auto it = m_waiting.rbegin(); it != m_waiting.rend(); ++it) {
        apply(it->first);
        it->second();
    }
    m_waiting.clear();
    apply(m_state);
}

}  // namespace millrace::shuffle
