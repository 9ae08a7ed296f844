// SPDX-License-Identifier: Apache-2.0
#include "tools/isolate.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace millrace::tools {

namespace {

using Clock = std::chrono::steady_clock;

Diagnostic fail(const std::string& message)
{
    return {"isolation", "", message};
}

void writeAll(int file, const std::string& bytes)
{
    for (size_t done = 0; done < bytes.size();) {
        const ssize_t count = write(file, bytes.data() + done, bytes.size() - done);
        if (count < 0 && errno != EINTR)
            _exit(1);
        done += count > 0 ? static_cast<size_t>(count) : 0;
    }
}

// The child's end is the end of this function.
[[noreturn]] void runChild(int out, const std::function<std::string()>& work, unsigned seconds)
{
    const rlimit noCore = {0, 0};
    setrlimit(RLIMIT_CORE, &noCore);
    const rlimit cpu = {seconds, seconds + 1};
    setrlimit(RLIMIT_CPU, &cpu);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    constexpr rlim_t kMaxMemory = rlim_t{4} << 30;
    const rlimit memory = {kMaxMemory, kMaxMemory};
    setrlimit(RLIMIT_AS, &memory);
#endif
    // What a library prints while it dies is not for the user.
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0)
        dup2(nowhere, STDERR_FILENO);
    writeAll(out, work());
    _exit(0);
}

// Nothing if the time is over.
std::optional<std::string> readAll(int file, Clock::time_point deadline)
{
    std::string out;
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd wanted = {file, POLLIN, 0};
        const int ready = left > 0 ? poll(&wanted, 1, static_cast<int>(left)) : 0;
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return std::nullopt;
        char buffer[65536];
        const ssize_t count = read(file, buffer, sizeof(buffer));
        if (count == 0)
            return out;
        if (count > 0)
            out.append(buffer, static_cast<size_t>(count));
        else if (errno != EINTR)
            return out;
    }
}

int waitFor(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

}  // namespace

Result<std::string> runIsolated(const std::function<std::string()>& work, unsigned seconds)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail(std::string("no pipe: ") + std::strerror(errno));
    const pid_t child = fork();
    if (child < 0) {
        close(ends[0]);
        close(ends[1]);
        return fail(std::string("no process: ") + std::strerror(errno));
    }
    if (child == 0) {
        close(ends[0]);
        runChild(ends[1], work, seconds);
    }
    close(ends[1]);
    const auto result = readAll(ends[0], Clock::now() + std::chrono::seconds(seconds));
    close(ends[0]);
    if (!result) {
        kill(child, SIGKILL);
        waitFor(child);
        return fail("no result after " + std::to_string(seconds) + " seconds");
    }
    const int status = waitFor(child);
    if (WIFSIGNALED(status))
        return fail(std::string("the reader ended with \"") + strsignal(WTERMSIG(status)) + "\": malformed input");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return fail("the reader gave up: malformed input");
    return *result;
}

}  // namespace millrace::tools
