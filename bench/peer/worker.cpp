// SPDX-License-Identifier: Apache-2.0
#include "bench/peer/worker.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <optional>

#include "bench/peer/graph.h"

namespace millrace::bench::peer {

namespace {

// A process that runs, and the end of its pipe.
class Worker {
public:
    Worker(const std::vector<std::string>& command, size_t firstRow)
    {
        int ends[2];
        if (pipe(ends) != 0)
            throw PeerError(std::string("pipe: ") + std::strerror(errno));
        m_process = fork();
        if (m_process == 0)
            become(command, firstRow, ends);
        close(ends[1]);
        m_descriptor = ends[0];
        if (m_process < 0)
            throw PeerError(std::string("fork: ") + std::strerror(errno));
    }
    ~Worker()
    {
        if (m_process > 0)
            finish();
        close(m_descriptor);
    }
    Worker(const Worker&) = delete;

    // The next line; none if it has ended or was silent for so long.
    std::optional<std::string> readLine(double seconds)
    {
        for (;;) {
            if (const size_t end = m_read.find('\n'); end != std::string::npos) {
                std::string line = m_read.substr(0, end);
                m_read.erase(0, end + 1);
                return line;
            }
            pollfd one{m_descriptor, POLLIN, 0};
            const int ready = poll(&one, 1, static_cast<int>(seconds * 1e3));
            if (ready < 0 && errno == EINTR)
                continue;
            if (ready <= 0) {
                m_wasSilent = true;
                return std::nullopt;
            }
            char bytes[4096];
            const ssize_t count = read(m_descriptor, bytes, sizeof bytes);
            if (count <= 0)
                return std::nullopt;
            m_read.append(bytes, static_cast<size_t>(count));
        }
    }

    // How it ended. It is ended if it runs.
    std::string finish()
    {
        if (m_wasSilent)
            kill(m_process, SIGKILL);
        int status = 0;
        waitpid(m_process, &status, 0);
        m_process = -1;
        if (m_wasSilent)
            return "no answer in time";
        if (WIFSIGNALED(status))
            return std::string("the process was ended by a signal: ") + strsignal(WTERMSIG(status));
        return "the process ended with " + std::to_string(WEXITSTATUS(status));
    }

private:
    [[noreturn]] static void become(const std::vector<std::string>& command, size_t firstRow, const int (&ends)[2])
    {
        prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody waits for it any more
        close(ends[0]);
        if (ends[1] != kWorkerDescriptor) {
            dup2(ends[1], kWorkerDescriptor);
            close(ends[1]);
        }
        std::vector<std::string> words = command;
        words.push_back(std::to_string(firstRow));
        std::vector<char*> arguments;
        for (std::string& word : words)
            arguments.push_back(word.data());
        arguments.push_back(nullptr);
        execvp(arguments[0], arguments.data());
        _exit(127);
    }

    pid_t m_process = -1;
    int m_descriptor = -1;
    std::string m_read;
    bool m_wasSilent = false;
};

// Which row comes next, and whether the one in front of it is being run.
struct Progress {
    size_t next = 0;
    bool isRunning = false;
};

void take(const std::string& line, const Watcher& watcher, Progress& progress)
{
    const nlohmann::json message = nlohmann::json::parse(line);
    if (message.contains("begin")) {
        progress.next = message["begin"].get<size_t>() + 1;
        progress.isRunning = true;
    } else if (message.contains("row")) {
        progress.isRunning = false;
        watcher.onResult(message["row"], message["result"]);
    } else {
        watcher.onMessage(message);
    }
}

}  // namespace

void tell(const nlohmann::json& message)
{
    const std::string line = message.dump() + "\n";
    for (size_t at = 0; at < line.size();) {
        const ssize_t count = write(kWorkerDescriptor, line.data() + at, line.size() - at);
        if (count < 0)
            throw PeerError(std::string("write: ") + std::strerror(errno));
        at += static_cast<size_t>(count);
    }
}

void tellBegin(size_t row)
{
    tell({{"begin", row}});
}

void tellResult(size_t row, const nlohmann::json& result)
{
    tell({{"row", row}, {"result", result}});
}

void watchWorkers(const std::vector<std::string>& command, size_t rows, double silentSeconds, const Watcher& watcher)
{
    Progress progress;
    while (progress.next < rows) {
        Worker worker(command, progress.next);
        while (const std::optional<std::string> line = worker.readLine(silentSeconds))
            take(*line, watcher, progress);
        const std::string end = worker.finish();
        if (std::exchange(progress.isRunning, false))
            watcher.onLost(progress.next - 1, end);
        else if (progress.next < rows)
            throw PeerError(end);
    }
}

}  // namespace millrace::bench::peer
