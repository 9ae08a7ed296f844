// SPDX-License-Identifier: Apache-2.0
// Files that a test writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <system_error>

namespace millrace {

// An empty folder that nobody else has, and that goes with everything in it when the object does. Programs of tests run
// several times at once, once for each driver, so no file of theirs may have a fixed name. Where it can't be created,
// std::filesystem::filesystem_error is thrown. One thread at a time uses an object.
class TemporaryFolder {
public:
    TemporaryFolder()
    {
        std::random_device random;
        do {
            const uint64_t number = uint64_t{random()} << 32 | random();
            m_path = std::filesystem::temp_directory_path() / ("millrace_test_" + std::to_string(number));
        } while (!std::filesystem::create_directory(m_path));
    }
    ~TemporaryFolder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return m_path; }
    // Of a file in it, which need not be there.
    std::string file(const std::string& name) const { return (m_path / name).string(); }

private:
    std::filesystem::path m_path;
};

}  // namespace millrace
