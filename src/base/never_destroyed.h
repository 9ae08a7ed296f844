// SPDX-License-Identifier: Apache-2.0
// Objects of static storage that stay as they are while the process ends.
#pragma once

namespace millrace {

// Threads may outlive main(), and so may what an application does in its own destructors. Defined at namespace scope,
// `value` is there as soon as the library is loaded, and who uses it needs no look whether it is.
template <typename T>
union NeverDestroyed {
    NeverDestroyed() : value() {}
    ~NeverDestroyed() {}
    NeverDestroyed(const NeverDestroyed&) = delete;
    NeverDestroyed& operator=(const NeverDestroyed&) = delete;

    T value;
};

}  // namespace millrace
