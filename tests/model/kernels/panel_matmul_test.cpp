#include "model/kernels/panel_matmul.hpp"

#include "base/philox.hpp"
#include "model/kernels/kernels.hpp"
#include "tests/support/testing.hpp"

namespace gausscse::kernels {
namespace {

constexpr float untouched = 12345.0f;

std::vector<float> random_floats(std::int64_t count, std::uint64_t seed) {
  PhiloxStream stream(seed, 1);
  std::vector<float> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(static_cast<float>(2 * stream.uniform() - 1));
  return out;
}

/// A product with gaps between the rows of its factors and of itself.
struct Case {
  std::int64_t rows, depth, columns;
  std::int64_t left_stride = depth + 3, right_stride = columns + 1, out_stride = columns + 2;
  std::vector<float> left = random_floats(rows * left_stride, 1), right = random_floats(depth * right_stride, 2),
                     bias = random_floats(columns, 3);

  float left_at(std::int64_t r, std::int64_t k) const { return left[static_cast<std::size_t>(r * left_stride + k)]; }
  float right_at(std::int64_t k, std::int64_t c) const { return right[static_cast<std::size_t>(k * right_stride + c)]; }

  /// Returns an element as it is defined: in the order of the depth, with one rounding a step where there are
  /// instructions for that.
  float expected(std::int64_t r, std::int64_t c) const {
    const bool rounds_once = std::string_view(kernel_table<float>().instruction_set) != "generic";
    float sum = 0;
    for (std::int64_t k = 0; k < depth; ++k)
      sum = rounds_once ? std::fma(left_at(r, k), right_at(k, c), sum) : sum + left_at(r, k) * right_at(k, c);
    return sum;
  }

  std::vector<float> product(const float* added) const {
    std::vector<float> panel(static_cast<std::size_t>(depth * panel_width)),
        out(static_cast<std::size_t>(rows * out_stride), untouched);
    panel_matmul().pack(right.data(), right_stride, depth, columns, panel.data());
    panel_matmul().multiply({.left = left.data(),
                             .left_stride = left_stride,
                             .rows = rows,
                             .depth = depth,
                             .panel = panel.data(),
                             .bias = added,
                             .columns = columns,
                             .out = out.data(),
                             .out_stride = out_stride});
    return out;
  }
};

/// Each number of rows and of columns that a tile can leave.
TEST(PanelMatmul, AddAnElementUpInTheOrderOfItsDepth) {
  for (std::int64_t rows = 1; rows <= 20; ++rows)
    for (std::int64_t columns = 1; columns <= panel_width; ++columns) {
      const Case c{rows, 1 + (rows * 7 + columns) % 37, columns};
      for (const bool with_bias : {false, true}) {
        const std::vector<float> out = c.product(with_bias ? c.bias.data() : nullptr);
        for (std::int64_t r = 0; r < rows; ++r)
          for (std::int64_t i = 0; i < c.out_stride; ++i) {
            const float here = out[static_cast<std::size_t>(r * c.out_stride + i)];
            const float added = with_bias && i < columns ? c.bias[static_cast<std::size_t>(i)] : 0;
            const float expected = i < columns ? c.expected(r, i) + added : untouched;
#ifdef GAUSSCSE_ADDRESS_SANITIZER
            // Its checks lie between a product and its sum, which are then two instructions.
            ASSERT_NEAR(here, expected, 4e-6f)
#else
            ASSERT_EQ(here, expected)
#endif
                << rows << " x " << c.depth << " x " << columns << ", row " << r << ", column " << i;
          }
      }
    }
}

TEST(PanelMatmul, AreNearThoseOfFloat64) {
  const Case c{65, 1536, panel_width};
  const std::vector<float> out = c.product(nullptr);
  for (std::int64_t r = 0; r < c.rows; ++r)
    for (std::int64_t i = 0; i < c.columns; ++i) {
      double sum = 0;
      for (std::int64_t k = 0; k < c.depth; ++k) sum += double{c.left_at(r, k)} * double{c.right_at(k, i)};
      ASSERT_NEAR(out[static_cast<std::size_t>(r * c.out_stride + i)], sum, 1e-4) << r << ' ' << i;
    }
}

/// A column that holds no number leaves those next to it as they are.
TEST(PanelMatmul, KeepColumnsApart) {
  Case c{9, 5, 7};
  const std::vector<float> before = c.product(nullptr);
  c.right[static_cast<std::size_t>(2 * c.right_stride + 3)] = std::nanf("");
  const std::vector<float> out = c.product(nullptr);
  for (std::int64_t r = 0; r < c.rows; ++r)
    for (std::int64_t i = 0; i < c.columns; ++i) {
      const auto place = static_cast<std::size_t>(r * c.out_stride + i);
      if (i == 3)
        EXPECT_TRUE(std::isnan(out[place]));
      else
        EXPECT_EQ(out[place], before[place]);
    }
}

TEST(PanelMatmul, PackAFactorOrItsTranspose) {
  for (const auto& [depth, columns] : {std::pair{1, 1}, {3, 47}, {16, 48}, {17, 16}, {50, 33}, {384, 48}}) {
    const std::int64_t stride = depth + 5;
    const std::vector<float> transpose = random_floats(columns * stride, 5);
    std::vector<float> x, expected;
    for (std::int64_t k = 0; k < depth; ++k)
      for (std::int64_t c = 0; c < panel_width; ++c) {
        const float value = c < columns ? transpose[static_cast<std::size_t>(c * stride + k)] : 0;
        expected.push_back(value);
        if (c < columns) x.push_back(value);
      }
    const auto floats = static_cast<std::size_t>(depth * panel_width);
    std::vector<float> panel(floats + 1, untouched), of_transpose(floats + 1, untouched);
    panel_matmul().pack(x.data(), columns, depth, columns, panel.data());
    panel_matmul().pack_transposed(transpose.data(), stride, depth, columns, of_transpose.data());
    expected.push_back(untouched);
    EXPECT_EQ(panel, expected) << depth << " x " << columns;
    EXPECT_EQ(of_transpose, expected) << depth << " x " << columns;
  }
}

TEST(PanelMatmul, GeluIsThatOfWholeMatrices) {
  constexpr std::int64_t rows = 3, columns = 37, stride = 40;
  const std::vector<float> x = random_floats(rows * stride, 6), bias = random_floats(columns, 7);
  std::vector<float> gapless, expected(rows * columns), here(rows * stride, untouched);
  for (std::int64_t r = 0; r < rows; ++r) gapless.insert(gapless.end(), &x[r * stride], &x[r * stride] + columns);
  kernel_table<float>().bias_gelu(on_cpu, gapless.data(), bias.data(), rows, columns, expected.data());
  panel_matmul().gelu(x.data(), bias.data(), rows, columns, stride, here.data());
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < stride; ++c)
      EXPECT_EQ(here[static_cast<std::size_t>(r * stride + c)],
                c < columns ? expected[static_cast<std::size_t>(r * columns + c)] : untouched);
}

}  // namespace
}  // namespace gausscse::kernels
