#include "model/kernels/classifier_kernels.hpp"

#include <random>

#include "tests/support/testing.hpp"

namespace gausscse::kernels {
namespace {

using Floats = std::vector<float>;

Floats random_floats(std::size_t count, unsigned seed) {
  std::mt19937 bits(seed);
  std::normal_distribution<float> normal;
  Floats values(count);
  for (float& value : values) value = normal(bits);
  return values;
}

struct Shape {
  std::int64_t stride, rows, columns;
};
const std::vector<Shape> shapes{{16, 1, 1}, {48, 9, 2}, {80, 64, 3}, {32, 7, 4}, {64, 33, 7}, {400, 64, 24}};

std::vector<std::int32_t> some_rows(std::int64_t count) {
  std::vector<std::int32_t> rows;
  for (std::int64_t i = 0; i < count; ++i) rows.push_back(static_cast<std::int32_t>((i * 7) % 50));
  return rows;
}

TEST(ClassifierKernels, ProductsAreThoseOfFloat64) {
  for (const auto& [stride, rows, columns] : shapes) {
    const Floats x = random_floats(static_cast<std::size_t>(50 * stride), 1),
                 weights = random_floats(static_cast<std::size_t>(columns * stride), 2);
    const std::vector<std::int32_t> chosen = some_rows(rows);
    Floats products(static_cast<std::size_t>(rows * columns));
    classifier_kernels().products({x.data(), stride, chosen.data(), rows}, weights.data(), columns, products.data());
    for (std::int64_t c = 0; c < columns; ++c)
      for (std::int64_t r = 0; r < rows; ++r) {
        double expected = 0;
        for (std::int64_t k = 0; k < stride; ++k)
          expected +=
              static_cast<double>(x[static_cast<std::size_t>(chosen[static_cast<std::size_t>(r)] * stride + k)]) *
              static_cast<double>(weights[static_cast<std::size_t>(c * stride + k)]);
        EXPECT_NEAR(products[static_cast<std::size_t>(c * rows + r)], expected, 2e-5 * std::sqrt(stride)) << columns;
      }
    Floats alone(static_cast<std::size_t>(rows));
    classifier_kernels().products({x.data(), stride, chosen.data(), rows}, weights.data() + (columns - 1) * stride, 1,
                                  alone.data());
    EXPECT_EQ(alone, Floats(products.end() - rows, products.end())) << "bits beside other columns";
  }
}

TEST(ClassifierKernels, WeightedSumsAreThoseOfFloat64) {
  for (const auto& [stride, rows, columns] : shapes) {
    const Floats x = random_floats(static_cast<std::size_t>(50 * stride), 3),
                 factors = random_floats(static_cast<std::size_t>(columns * rows), 4);
    const std::vector<std::int32_t> chosen = some_rows(rows);
    Floats slopes(static_cast<std::size_t>(columns * stride));
    classifier_kernels().weighted_sums({x.data(), stride, chosen.data(), rows}, factors.data(), columns, slopes.data());
    for (std::int64_t c = 0; c < columns; ++c)
      for (std::int64_t k = 0; k < stride; ++k) {
        double expected = 0;
        for (std::int64_t r = 0; r < rows; ++r)
          expected +=
              static_cast<double>(x[static_cast<std::size_t>(chosen[static_cast<std::size_t>(r)] * stride + k)]) *
              static_cast<double>(factors[static_cast<std::size_t>(c * rows + r)]);
        EXPECT_NEAR(slopes[static_cast<std::size_t>(c * stride + k)], expected, 2e-5 * std::sqrt(rows)) << columns;
      }
    Floats alone(static_cast<std::size_t>(stride));
    classifier_kernels().weighted_sums({x.data(), stride, chosen.data(), rows}, factors.data() + (columns - 1) * rows,
                                       1, alone.data());
    EXPECT_EQ(alone, Floats(slopes.end() - stride, slopes.end())) << "bits beside other columns";
  }
}

TEST(ClassifierKernels, SlopesOfSoftmaxAndOfSigmoid) {
  constexpr std::int64_t count = 19, classes = 3;
  const Floats logits = random_floats(classes * count, 5);
  std::vector<std::uint32_t> labels;
  for (std::uint32_t i = 0; i < count; ++i) labels.push_back(i % classes);
  Floats slopes = logits;
  classifier_kernels().softmax_slopes(slopes.data(), labels.data(), classes, count);
  for (std::size_t r = 0; r < count; ++r) {
    double sum = 0;
    for (std::size_t c = 0; c < classes; ++c) sum += std::exp(static_cast<double>(logits[c * count + r]));
    for (std::size_t c = 0; c < classes; ++c)
      EXPECT_NEAR(slopes[c * count + r],
                  (std::exp(static_cast<double>(logits[c * count + r])) / sum - (labels[r] == c)) / count, 1e-7);
  }
  Floats differences{0, 3, -3, 90, -90};
  const std::vector<std::uint32_t> two{1, 0, 1, 1, 0};
  classifier_kernels().sigmoid_slopes(differences.data(), two.data(), 5);
  const std::vector<double> expected{-0.1, 1 / (1 + std::exp(-3.0)) / 5, -1 / (1 + std::exp(-3.0)) / 5, 0, 0};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(differences[i], expected[i], 1e-7) << i;
}

/// Two steps by hand, in float64.
TEST(ClassifierKernels, StepsOfTheOptimizers) {
  const Floats slope{0.5f, -0.25f, 0.0f};
  for (const bool adam : {true, false}) {
    Floats weights{1, -2, 0}, first(3), second(3);
    std::vector<double> w{1, -2, 0}, m(3), v(3);
    for (int step = 1; step <= 2; ++step) {
      const ClassifierUpdate update{slope.data(), -1, 0.1f, 3, weights.data(), first.data(), second.data()};
      if (adam)
        classifier_kernels().adam(update, step);
      else
        classifier_kernels().rmsprop(update);
      for (std::size_t i = 0; i < 3; ++i) {
        const double gradient = -static_cast<double>(slope[i]) + 0.1 * w[i], keep = adam ? 0.999 : 0.99;
        m[i] = 0.9 * m[i] + 0.1 * gradient;
        v[i] = keep * v[i] + (1 - keep) * gradient * gradient;
        if (adam)
          w[i] -= 1e-3 * (m[i] / (1 - std::pow(0.9, step))) / (std::sqrt(v[i] / (1 - std::pow(0.999, step))) + 1e-8);
        else
          w[i] -= 1e-2 * gradient / (std::sqrt(v[i]) + 1e-8);
        EXPECT_NEAR(weights[i], w[i], 3e-7) << step << " " << i;
      }
    }
    EXPECT_EQ(weights[2], 0) << "what has no slope stays";
  }
}

}  // namespace
}  // namespace gausscse::kernels
