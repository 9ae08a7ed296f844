// SPDX-License-Identifier: Apache-2.0
#include "spirv/messages.h"

namespace millrace::spirv {

spvtools::MessageConsumer Messages::consumer()
{
    return [this](spv_message_level_t level, const char*, const spv_position_t& position, const char* message) {
        if (level > SPV_MSG_ERROR)
            return;
        if (!m_text.empty())
            m_text += "; ";
        else if (position.line > 0)
            m_where = "line " + std::to_string(position.line + 1) + ", column " + std::to_string(position.column + 1);
        else if (position.index > 0)
            m_where = "instruction " + std::to_string(position.index);
        m_text += message;
    };
}

Diagnostic Messages::failure(std::string what) const
{
    return {"spirv", m_where, m_text.empty() ? std::move(what) : what + ": " + m_text};
}

}  // namespace millrace::spirv
