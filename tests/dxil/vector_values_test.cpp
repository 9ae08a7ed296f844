// SPDX-License-Identifier: Apache-2.0
// Native vectors: what the compiled bodies of vectors/ compute on the device, against the same text as C++. By default
// the files that are committed, some lengths for each body and type; with a folder in MILLRACE_VECTORS all that are in
// it (compile_vectors.py makes the full matrix).
#include <array>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>

#include "dxil/support/compute_runner.h"
#include "dxil/support/corpus.h"
#include "dxil/support/vector_reference.h"
#include "harness/vulkan_test.h"

namespace millrace::dxil {

namespace {

using namespace reference;
using Half = _Float16;
using std::vector;

constexpr uint kSlots = 48;
constexpr uint kLanes = 32;

// What one result is: the bytes of its elements, and the type to compare them in.
struct Expected {
    vector<uint8_t> bytes;
    bool ofType = true;  // of the body's type, else words
};

template <typename T>
void append(vector<uint8_t>& out, const T& value)
{
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    out.insert(out.end(), bytes, bytes + sizeof(T));
}

template <typename R, typename T>
Expected expected(const Vec<T>& values, bool ofType)
{
    Expected out{{}, ofType};
    for (const T& value : values.e)
        append(out.bytes, static_cast<R>(value));
    return out;
}

// The bodies, for one type. Their capital words are those of main.hlsl and waves_main.hlsl.
#define PUT(v) results.push_back(expected<T>(v, true))
#define PUTI(v) results.push_back(expected<int32_t>(v, false))
#define PUTU(v) results.push_back(expected<uint>(v, false))
#define PUTB(v) results.push_back(expected<uint>(v, false))
#define PUT4(v) results.push_back(expected<uint>(v, false))
#define PUTS(v) results.push_back(expected<T>(VEC{{v}}, true))
#define PUT1(v) results.push_back(expected<uint>(Vec<uint>{{v}}, false))
#define TO_INT(v) convert<int32_t>(v)
#define TO_UINT(v) convert<uint>(v)
#define CONST(v) T(v)
#define AND(x, y) ((x) & (y))

template <typename T>
struct Body {
    using VEC = Vec<T>;
    uint N;
    vector<Expected> results;

    void runFloat(VEC a, VEC b, VEC c, uint k)
    {
#include "data/vectors/float.hlsl"
    }
    void runClose(VEC a, VEC b, VEC, uint)
    {
#include "data/vectors/close.hlsl"
    }
    void runDouble(VEC a, VEC b, VEC c, uint k)
    {
#include "data/vectors/double.hlsl"
    }
    void runInteger(VEC a, VEC b, VEC c, uint k)
    {
#include "data/vectors/integer.hlsl"
    }
    void runBits(VEC a, VEC b, VEC, uint)
    {
#include "data/vectors/bits.hlsl"
    }
    void runSigns(VEC a, VEC, VEC, uint)
    {
#include "data/vectors/signs.hlsl"
    }
};

// The bodies that look at other lanes: their operand is always a, of which this has that of each lane.
template <typename T>
struct LaneBody {
    using VEC = Vec<T>;
    struct Mask {};
    const vector<VEC>& all;
    uint lane, waveSize;
    vector<Expected> results;
    Mask mask;

    uint first() const { return lane / waveSize * waveSize; }
    bool isSameParity(uint other) const { return (other & 1) == (lane & 1); }

    // Of the lanes [first, last) that count.
    template <typename F, typename Counts>
    VEC fold(uint last, T start, const F& f, const Counts& counts) const
    {
        VEC out{vector<T>(all[lane].size(), start)};
        for (uint l = first(); l < last; ++l)
            if (counts(l))
                out = f(out, all[l]);
        return out;
    }
    static bool everyone(uint) { return true; }
    auto parity() const
    {
        return [this](uint other) { return isSameParity(other); };
    }

    VEC WaveActiveSum(const VEC&) const { return fold(first() + waveSize, T(0), std::plus<VEC>(), everyone); }
    VEC WaveActiveProduct(const VEC&) const { return fold(first() + waveSize, T(1), std::multiplies<VEC>(), everyone); }
    VEC WavePrefixSum(const VEC&) const { return fold(lane, T(0), std::plus<VEC>(), everyone); }
    VEC WavePrefixProduct(const VEC&) const { return fold(lane, T(1), std::multiplies<VEC>(), everyone); }
    VEC WaveMultiPrefixSum(const VEC&, Mask) const { return fold(lane, T(0), std::plus<VEC>(), parity()); }
    VEC WaveMultiPrefixProduct(const VEC&, Mask) const { return fold(lane, T(1), std::multiplies<VEC>(), parity()); }
    VEC WaveActiveMin(const VEC&) const
    {
        VEC out = all[first()];
        for (uint l = first(); l < first() + waveSize; ++l)
            out = min(out, all[l]);
        return out;
    }
    VEC WaveActiveMax(const VEC&) const
    {
        VEC out = all[first()];
        for (uint l = first(); l < first() + waveSize; ++l)
            out = max(out, all[l]);
        return out;
    }
    VEC WaveReadLaneAt(const VEC&, uint which) const { return all[first() + which]; }
    VEC WaveReadLaneFirst(const VEC&) const { return all[first()]; }
    Bools WaveActiveAllEqual(const VEC&) const
    {
        Bools out{vector<uint8_t>(all[lane].size(), 1)};
        for (uint l = first(); l < first() + waveSize; ++l)
            out = out & (all[l] == all[first()]);
        return out;
    }
    Vec<uint> WaveMatch(const VEC&) const
    {
        Vec<uint> out{vector<uint>(4)};
        for (uint l = 0; l < waveSize; ++l)
            out[l / 32] |= (all[first() + l].e == all[lane].e ? 1u : 0u) << l % 32;
        return out;
    }
    VEC WaveActiveBitAnd(const VEC&) const { return fold(first() + waveSize, T(~T(0)), std::bit_and<VEC>(), everyone); }
    VEC WaveActiveBitOr(const VEC&) const { return fold(first() + waveSize, T(0), std::bit_or<VEC>(), everyone); }
    VEC WaveActiveBitXor(const VEC&) const { return fold(first() + waveSize, T(0), std::bit_xor<VEC>(), everyone); }
    VEC WaveMultiPrefixBitAnd(const VEC&, Mask) const { return fold(lane, T(~T(0)), std::bit_and<VEC>(), parity()); }
    VEC WaveMultiPrefixBitOr(const VEC&, Mask) const { return fold(lane, T(0), std::bit_or<VEC>(), parity()); }
    VEC WaveMultiPrefixBitXor(const VEC&, Mask) const { return fold(lane, T(0), std::bit_xor<VEC>(), parity()); }
    VEC QuadReadAcrossX(const VEC&) const { return all[lane ^ 1]; }
    VEC QuadReadAcrossY(const VEC&) const { return all[lane ^ 2]; }
    VEC QuadReadAcrossDiagonal(const VEC&) const { return all[lane ^ 3]; }
    VEC QuadReadLaneAt(const VEC&, uint which) const { return all[(lane & ~3u) + which]; }

    void runWaves(VEC a)
    {
#include "data/vectors/waves.hlsl"
    }
    void runBits(VEC a)
    {
#include "data/vectors/wave_bits.hlsl"
    }
    void runQuads(VEC a)
    {
#include "data/vectors/quads.hlsl"
    }
};

// "float.f32.5.shared"
struct Case {
    std::filesystem::path path;
    std::string body, type;
    uint length = 0;
    bool ofLanes() const { return body == "waves" || body == "wave_bits" || body == "quads"; }
};

Case parse(const std::filesystem::path& path)
{
    Case out{path, "", "", 0};
    std::istringstream parts(path.filename().string());
    std::string length;
    std::getline(parts, out.body, '.');
    std::getline(parts, out.type, '.');
    std::getline(parts, length, '.');
    out.length = static_cast<uint>(std::stoul(length));
    return out;
}

vector<Case> allCases()
{
    const char* folder = std::getenv("MILLRACE_VECTORS");
    vector<Case> out;
    for (const auto& entry : std::filesystem::directory_iterator(folder ? folder : dataPath("vectors")))
        if (entry.path().extension() == ".dxil")
            out.push_back(parse(entry.path()));
    std::ranges::sort(out, {}, &Case::path);
    return out;
}

// Numbers of which sums and products are exact, some of them equal.
template <typename T>
Vec<T> operand(std::mt19937& random, const Case& c, uint which)
{
    Vec<T> out;
    for (uint i = 0; i < c.length; ++i) {
        const uint number = random();
        if constexpr (!kIsFloat<T>) {
            const bool small = number % 3 != 0;
            out.e.push_back(static_cast<T>(small ? number % 23 : uint64_t{number} << 32 | random()));
            if (c.body == "waves")
                out.e.back() = static_cast<T>(number % 3);
        } else if (which == 2 && number % 4 == 0) {
            out.e.push_back(static_cast<T>(number % 8 == 0 ? std::numeric_limits<double>::infinity()
                                                           : std::numeric_limits<double>::quiet_NaN()));
        } else if (c.body == "waves") {
            out.e.push_back(static_cast<T>((number >> 8) % 2 == 0 ? 1 : 2));
        } else {
            out.e.push_back(static_cast<T>((static_cast<int>((number >> 8) % 57) - 28) / 4.0));
        }
    }
    return out;
}

class VectorValues : public harness::VulkanTest {
protected:
    vector<uint> runOn(const Case& c, const vector<uint>& source, uint threads, uint groups)
    {
        Options form;
        form.splitUpTo = m_splitUpTo;
        const auto made = translate(readBytes(c.path), form);
        EXPECT_TRUE(made) << c.path << ": " << made.error().text();
        if (!made)
            return {};
        const Status valid = validate(made->shaders.at(0));
        EXPECT_TRUE(valid) << c.path << ": " << valid.error().text();
        harness::DeviceOptions options;
        options.allFeatures = true;
        ComputeRun run;
        run.words = made->shaders.at(0).words;
        run.buffers[{0, 1000}] = source;
        run.buffers[{0, 0}] = vector<uint>(size_t{threads} * kSlots * c.length * 2, 0xcdcdcdcd);
        run.groups = groups;
        return runCompute(device(options), run).at({0, 0});
    }

    template <typename T>
    void compare(const Case& c, const Expected& wanted, const uint* slot, const std::string& where)
    {
        if (std::memcmp(slot, wanted.bytes.data(), wanted.bytes.size()) == 0)
            return;
        const size_t size = wanted.ofType ? sizeof(T) : 4;
        for (size_t i = 0; i < wanted.bytes.size() / size; ++i) {
            const auto* got = reinterpret_cast<const uint8_t*>(slot) + i * size;
            if (!wanted.ofType) {
                EXPECT_EQ(std::memcmp(got, &wanted.bytes[4 * i], 4), 0) << where << ", element " << i;
                continue;
            }
            T a = 0, b = 0;
            std::memcpy(&a, got, size);
            std::memcpy(&b, &wanted.bytes[i * size], size);
            if constexpr (kIsFloat<T>) {
                // Vulkan wants no more than 2 * 2^-11 of many functions; of halves, half the bits.
                const double limit = c.body != "close" ? 0 : sizeof(T) == 2 ? 0.01 : 0.001;
                EXPECT_NEAR(static_cast<double>(a), static_cast<double>(b),
                            limit * std::max(1.0, std::abs(static_cast<double>(b))))
                    << where << ", element " << i;
            } else {
                EXPECT_EQ(a, b) << where << ", element " << i;
            }
        }
    }

    template <typename T>
    void check(const Case& c);
    template <typename T>
    void checkLanes(const Case& c);
    void checkAll(const vector<Case>& cases);

    uint m_splitUpTo = Options().splitUpTo;
};

template <typename T>
void store(vector<uint>& out, size_t slot, uint length, const Vec<T>& value)
{
    std::memcpy(&out[slot * length * 2], value.e.data(), value.size() * sizeof(T));
}

template <typename T>
vector<Expected> runBody(const Case& c, const Vec<T>& a, const Vec<T>& b, const Vec<T>& third, uint k)
{
    Body<T> body{c.length, {}};
    if constexpr (std::is_same_v<T, double>)
        body.runDouble(a, b, third, k);
    else if constexpr (kIsFloat<T>)
        c.body == "float" ? body.runFloat(a, b, third, k) : body.runClose(a, b, third, k);
    else if (c.body == "integer")
        body.runInteger(a, b, third, k);
    else if constexpr (std::is_unsigned_v<T>)
        body.runBits(a, b, third, k);
    else
        body.runSigns(a, b, third, k);
    return std::move(body.results);
}

template <typename T>
void VectorValues::check(const Case& c)
{
    constexpr uint kGroups = 3;
    std::mt19937 random(c.length);
    vector<uint> source(size_t{kGroups} * 3 * c.length * 2);
    vector<std::array<Vec<T>, 3>> operands(kGroups);
    for (uint k = 0; k < kGroups; ++k) {
        for (uint which = 0; which < 3; ++which) {
            operands[k][which] = operand<T>(random, c, which);
            store(source, 3 * k + which, c.length, operands[k][which]);
        }
    }
    const vector<uint> got = runOn(c, source, kGroups, kGroups);
    for (uint k = 0; k < kGroups && !got.empty(); ++k) {
        auto& [a, b, third] = operands[k];
        a[k % c.length] = b[(k + 1) % c.length];
        const vector<Expected> results = runBody(c, a, b, third, k);
        ASSERT_LE(results.size(), kSlots);
        for (size_t r = 0; r < results.size(); ++r) {
            compare<T>(c, results[r], &got[(k * kSlots + r) * c.length * 2],
                       c.path.filename().string() + ", result " + std::to_string(r) + ", group " + std::to_string(k));
        }
    }
}

template <typename T>
void VectorValues::checkLanes(const Case& c)
{
    std::mt19937 random(c.length);
    vector<uint> source(size_t{kLanes} * c.length * 2);
    vector<Vec<T>> operands(kLanes);
    for (uint k = 0; k < kLanes; ++k) {
        // Some lanes have the vector of another.
        operands[k] = k % 5 == 3 ? operands[k - 2] : operand<T>(random, c, 0);
        store(source, k, c.length, operands[k]);
    }
    const vector<uint> got = runOn(c, source, kLanes, 1);
    const uint waveSize = got.empty() ? 0 : got[0];
    ASSERT_TRUE(waveSize >= 4 && kLanes % waveSize == 0) << waveSize;
    for (uint k = 0; k < kLanes; ++k) {
        LaneBody<T> body{operands, k, waveSize, {}, {}};
        if (c.body == "waves")
            body.runWaves(operands[k]);
        else if constexpr (!kIsFloat<T>)
            c.body == "quads" ? body.runQuads(operands[k]) : body.runBits(operands[k]);
        else
            body.runQuads(operands[k]);
        for (size_t r = 0; r < body.results.size(); ++r) {
            compare<T>(c, body.results[r], &got[(k * kSlots + 1 + r) * c.length * 2],
                       c.path.filename().string() + ", result " + std::to_string(r) + ", lane " + std::to_string(k));
        }
    }
}

void VectorValues::checkAll(const vector<Case>& cases)
{
    const auto run = [&]<typename T>(T, const Case& c) { c.ofLanes() ? checkLanes<T>(c) : check<T>(c); };
    const std::map<std::string, std::function<void(const Case&)>> types = {
        {"f16", [&](const Case& c) { run(Half(), c); }},     {"f32", [&](const Case& c) { run(float(), c); }},
        {"f64", [&](const Case& c) { run(double(), c); }},   {"i16", [&](const Case& c) { run(int16_t(), c); }},
        {"u16", [&](const Case& c) { run(uint16_t(), c); }}, {"i32", [&](const Case& c) { run(int32_t(), c); }},
        {"u32", [&](const Case& c) { run(uint(), c); }},     {"i64", [&](const Case& c) { run(int64_t(), c); }},
        {"u64", [&](const Case& c) { run(uint64_t(), c); }}};
    for (const Case& c : cases)
        types.at(c.type)(c);
}

// In one test, since each shader is little work.
TEST_F(VectorValues, SameAsOnTheCpu)
{
    const vector<Case> cases = allCases();
    EXPECT_GE(cases.size(), std::getenv("MILLRACE_VECTORS") ? 1u : 68u);
    checkAll(cases);
}

// Some of those that are split by default, as arrays.
TEST_F(VectorValues, SameInArrays)
{
    vector<Case> cases = allCases();
    const bool isLongRun = std::getenv("MILLRACE_VECTORS") != nullptr;
    std::erase_if(cases, [&](const Case& c) { return c.length != 8 && !(isLongRun && c.length == 5); });
    m_splitUpTo = 4;
    checkAll(cases);
}

}  // namespace

}  // namespace millrace::dxil
