// SPDX-License-Identifier: Apache-2.0
// When the device has run what mesh shaders of the layer's do in front of a render pass instance (setting "trace").
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "layer/recording/timestamps.h"
#include "layer/recording/watched.h"

namespace millrace::layer {

class TimedFront final : public Watched {
public:
    // `name`: which instance it is. `draws`: with mesh shaders.
    TimedFront(std::shared_ptr<trace::Sink> sink, std::shared_ptr<TimedPart> part, std::string name, uint32_t draws)
        : m_sink(std::move(sink)), m_part(std::move(part)), m_name(std::move(name)), m_draws(draws)
    {
    }

    void beforeSubmission() override;
    void report() noexcept override;

private:
    const std::shared_ptr<trace::Sink> m_sink;
    const std::shared_ptr<TimedPart> m_part;
    const std::string m_name;
    const uint32_t m_draws;
    std::mutex m_mutex;
    bool m_isSubmitted = false;
};

}  // namespace millrace::layer
