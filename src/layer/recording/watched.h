// SPDX-License-Identifier: Apache-2.0
// What was recorded and may have something to tell once the device has run it.
#pragma once

namespace millrace::layer {

class Watched {
public:
    virtual ~Watched() = default;

    // On the thread that submits it, before the driver gets it.
    virtual void beforeSubmission() {}
    // Tells what is not told yet. Any thread, any time: what the device has not written yet is not told yet.
    virtual void report() noexcept = 0;
};

}  // namespace millrace::layer
