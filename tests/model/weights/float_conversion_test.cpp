#include <bit>

#include "model/weights/safetensors.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Returns the tensor of these elements, at an odd address.
template <typename Element>
std::vector<float> converted(Dtype dtype, const std::vector<Element>& elements) {
  std::string bytes(1 + elements.size() * sizeof(Element), '\0');
  std::memcpy(bytes.data() + 1, elements.data(), elements.size() * sizeof(Element));
  std::vector<float> values(elements.size());
  copy_to_float32({"t", dtype, {static_cast<std::int64_t>(elements.size())}, std::string_view(bytes).substr(1)},
                  values);
  return values;
}

/// Returns a binary floating-point number by the definition of IEEE 754.
double value_of(unsigned bits, int exponent_bits, int fraction_bits) {
  const unsigned fraction = bits & ((1u << fraction_bits) - 1);
  const int exponent = static_cast<int>(bits >> fraction_bits & ((1u << exponent_bits) - 1));
  const double sign = bits >> (exponent_bits + fraction_bits) & 1 ? -1 : 1;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  if (exponent == (1 << exponent_bits) - 1) {
    return fraction ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp(fraction + (1u << fraction_bits), exponent - bias - fraction_bits);
}

void expect_exact(Dtype dtype, int exponent_bits, int fraction_bits) {
  std::vector<std::uint16_t> all(65536);
  for (unsigned i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  const std::vector<float> values = converted(dtype, all);
  for (unsigned i = 0; i < all.size(); ++i) {
    const double expected = value_of(i, exponent_bits, fraction_bits);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(values[i])) << i;
    } else {
      ASSERT_EQ(values[i], expected) << i;
      ASSERT_EQ(std::signbit(values[i]), std::signbit(expected)) << i;
    }
  }
}

TEST(FloatConversion, EveryHalfIsExact) {
  expect_exact(Dtype::f16, 5, 10);
}

TEST(FloatConversion, EveryBfloat16IsExact) {
  expect_exact(Dtype::bf16, 8, 7);
}

TEST(FloatConversion, Float32KeepsItsBits) {
  const std::vector<float> values = {0.0f, -0.0f, 1.1f, 1e-45f, -3e38f};
  const std::vector<float> result = converted(Dtype::f32, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(result[i]), std::bit_cast<std::uint32_t>(values[i]));
  }
}

TEST(FloatConversion, Float64IsRoundedToNearest) {
  const std::vector<float> result = converted<double>(Dtype::f64, {0.1, -1e-60, 1e300, 1.0 + 0x1p-24, 1.0 + 0x1.8p-24});
  EXPECT_EQ(result[0], 0.1f);
  EXPECT_EQ(result[1], 0.0f);
  EXPECT_EQ(result[2], std::numeric_limits<float>::infinity());
  EXPECT_EQ(result[3], 1.0f) << "a tie goes to even";
  EXPECT_EQ(result[4], 1.0f + 0x1p-23f);
}

TEST(FloatConversion, OtherDtypesAreRefusedByName) {
  EXPECT_TRUE(says(refusal_of([] { converted<std::int32_t>(Dtype::i32, {1}); }), "\"t\" has the dtype I32"));
  EXPECT_THROW(converted<std::uint8_t>(Dtype::f8_e4m3, {1}), InputError);
}

TEST(FloatConversion, AWrongSizeIsCaught) {
  std::vector<float> two(2);
  EXPECT_THROW(copy_to_float32({"t", Dtype::f32, {1}, "1234"}, two), std::logic_error);
}

TEST(FloatConversion, CountsNonFiniteValues) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {0, 3e38f, -3e38f, 1e-45f, infinity, -infinity, std::nanf(""), -std::nanf("")};
  EXPECT_EQ(count_non_finite(values), 4u);
  EXPECT_EQ(count_non_finite({}), 0u);

  // Larger than a part, with bad values on both sides of a border.
  for (const std::size_t size : {std::size_t{5}, std::size_t{1} << 14, std::size_t{40'000}}) {
    std::vector<double> doubles(size);
    for (std::size_t i = 0; i < size; ++i) doubles[i] = 0.25 * static_cast<double>(i);
    for (const std::size_t i : {std::size_t{0}, std::size_t{16'383}, std::size_t{16'384}, std::size_t{39'999}})
      if (i < size) doubles[i] = std::numeric_limits<double>::infinity();
    const std::string_view bytes{reinterpret_cast<const char*>(doubles.data()), size * sizeof(double)};
    std::vector<float> read(size);
    EXPECT_EQ(copy_and_count_non_finite({"t", Dtype::f64, {static_cast<std::int64_t>(size)}, bytes}, read),
              size == 5        ? 1u
              : size == 40'000 ? 4u
                               : 2u);
    EXPECT_TRUE(std::equal(read.begin(), read.end(), doubles.begin()));
    EXPECT_THROW(copy_and_count_non_finite({"t", Dtype::f64, {1}, bytes.substr(1)}, read), std::logic_error);
  }
}

}  // namespace
}  // namespace gausscse
