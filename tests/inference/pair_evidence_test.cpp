#include "inference/pair_evidence.hpp"

#include <ATen/ops/empty.h>

#include "base/philox.hpp"
#include "inference/verdict.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Returns rows whose numbers lie in [-1, 1).
at::Tensor drawn_rows(std::int64_t rows, std::int64_t width, std::uint64_t stream) {
  PhiloxStream random(3, stream);
  at::Tensor drawn = at::empty({rows, width}, at::kFloat);
  for (std::int64_t i = 0; i < drawn.numel(); ++i)
    drawn.mutable_data_ptr<float>()[i] = static_cast<float>(2 * random.uniform() - 1);
  return drawn;
}

double value_at(const at::Tensor& rows, std::int64_t row, std::int64_t column) {
  return static_cast<double>(rows.const_data_ptr<float>()[row * rows.size(1) + column]);
}

/// Returns mean over d of 1 / (1 + KL_d(p || q)).
double brute_similarity(const at::Tensor& p, const at::Tensor& q, std::int64_t row) {
  const std::int64_t dimension = p.size(1) / 2;
  double sum = 0;
  for (std::int64_t d = 0; d < dimension; ++d) {
    const double var_p = std::exp(value_at(p, row, dimension + d)), var_q = std::exp(value_at(q, row, dimension + d)),
                 difference = value_at(p, row, d) - value_at(q, row, d);
    sum += 1 / (1 + (var_p / var_q + difference * difference / var_q - 1 - std::log(var_p / var_q)) / 2);
  }
  return sum / static_cast<double>(dimension);
}

TEST(PairEvidence, OfGaussiansIsThatOfBruteForce) {
  constexpr std::int64_t pairs = 7, dimension = 5;
  const at::Tensor first = drawn_rows(pairs, 2 * dimension, 0), second = drawn_rows(pairs, 2 * dimension, 1);
  const std::vector<PairEvidence> evidence = evidence_of_rows(first, second, Similarity::per_dimension);
  ASSERT_EQ(evidence.size(), 7u);
  for (std::int64_t i = 0; i < pairs; ++i) {
    const PairEvidence& pair = evidence[static_cast<std::size_t>(i)];
    double log_vars = 0, product = 0, of_first = 0, of_second = 0;
    for (std::int64_t d = 0; d < dimension; ++d) {
      log_vars += value_at(second, i, dimension + d) - value_at(first, i, dimension + d);
      const double a = value_at(first, i, d), b = value_at(second, i, d);
      product += a * b;
      of_first += a * a;
      of_second += b * b;
    }
    EXPECT_NEAR(pair.forward, brute_similarity(second, first, i), 1e-6) << i;
    EXPECT_NEAR(pair.backward, brute_similarity(first, second, i), 1e-6) << i;
    EXPECT_NEAR(pair.log_var_difference, log_vars / dimension, 1e-12) << i;
    EXPECT_NEAR(pair.cosine.value(), product / std::sqrt(of_first * of_second), 1e-12) << i;
    EXPECT_FALSE(pair.log_length_ratio);
  }
}

TEST(PairEvidence, OfPlainVectorsHasTheirCosineAsSimilarity) {
  const at::Tensor first = drawn_rows(3, 4, 2), second = drawn_rows(3, 4, 3);
  for (std::int64_t i = 0; i < 3; ++i) {
    const PairEvidence pair = evidence_of_rows(first, second, Similarity::cosine)[static_cast<std::size_t>(i)];
    double product = 0, of_first = 0, of_second = 0;
    for (std::int64_t d = 0; d < 4; ++d) {
      const double a = value_at(first, i, d), b = value_at(second, i, d);
      product += a * b;
      of_first += a * a;
      of_second += b * b;
    }
    EXPECT_NEAR(pair.forward, product / std::sqrt(of_first * of_second), 1e-6);
    EXPECT_EQ(pair.backward, pair.forward);
    EXPECT_EQ(pair.log_var_difference, 0);
    EXPECT_EQ(pair.cosine, 0);
  }
}

TEST(Verdict, IsThatAtTheThresholdAndAtTheTolerance) {
  ModelProperties model;
  model.similarity = Similarity::per_dimension;
  EXPECT_STREQ(verdict_of(0.75, 0.5, model, 0), "none");
  model.threshold = 0.75;
  EXPECT_STREQ(verdict_of(0.75, 0.5, model, 0.25), "both");
  EXPECT_STREQ(verdict_of(0.75, 0.5, model, 0.125), "first entails second");
  EXPECT_STREQ(verdict_of(0.5, 0.75, model, 0.125), "second entails first");
  EXPECT_STREQ(verdict_of(0.625, 0.5, model, 0.25), "no entailment");
  model.similarity = Similarity::cosine;
  EXPECT_STREQ(verdict_of(0.75, 0.75, model, 0), "entailment");
}

}  // namespace
}  // namespace gausscse
