// SPDX-License-Identifier: Apache-2.0
#include "api/guarded.h"

#include <string>

namespace millrace::api {

namespace {

thread_local std::string text;
// What is said: `text`, or a literal where there was no memory for it.
thread_local const char* lastError = "";

}  // namespace

MillraceResult fail(MillraceResult result, const char* message)
{
    try {
        text = message;
        lastError = text.c_str();
    } catch (const std::bad_alloc&) {
        lastError = "out of memory";
    }
    return result;
}

}  // namespace millrace::api

const char* millraceGetLastError(void)
{
    return millrace::api::lastError;
}
