// SPDX-License-Identifier: Apache-2.0
#include "layer/submission/faults.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "layer/base/own_thread.h"
#include "layer/loader/device.h"
#include "layer/recording/stepped.h"
#include "layer/submission/status_watch.h"

namespace millrace::layer {

namespace {

constexpr size_t kMaxNamed = 8;

using Where = runtime::Progress::Where;

// "'a', 'b', ...".
std::string join(const std::vector<std::string>& texts, const char* between)
{
    std::string out;
    for (size_t i = 0; i < std::min(texts.size(), kMaxNamed); ++i)
        out += (i > 0 ? between : "") + texts[i];
    return texts.size() > kMaxNamed ? out + between + "..." : out;
}

std::string capitalized(std::string text)
{
    if (!text.empty())
        text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    return text;
}

std::vector<std::shared_ptr<Stepped>> steppedOn(const Device& device)
{
    std::vector<std::shared_ptr<Stepped>> all;
    for (const std::shared_ptr<Watched>& watched : device.statusWatch->alive())
        if (auto stepped = std::dynamic_pointer_cast<Stepped>(watched))
            all.push_back(std::move(stepped));
    return all;
}

struct Trail {
    std::vector<std::string> inside;   // steps in progress
    std::vector<std::string> unknown;  // graphs without breadcrumbs
    size_t graphs = 0;
};

Trail trailOf(Device& device)
{
    Trail trail;
    for (const std::shared_ptr<Stepped>& run : steppedOn(device)) {
        ++trail.graphs;
        const auto progress = run->step();
        if (!progress)
            trail.unknown.push_back(run->name());
        else if (progress->where == Where::Inside)
            trail.inside.push_back(progress->text);
    }
    std::sort(trail.unknown.begin(), trail.unknown.end());
    trail.unknown.erase(std::unique(trail.unknown.begin(), trail.unknown.end()), trail.unknown.end());
    return trail;
}

}  // namespace

void Faults::reportLoss()
{
    if (m_lost.exchange(true))
        return;
    const ObjectReference reference = objectReference(VK_OBJECT_TYPE_DEVICE, m_device.handle);
    const Trail trail = trailOf(m_device);
    if (trail.graphs == 0)
        return;  // not about graphs
    if (!trail.unknown.empty())
        m_device.messages().error(
            "Millrace-device-lost", reference, "the device was lost; recorded on it are: " + join(trail.unknown, ", "),
            "Set breadcrumbs = true and run it again to learn in which step of which graph it was");
    else if (trail.inside.empty())
        m_device.messages().error("Millrace-device-lost", reference,
                                  "the device was lost while no step of an execution graph was running",
                                  "Look at the application's other commands");
    else
        m_device.messages().error("Millrace-device-lost", reference,
                                  "the device was lost in " + join(trail.inside, "; and in "),
                                  "Look in this node for loops that may not end and for addresses out of bounds; with "
                                  "step_by_step = true nothing else runs beside it");
}

void Faults::watch()
{
    const std::chrono::milliseconds limit(m_device.settings().stepLimitMs);
    if (limit.count() == 0)
        return;
    std::unique_lock lock(m_mutex);
    if (m_thread.joinable() || m_stop || startOwnThread(m_thread, [this, limit] { run(limit); }))
        return;
    lock.unlock();
    if (!m_hasNoThread.exchange(true))
        m_device.messages().warning("Millrace-step-limit", objectReference(VK_OBJECT_TYPE_DEVICE, m_device.handle),
                                    "the system has no thread to watch steps with; none is reported",
                                    "Let the process have more threads, or take setting step_limit_ms away");
}

void Faults::stop()
{
    {
        std::lock_guard lock(m_mutex);
        m_stop = true;
    }
    m_changed.notify_all();
    if (m_thread.joinable())
        m_thread.join();
}

void Faults::run(std::chrono::milliseconds limit)
{
    const auto period = std::clamp(limit / 8, std::chrono::milliseconds(1), std::chrono::milliseconds(250));
    std::unique_lock lock(m_mutex);
    while (!m_changed.wait_for(lock, period, [&] { return m_stop; })) {
        lock.unlock();
        try {
            if (const InDriver inDriver; inDriver)
                look(limit);
        } catch (...) {
            // Without memory it looks again the next time.
        }
        lock.lock();
    }
}

void Faults::look(std::chrono::milliseconds limit)
{
    const Clock::time_point now = Clock::now();
    std::erase_if(m_sightings, [](const auto& item) { return item.first.expired(); });
    for (const std::shared_ptr<Stepped>& run : steppedOn(m_device)) {
        const auto progress = run->step();
        if (!progress || progress->where != Where::Inside) {
            m_sightings.erase(run);
            continue;
        }
        Sighting& sighting = m_sightings[run];
        if (sighting.mark != progress->mark)
            sighting = {progress->mark, now};
        if (now - sighting.since < limit || sighting.told)
            continue;
        sighting.told = true;
        reportSlow(*run, progress->text, limit);
    }
}

void Faults::reportSlow(const Stepped& run, const std::string& text, std::chrono::milliseconds limit) const
{
    m_device.messages().error(
        "Millrace-step-limit", objectReference(VK_OBJECT_TYPE_COMMAND_BUFFER, run.recordedIn()),
        capitalized(text) + " after " + std::to_string(limit.count()) + " ms, the limit of setting step_limit_ms",
        "Look in this node for loops that may not end, or raise the limit if it has that much to "
        "do; the layer goes on waiting for it");
}

}  // namespace millrace::layer
