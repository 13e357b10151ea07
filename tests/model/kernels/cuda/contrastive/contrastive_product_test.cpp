#include <cmath>

#include "tests/model/kernels/cuda/contrastive/contrastive_test.hpp"

namespace gausscse {
namespace {

/// A case of the joint similarity that may be computed by matrix products, with rows that lie apart.
Case product_case(std::int64_t batch, std::int64_t dimension, std::int64_t begin, std::int64_t end,
                  ContrastiveTerms terms) {
  Case c{batch, dimension, begin, end, joint, terms};
  c.least_for_products = 1;
  // Products take all dimensions at once; then differences do, too.
  c.most_blocks = 1;
  c.log_var_spread = 0.3;
  return c;
}

/// Returns rows of which each example's second lies about `share` of their spread from the first, as after training.
std::vector<float> trained_rows(const Case& c, double share) {
  std::vector<float> rows = rows_of<float>(c);
  const auto role = static_cast<std::size_t>(c.batch * 2 * c.dimension);
  for (std::size_t i = 0; i < role; ++i)
    rows[role + i] = rows[i] + static_cast<float>(share) * (rows[role + i] - rows[2 * role + i]);
  return rows;
}

/// Returns the largest error of a gradient, as a share of its largest number.
double error_of(const std::vector<float>& gradient, const std::vector<double>& expected) {
  double error = 0, largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    error = std::max(error, std::abs(as_double(gradient[i]) - expected[i]));
    largest = std::max(largest, std::abs(expected[i]));
  }
  return error / largest;
}

/// Checks the loss with float64, and that it was computed by products or not. Own candidates that are very close, of a
/// loss near its least, leave differences of nearly equal numbers: float32 then has larger errors in any form.
void expect_loss_by(bool products, const Case& c, const std::vector<float>& rows) {
  SCOPED_TRACE(c.name());
  Case by_differences = c;
  by_differences.least_for_products = no_products;
  const Result<float> actual = loss_on_gpu<float>(c, rows), other = loss_on_gpu<float>(by_differences, rows);
  const Result<double> expected = loss_on_cpu(c, converted<double>(rows));
  EXPECT_NEAR(actual.loss, expected.loss, 1e-5 * std::max(1.0, std::abs(expected.loss)));
  EXPECT_LE(error_of(actual.gradient, expected.gradient),
            std::max(1e-5, 4 * error_of(other.gradient, expected.gradient)));
  EXPECT_EQ(actual.gradient != other.gradient, products);
}

TEST(CudaContrastiveProduct, LossAndGradientAreThoseOfTheCpu) {
  for (const Case& c : {product_case(70, 80, 0, 70, all_terms), product_case(100, 33, 3, 99, ent_rev),
                        product_case(65, 100, 0, 65, ent_con), product_case(3, 70, 0, 3, ent)}) {
    expect_loss_by(true, c, rows_of<float>(c));
  }
}

TEST(CudaContrastiveProduct, OwnCandidatesMayBeClose) {
  for (const double share : {0.5, 0.02}) {
    const Case c = product_case(70, 80, 1, 69, all_terms);
    expect_loss_by(true, c, trained_rows(c, share));
  }
}

TEST(CudaContrastiveProduct, TemperatureCounts) {
  Case c = product_case(40, 64, 0, 40, all_terms);
  for (const double temperature : {0.02, 0.7}) {
    c.temperature = temperature;
    expect_loss_by(true, c, trained_rows(c, 0.5));
  }
}

TEST(CudaContrastiveProduct, MeansAndLogVariancesMayLieFarFromTheOrigin) {
  Case c = product_case(66, 70, 0, 66, all_terms);
  c.mean = 30;
  c.log_var = -3;
  c.mean_spread = 0.2;
  expect_loss_by(true, c, trained_rows(c, 0.2));
}

TEST(CudaContrastiveProduct, PairsOfFewAnchorsAtOnceGiveTheSame) {
  Case c = product_case(135, 20, 1, 134, all_terms);
  c.most_pairs = 1;
  c.mean_spread = 3;
  c.log_var_spread = 1;
  expect_loss_by(true, c, rows_of<float>(c));
}

TEST(CudaContrastiveProduct, RowsThatAreCloseToEachOtherAreComputedByDifferences) {
  Case c = product_case(40, 20, 0, 40, all_terms);
  c.mean_spread = 0.05;
  c.log_var_spread = 0.05;
  expect_loss_by(false, c, rows_of<float>(c));
}

TEST(CudaContrastiveProduct, ARowFarOutHasAllComputedByDifferences) {
  const Case c = product_case(70, 40, 0, 70, ent);
  const std::size_t width = 80, mean = 90 * width, log_var = mean + 40;  // of row 90 of 140
  for (const bool of_log_var : {false, true}) {
    std::vector<float> rows = rows_of<float>(c);
    for (std::size_t d = 0; d < 40; ++d) rows[(of_log_var ? log_var : mean) + d] = of_log_var ? 3.0f : 8.0f;
    expect_loss_by(false, c, rows);
  }
  std::vector<float> wide = rows_of<float>(c);
  wide[log_var] = 100;
  expect_loss_by(false, c, wide);
}

TEST(CudaContrastiveProduct, NotANumberGivesALossThatIsNone) {
  const Case c = product_case(70, 40, 0, 70, ent);
  for (const std::size_t place : {std::size_t{3}, std::size_t{90 * 80 + 50}}) {
    std::vector<float> rows = rows_of<float>(c);
    rows[place] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(std::isnan(loss_on_gpu(c, rows).loss)) << place;
  }
}

TEST(CudaContrastiveProduct, OrderOfThreadsDoesNotMatter) {
  const Case c = product_case(70, 18, 2, 69, all_terms);
  const std::vector<float> rows = trained_rows(c, 0.1);
  const Result<float> first = loss_on_gpu(c, rows);
  for_each_order([&] {
    const Result<float> again = loss_on_gpu(c, rows);
    EXPECT_EQ(again.loss, first.loss);
    EXPECT_EQ(again.gradient, first.gradient);
  });
}

TEST(CudaContrastiveProduct, BlocksOfCandidatesGiveWhatAllAtOnceDo) {
  const Case c = product_case(100, 60, 3, 97, all_terms);
  const std::vector<float> rows = trained_rows(c, 0.8);
  const std::vector<std::int64_t> ends{2, 70, 100};
  const Blockwise<float> actual(c, rows, ends, GpuCalls<float>(c));
  const Blockwise<double> expected(c, converted<double>(rows), ends, CpuCalls{});
  expect_relative(actual.largest, expected.largest, 1e-5, "largest");
  expect_relative(actual.sum, expected.sum, 1e-5, "sum");
  expect_relative(actual.positive, expected.positive, 1e-5, "positive");
  expect_relative(actual.gradient, expected.gradient, 1e-5, "gradient");
  Case by_differences = c;
  by_differences.least_for_products = no_products;
  const Blockwise<float> other(by_differences, rows, ends, GpuCalls<float>(by_differences));
  EXPECT_NE(actual.sum, other.sum);
  EXPECT_NE(actual.gradient, other.gradient);
}

TEST(CudaContrastiveProduct, ServesFloatsOfTheJointSimilarityFrom512RowsOn) {
  const auto serves = [](std::int64_t anchors, std::int64_t candidates, Similarity kind) {
    kernels::ContrastiveCandidates<float> input{};
    input.anchors = anchors;
    input.candidates = candidates;
    input.similarity = kind;
    return kernels::cuda::products_may_serve(input, {0});
  };
  EXPECT_TRUE(serves(512, 512, joint));
  EXPECT_FALSE(serves(511, 512, joint));
  EXPECT_FALSE(serves(512, 511, joint));
  EXPECT_FALSE(serves(512, 512, per_dimension));
  EXPECT_FALSE(serves(512, 512, Similarity::wasserstein));
  kernels::ContrastiveCandidates<double> doubles{};
  doubles.anchors = doubles.candidates = 512;
  doubles.similarity = joint;
  EXPECT_FALSE(kernels::cuda::products_may_serve(doubles, {0}));
}

/// The similarity of one candidate with anchors that lie around it, of BERT's dimension: by its own softmax.
struct Similarities {
  static constexpr std::int64_t dimension = 768, anchors = 64;
  static constexpr double temperature = 0.05;

  /// Anchor a lies `shares[a]` of the spreads from the candidate.
  Similarities(double mean_spread, double log_var, double log_var_spread, const std::vector<double>& shares) {
    const std::vector<float> base = random_values<float>(2 * dimension, 24),
                             noise = random_values<float>(anchors * 2 * dimension, 23);
    std::vector<float> candidate, rows;
    for (std::int64_t k = 0; k < 2 * dimension; ++k)
      candidate.push_back(static_cast<float>(k < dimension ? 5.0f * base[k] : log_var + 0.5 * base[k]));
    for (std::int64_t i = 0; i < anchors * 2 * dimension; ++i) {
      const std::int64_t k = i % (2 * dimension);
      const double spread = shares[i / (2 * dimension)] * (k < dimension ? mean_spread : log_var_spread);
      rows.push_back(static_cast<float>(candidate[k] + spread * noise[i]));
    }
    kernels::ContrastiveCandidates<float> input{};
    input.anchor_rows[0] = input.anchor_rows[1] = rows.data();
    input.candidate_rows[0] = input.candidate_rows[1] = candidate.data();
    input.anchors = anchors;
    input.candidates = 1;
    input.first_own = -anchors;
    input.dimension = dimension;
    input.temperature = temperature;
    input.similarity = joint;
    std::vector<double> largest(anchors, -std::numeric_limits<double>::infinity()), sum(anchors), positive(anchors);
    GpuOnCpu gpu;
    kernels::cuda::contrastive_see_within<float>(gpu.context(), input, {largest.data(), sum.data(), positive.data()},
                                                 {0, 1});
    for (std::int64_t a = 0; a < anchors; ++a) {
      double kl = 0;
      for (std::int64_t d = 0; d < dimension; ++d) {
        const float* const q = rows.data() + a * 2 * dimension;
        const double difference = double{candidate[d]} - q[d],
                     log_ratio = double{candidate[dimension + d]} - q[dimension + d];
        kl += (std::exp(log_ratio) + difference * difference * std::exp(-double{q[dimension + d]}) - 1 - log_ratio) / 2;
      }
      sums.push_back(2 * kl);
      errors.push_back(std::abs(largest[a] - 1 / (1 + kl)) / temperature);
    }
  }

  std::vector<double> sums;    ///< over dimensions, of 2 kl
  std::vector<double> errors;  ///< errors of similarities divided by the temperature
};

TEST(CudaContrastiveProduct, SimilaritiesBeyondTheLimitAreWithinItsBound) {
  struct Spreads {
    double mean, log_var, log_var_spread;
  };
  for (const Spreads& spreads : {Spreads{0.3, 0, 0.3}, Spreads{0.3, -1, 0.1}, Spreads{1, 0, 0.1}, Spreads{1, -1, 1}}) {
    // From about the limit on, where errors count most.
    std::vector<double> shares;
    for (int a = 0; a < Similarities::anchors; ++a) shares.push_back(0.12 * std::pow(1.05, a));
    const Similarities found(spreads.mean, spreads.log_var, spreads.log_var_spread, shares);
    std::size_t beyond = 0;
    for (std::size_t a = 0; a < found.sums.size(); ++a) {
      if (found.sums[a] < 12) continue;  // computed by differences at any limit
      ++beyond;
      EXPECT_LE(found.errors[a], 1e-5) << "sum " << found.sums[a];
    }
    EXPECT_GE(beyond, 30u);
  }
}

TEST(CudaContrastiveProduct, ClosePairsAreLookedAtAgain) {
  std::vector<double> shares(Similarities::anchors, 3.0);
  shares[5] = 0.001;
  shares[63] = 0.01;
  const Similarities found(0.3, 0, 0.3, shares);
  EXPECT_LT(found.sums[5], 1e-3);
  EXPECT_LT(found.sums[63], 0.1);
  // Products alone would be off by 8e-5.
  for (std::size_t a = 0; a < found.errors.size(); ++a) EXPECT_LE(found.errors[a], 4e-5) << a;
}

}  // namespace
}  // namespace gausscse
