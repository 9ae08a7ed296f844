// SPDX-License-Identifier: Apache-2.0
// Runs a libFuzzer target without libFuzzer: every seed as it is, then mutations of them from a fixed seed.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Bytes = std::vector<uint8_t>;

std::vector<Bytes> loadSeeds(const std::filesystem::path& folder)
{
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.is_regular_file())
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());  // the same run every time
    std::vector<Bytes> seeds;
    for (const auto& file : files) {
        std::ifstream in(file, std::ios::binary);
        seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return seeds;
}

// Word-wise, since SPIR-V is words: replaces, swaps, removes, repeats or takes from another seed.
Bytes mutate(const std::vector<Bytes>& seeds, std::mt19937& random)
{
    Bytes bytes = seeds[random() % seeds.size()];
    const Bytes& other = seeds[random() % seeds.size()];
    const int edits = 1 + static_cast<int>(random() % 8);
    for (int i = 0; i < edits && bytes.size() >= 24 && other.size() >= 4; ++i) {
        const size_t at = (random() % (bytes.size() / 4)) * 4;
        const size_t from = (random() % (other.size() / 4)) * 4;
        switch (random() % 6) {
            case 0:
                bytes[at + random() % 4] ^= static_cast<uint8_t>(1u << random() % 8);
                break;
            case 1:
                std::copy_n(other.begin() + static_cast<long>(from), 4, bytes.begin() + static_cast<long>(at));
                break;
            case 2:
                bytes.erase(bytes.begin() + static_cast<long>(at), bytes.begin() + static_cast<long>(at) + 4);
                break;
            case 3:
                bytes.insert(bytes.begin() + static_cast<long>(at), other.begin() + static_cast<long>(from),
                             other.begin() + static_cast<long>(std::min(from + 4 * (1 + random() % 6), other.size())));
                break;
            case 4:
                bytes.resize(at);
                break;
            case 5:
                bytes[at] = static_cast<uint8_t>(random());
                break;
        }
    }
    return bytes;
}

}  // namespace

int main(int argc, char** argv)
{
    double seconds = 10;
    unsigned seed = 1;
    std::vector<Bytes> seeds;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--seconds" && i + 1 < argc) {
            seconds = std::atof(argv[++i]);
        } else if (argument == "--seed" && i + 1 < argc) {
            seed = static_cast<unsigned>(std::atoi(argv[++i]));
        } else if (std::filesystem::is_directory(argument)) {
            for (Bytes& bytes : loadSeeds(argument))
                seeds.push_back(std::move(bytes));
        } else {
            std::fprintf(stderr, "usage: %s [--seconds S] [--seed N] FOLDER...\n", argv[0]);
            return 2;
        }
    }
    if (seeds.empty()) {
        std::fprintf(stderr, "no seeds\n");
        return 2;
    }
    for (const Bytes& bytes : seeds)
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    std::mt19937 random(seed);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    unsigned long runs = 0;
    for (; std::chrono::steady_clock::now() < end; ++runs) {
        const Bytes bytes = mutate(seeds, random);
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
    std::printf("%zu seeds, %lu mutations, seed %u: nothing found\n", seeds.size(), runs, seed);
    return 0;
}
