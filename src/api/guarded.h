// SPDX-License-Identifier: Apache-2.0
// What all functions of the C library do with errors: none leaves as an exception, and the thread's latest has a text.
#pragma once

#include <exception>
#include <new>

#include "millrace/millrace.h"

namespace millrace::api {

// Keeps the text for millraceGetLastError(); returns `result`.
MillraceResult fail(MillraceResult result, const char* message);

inline MillraceResult invalid(const char* message)
{
    return fail(MILLRACE_ERROR_INVALID_ARGUMENT, message);
}

template <typename Function>
MillraceResult guarded(const Function& function)
{
    try {
        return function();
    } catch (const std::bad_alloc&) {
        return fail(MILLRACE_ERROR_OUT_OF_MEMORY, "out of memory");
    } catch (const std::exception& error) {
        return fail(MILLRACE_ERROR_INTERNAL, error.what());
    } catch (...) {
        return fail(MILLRACE_ERROR_INTERNAL, "unknown exception");
    }
}

}  // namespace millrace::api
