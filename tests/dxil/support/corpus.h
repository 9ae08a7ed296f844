// SPDX-License-Identifier: Apache-2.0
// Files of data/.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dxil/translate.h"

namespace millrace::dxil {

inline std::vector<uint8_t> readBytes(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file.good()) << path;
    return {std::istreambuf_iterator<char>(file), {}};
}

// A folder or file of data/.
inline std::filesystem::path dataPath(const std::string& name)
{
    return std::filesystem::path(MILLRACE_DXIL_DATA) / name;
}

inline std::filesystem::path corpusFile(const std::string& name)
{
    return dataPath("corpus") / (name + ".dxil");
}

// The compiled files of a folder, without suffix.
inline std::vector<std::string> dxilNames(const std::filesystem::path& folder)
{
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".dxil")
            out.push_back(entry.path().stem().string());
    std::ranges::sort(out);
    return out;
}

// "scalar/bits" for each compiled file of a folder.
inline std::vector<std::string> corpusNames(const std::string& folder)
{
    std::vector<std::string> out;
    for (const std::string& name : dxilNames(dataPath("corpus") / folder))
        out.push_back(folder + "/" + name);
    return out;
}

inline Translation translateFile(const std::string& name, const Options& options = {})
{
    const auto made = translate(readBytes(corpusFile(name)), options);
    EXPECT_TRUE(made) << name << ": " << made.error().text();
    return made ? *made : Translation();
}

}  // namespace millrace::dxil
