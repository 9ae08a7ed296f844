// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
#include <windows.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "base/system.h"

namespace millrace {

namespace {

bool copyPart(std::byte* to, const std::byte* from, size_t bytes)
{
    SIZE_T copied = 0;
    return ReadProcessMemory(GetCurrentProcess(), from, to, bytes, &copied) != 0 && copied == bytes;
}

}  // namespace

// A program that runs elevated has the environment of a user who does not. The Vulkan loader asks the same.
bool hasMorePrivileges()
{
    HANDLE token = nullptr;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
        return true;
    struct {
        TOKEN_MANDATORY_LABEL label;
        std::byte sid[SECURITY_MAX_SID_SIZE];
    } integrity{};
    DWORD size = 0;
    DWORD level = SECURITY_MANDATORY_SYSTEM_RID;
    if (GetTokenInformation(token, TokenIntegrityLevel, &integrity, sizeof integrity, &size)) {
        PSID sid = integrity.label.Label.Sid;
        level = *GetSidSubAuthority(sid, static_cast<DWORD>(*GetSidSubAuthorityCount(sid) - 1));
    }
    CloseHandle(token);
    return level >= SECURITY_MANDATORY_HIGH_RID;
}

char** environment()
{
    return _environ;
}

int openForWriting(const std::string& path)
{
    return ::_open(path.c_str(), _O_WRONLY | _O_CREAT | _O_TRUNC | _O_NOINHERIT | _O_BINARY, _S_IREAD | _S_IWRITE);
}

size_t copyReadable(void* to, const void* from, size_t bytes)
{
    SYSTEM_INFO system;
    GetSystemInfo(&system);
    auto* target = static_cast<std::byte*>(to);
    const auto* begin = static_cast<const std::byte*>(from);
    const size_t page = system.dwPageSize;
    const size_t first = std::min(page - reinterpret_cast<uintptr_t>(begin) % page, bytes);
    if (!copyPart(target, begin, first))
        return 0;
    return copyPart(target + first, begin + first, bytes - first) ? bytes : first;
}

}  // namespace millrace
