#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cfenv>

#include "base/philox.hpp"
#include "model/kernels/block_layouts.hpp"
#include "tests/support/testing.hpp"

namespace gausscse::kernels {
namespace {

using Multiply = decltype(BlockLayouts::multiply);

float wide(Bfloat16 x) {
  return std::bit_cast<float>(std::uint32_t{x.bits} << 16);
}
float flushed(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}
bool same_number(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) || (std::isnan(a) && std::isnan(b));
}

/// Distribution of a factor's numbers.
enum class Kind { usual, cancelling, denormal, huge, any };
constexpr Kind all_kinds[] = {Kind::usual, Kind::cancelling, Kind::denormal, Kind::huge, Kind::any};

Bfloat16 draw(PhiloxStream& stream, Kind kind) {
  const std::uint32_t bits = stream.next(), sign_and_fraction = bits & 0x807F, any_exponent = bits >> 16 & 0xFF;
  switch (kind) {
    case Kind::usual:
      return {static_cast<std::uint16_t>(sign_and_fraction | (120 + any_exponent % 12) << 7)};
    case Kind::cancelling:  // few different numbers, so that sums vanish and leave roundings
      return {static_cast<std::uint16_t>((sign_and_fraction & 0x8001) | (126 + any_exponent % 2) << 7)};
    case Kind::denormal:  // denormal numbers, and numbers whose products are
      return {static_cast<std::uint16_t>(sign_and_fraction | (any_exponent % 2 ? any_exponent % 3 : 62) << 7)};
    case Kind::huge:  // sums overflow
      return {static_cast<std::uint16_t>(sign_and_fraction | (187 + any_exponent % 5) << 7)};
    case Kind::any:  // with infinities and NaN
      return {static_cast<std::uint16_t>(sign_and_fraction | any_exponent << 7)};
  }
  return {};
}

/// A product with gaps between the rows of its left factor and of itself.
struct BlockCase {
  std::int64_t rows, depth, columns;
  bool accumulate = false;
  Kind kind = Kind::usual;
  std::int64_t left_stride = depth + 6, out_stride = columns + 3;
  std::vector<Bfloat16> left = drawn(rows * left_stride, 1), panel = drawn(depth * block_size, 2);
  std::vector<float> before = initial();

  std::vector<Bfloat16> drawn(std::int64_t count, std::uint64_t seed) const {
    PhiloxStream stream(seed, static_cast<std::uint64_t>(rows));
    std::vector<Bfloat16> numbers;
    for (std::int64_t i = 0; i < count; ++i) numbers.push_back(draw(stream, kind));
    return numbers;
  }
  std::vector<float> initial() const {
    PhiloxStream stream(3, static_cast<std::uint64_t>(rows));
    std::vector<float> numbers;
    // Without bfloat16's rounding; some are denormal, and added as they are.
    for (std::int64_t i = 0; i < rows * out_stride; ++i)
      numbers.push_back(static_cast<float>(2 * stream.uniform() - 1) * (i % 5 ? 1.0f : 1e-39f));
    return numbers;
  }
  Bfloat16 left_at(std::int64_t r, std::int64_t k) const { return left[static_cast<std::size_t>(r * left_stride + k)]; }
  Bfloat16 right_at(std::int64_t k, std::int64_t c) const {
    return panel[static_cast<std::size_t>((k / 2 * block_size + c) * 2 + k % 2)];
  }

  /// Returns an element's sum as vdpbf16ps is defined.
  float sum(std::int64_t r, std::int64_t c) const {
    float sum = 0;
    for (std::int64_t pair = 0; pair < depth; pair += 2)
      for (const std::int64_t k : {pair + 1, pair})
        sum = flushed(std::fma(flushed(wide(left_at(r, k))), flushed(wide(right_at(k, c))), sum));
    return sum;
  }

  std::vector<float> product(Multiply multiply) const {
    std::vector<float> out = before;
    multiply({.left = left.data(),
              .left_stride = left_stride,
              .rows = rows,
              .depth = depth,
              .panel = panel.data(),
              .columns = columns,
              .out = out.data(),
              .out_stride = out_stride,
              .accumulate = accumulate});
    return out;
  }

  std::string name() const {
    return std::to_string(rows) + " x " + std::to_string(depth) + " x " + std::to_string(columns) +
           (accumulate ? ", added" : "") + ", kind " + std::to_string(static_cast<int>(kind));
  }
};

/// Tests of each kernel alone.
class BlockMultiply : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    multiply_ = GetParam() ? block_layouts().multiply_by_fma : block_layouts().multiply;
    if (!multiply_) GTEST_SKIP() << "needs a processor with instructions for bfloat16";
  }
  Multiply multiply_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(Kernels, BlockMultiply, testing::Bool(),
                         [](const auto& by_fma) { return by_fma.param ? "fma" : "vdpbf16ps"; });

/// Each number of rows and of columns that a tile can leave, and depths that leave a rest of the part that is widened
/// at a time.
TEST_P(BlockMultiply, AddsAPairsSecondProductBeforeItsFirst) {
  for (std::int64_t rows = 1; rows <= block_size; ++rows)
    for (const Kind kind : all_kinds) {
      const BlockCase c{.rows = rows,
                        .depth = 2 + rows * 14 % 138,
                        .columns = 1 + rows * 23 % block_size,
                        .accumulate = (rows + static_cast<int>(kind)) % 2 == 0,
                        .kind = kind};
      const std::vector<float> out = c.product(multiply_);
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t i = 0; i < c.out_stride; ++i) {
          const auto place = static_cast<std::size_t>(r * c.out_stride + i);
          const float before = c.before[place];
          const float expected = i >= c.columns ? before : c.accumulate ? before + c.sum(r, i) : c.sum(r, i);
          ASSERT_TRUE(same_number(out[place], expected))
              << c.name() << ", row " << r << ", column " << i << ": " << out[place] << " instead of " << expected;
        }
    }
}

TEST_P(BlockMultiply, IsNearFloat64) {
  const BlockCase c{.rows = 64, .depth = 1536, .columns = 64};
  const std::vector<float> out = c.product(multiply_);
  for (std::int64_t r = 0; r < c.rows; ++r)
    for (std::int64_t i = 0; i < c.columns; ++i) {
      double sum = 0, magnitude = 0;
      for (std::int64_t k = 0; k < c.depth; ++k) {
        const double product = double{wide(c.left_at(r, k))} * double{wide(c.right_at(k, i))};
        sum += product;
        magnitude += std::abs(product);
      }
      ASSERT_NEAR(out[static_cast<std::size_t>(r * c.out_stride + i)], sum, magnitude * std::ldexp(1.0, -24) * 64);
    }
}

/// The caller may round otherwise; its mode is back afterwards.
TEST_P(BlockMultiply, RoundsToTheNearestInAnyMode) {
  const BlockCase c{.rows = 13, .depth = 66, .columns = 40};
  const std::vector<float> expected = c.product(multiply_);
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  const std::vector<float> out = c.product(multiply_);
  const int mode = std::fegetround();
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(mode, FE_UPWARD);
  EXPECT_EQ(out, expected);
  volatile float denormal = 1e-39f;
  EXPECT_NE(denormal * 2.0f, 0.0f) << "denormal numbers count again";
}

/// Both factors end where memory that may be read ends.
TEST_P(BlockMultiply, ReadsNothingBehindItsFactors) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)), size = 8 * page;
  const auto begin = [&] {
    return static_cast<char*>(::mmap(nullptr, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  };
  char* const memory[] = {begin(), begin()};
  for (char* const mapped : memory) {
    ASSERT_NE(mapped, MAP_FAILED);
    ASSERT_EQ(::mprotect(mapped + size, page, PROT_NONE), 0);
  }
  for (const std::int64_t depth : {2, 34, 70})
    for (const std::int64_t rows : {1, 6, 9}) {
      const BlockCase c{.rows = rows, .depth = depth, .columns = 64, .left_stride = depth};
      const auto at_end = [&](char* mapped, const std::vector<Bfloat16>& values) {
        const std::size_t bytes = values.size() * sizeof(Bfloat16);
        return static_cast<const Bfloat16*>(std::memcpy(mapped + size - bytes, values.data(), bytes));
      };
      std::vector<float> out = c.before;
      multiply_({.left = at_end(memory[0], c.left),
                 .left_stride = depth,
                 .rows = rows,
                 .depth = depth,
                 .panel = at_end(memory[1], c.panel),
                 .columns = 64,
                 .out = out.data(),
                 .out_stride = c.out_stride,
                 .accumulate = false});
      EXPECT_EQ(out, c.product(multiply_)) << c.name();
    }
  for (char* const mapped : memory) ::munmap(mapped, size + page);
}

/// So the choice between the kernels changes no result.
TEST(BlockMultiplyKernels, GiveTheSameBits) {
  const BlockLayouts& layouts = block_layouts();
  if (!layouts.multiply || !layouts.multiply_by_fma) GTEST_SKIP() << "needs a processor with instructions for bfloat16";
  for (const std::int64_t depth : {2, 32, 62, 64, 66, 96, 130, 384})
    for (const Kind kind : all_kinds) {
      BlockCase c{.rows = block_size, .depth = depth, .columns = block_size, .kind = kind};
      for (c.rows = 1; c.rows <= block_size; ++c.rows)
        for (const std::int64_t columns : {1, 17, 48, 63, 64})
          for (const bool accumulate : {false, true}) {
            c.columns = columns, c.accumulate = accumulate;
            const std::vector<float> out = c.product(layouts.multiply), by_fma = c.product(layouts.multiply_by_fma);
            for (std::size_t i = 0; i < out.size(); ++i)
              if (!same_number(by_fma[i], out[i]))
                FAIL() << c.name() << ", element " << i << ": " << by_fma[i] << " instead of " << out[i];
          }
    }
}

}  // namespace
}  // namespace gausscse::kernels
