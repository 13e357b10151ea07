#include "inference/pair_scores.hpp"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include "base/strict_json.hpp"
#include "evaluation/sts/sts_task.hpp"
#include "model/objective/similarity.hpp"
#include "tests/model/similarities/closed_form.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

const std::vector<RowPair> pairs{{0, 1}, {2, 0}, {1, 1}};

TEST(CosineScores, AreCosinesOfTheFirstColumns) {
  at::manual_seed(3);
  const at::Tensor rows = at::randn({3, 8}, at::kFloat);
  const std::vector<double> scores = cosine_scores(rows, 5, pairs);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const at::Tensor p = rows[pairs[i].first].narrow(0, 0, 5).to(at::kDouble);
    const at::Tensor q = rows[pairs[i].second].narrow(0, 0, 5).to(at::kDouble);
    EXPECT_NEAR(scores[i], (p.dot(q) / p.norm() / q.norm()).item<double>(), 1e-14);
  }
}

TEST(CosineScores, OfAZeroRowIsZero) {
  const at::Tensor rows = at::zeros({3, 4}, at::kFloat);
  EXPECT_EQ(cosine_scores(rows, 4, pairs), (std::vector<double>{0, 0, 0}));
}

/// Rows that are equal, or equal but for their sign, or multiples: their rounded differences are no order.
TEST(CosineScores, OfEqualRowsAreExactlyOne) {
  at::manual_seed(4);
  constexpr std::int64_t rows_each = 200, width = 37;
  const at::Tensor first = at::randn({rows_each, width}, at::kFloat);
  const at::Tensor rows = at::cat({first, first, -first}).contiguous();
  std::vector<RowPair> equal, opposite;
  for (std::uint32_t i = 0; i < rows_each; ++i) {
    equal.push_back({i, i + static_cast<std::uint32_t>(rows_each)});
    opposite.push_back({i, i + 2 * static_cast<std::uint32_t>(rows_each)});
  }
  const std::vector<double> ones(rows_each, 1.0), minus_ones(rows_each, -1.0);
  EXPECT_EQ(cosine_scores(rows, width, equal), ones);
  EXPECT_EQ(cosine_scores(rows, width, opposite), minus_ones);
  EXPECT_EQ(cosine_scores(rows, 5, equal), ones);
  EXPECT_EQ(pair_similarities(rows, width, equal, {}).cosine, ones);
  EXPECT_EQ(pair_similarities(rows, width, equal, {}).euclidean, std::vector<double>(rows_each, 0.0));
  const at::Tensor floats = pairwise_similarity(first, first.clone(), Similarity::cosine);
  EXPECT_TRUE(floats.eq(1).all().item<bool>());
}

TEST(SymmetricScores, OfEqualGaussiansAreExactlyOne) {
  at::manual_seed(5);
  constexpr std::int64_t rows_each = 200, dimension = 19;
  const at::Tensor first = at::randn({rows_each, 2 * dimension}, at::kFloat) * 3;
  const at::Tensor rows = at::cat({first, first}).contiguous();
  std::vector<RowPair> equal;
  for (std::uint32_t i = 0; i < rows_each; ++i) equal.push_back({i, i + static_cast<std::uint32_t>(rows_each)});
  for (const Similarity kind : all_similarities()) {
    EXPECT_EQ(symmetric_scores(rows, kind, equal), std::vector<double>(rows_each, 1.0));
    EXPECT_TRUE(pairwise_similarity(first, first.clone(), kind).eq(1).all().item<bool>()) << name_of(kind);
  }
}

/// KL(p || q) of one dimension, by its formula.
double divergence(double mean_p, double log_var_p, double mean_q, double log_var_q) {
  const double std_p = std::exp(log_var_p / 2), std_q = std::exp(log_var_q / 2);
  const double ratio = std_p / std_q, difference = (mean_p - mean_q) / std_q;
  return (ratio * ratio + difference * difference - 1 - 2 * std::log(ratio)) / 2;
}

TEST(SymmetricScores, AreOfTheMeanOfBothDivergences) {
  constexpr std::int64_t dimension = 4;
  at::manual_seed(3);
  const at::Tensor rows = at::randn({3, 2 * dimension}, at::kFloat);
  for (const Similarity kind : {Similarity::per_dimension, Similarity::joint}) {
    const std::vector<double> scores = symmetric_scores(rows, kind, pairs);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const float* p = rows.const_data_ptr<float>() + pairs[i].first * 2 * dimension;
      const float* q = rows.const_data_ptr<float>() + pairs[i].second * 2 * dimension;
      double sum = 0, mean = 0;
      for (std::int64_t d = 0; d < dimension; ++d) {
        const double mean_p = static_cast<double>(p[d]), log_p = static_cast<double>(p[dimension + d]);
        const double mean_q = static_cast<double>(q[d]), log_q = static_cast<double>(q[dimension + d]);
        const double both = (divergence(mean_p, log_p, mean_q, log_q) + divergence(mean_q, log_q, mean_p, log_p)) / 2;
        sum += both;
        mean += 1 / (1 + both) / dimension;
      }
      EXPECT_NEAR(scores[i], kind == Similarity::joint ? 1 / (1 + sum) : mean, 1e-12);
    }
    EXPECT_DOUBLE_EQ(scores[2], 1);
  }
}

TEST(SymmetricScores, AreTheSimilarityItselfWhereItHasNoDirection) {
  // W2^2 of the first two rows: (3 - 1)^2 + (e - 1)^2 and (0.5 - 0.25)^2 + 0.
  const at::Tensor rows = at::tensor({3.0f, 0.5f, 2.0f, 0.0f, 1.0f, 0.25f, 0.0f, 0.0f}).view({2, 4});
  const std::vector<RowPair> both_orders{{0, 1}, {1, 0}};
  const double distance = 4 + std::pow(std::exp(1.0) - 1, 2) + 0.0625;
  for (const double score : symmetric_scores(rows, Similarity::wasserstein, both_orders))
    EXPECT_NEAR(score, 1 / (1 + distance), 1e-15);
}

TEST(StsMetrics, AreOfAllPairsAndOfSubsets) {
  // The first subset's order is perfect, the second's reversed, and together they are neither.
  const std::vector<ScoredSubset> subsets{{"a", {.1, .2, .3, .4}, {1, 2, 3, 4}}, {"b", {.6, .5}, {0, 5}}};
  const std::vector<Metric> metrics = sts_metrics("x_", subsets);
  ASSERT_EQ(metrics.size(), 5u);
  EXPECT_EQ(metrics[0].name, "x_spearman");
  // Ranks 1 2 3 4 6 5 against 2 3 4 5 1 6: squared differences 1 + 1 + 1 + 1 + 25 + 1.
  EXPECT_NEAR(metrics[0].value, 1 - 6 * 30 / (6.0 * 35), 1e-12);
  EXPECT_EQ(metrics[1].name, "x_spearman_mean");
  EXPECT_NEAR(metrics[1].value, 0, 1e-12);
  EXPECT_EQ(metrics[2].name, "x_spearman_wmean");
  EXPECT_NEAR(metrics[2].value, (4 - 2) / 6.0, 1e-12);
  EXPECT_EQ(metrics[3].name, "x_spearman.a");
  EXPECT_NEAR(metrics[3].value, 1, 1e-12);
  EXPECT_EQ(metrics[4].name, "x_spearman.b");
  EXPECT_NEAR(metrics[4].value, -1, 1e-12);
  EXPECT_EQ(sts_metrics("", std::span(subsets).first(1)).size(), 3u);
}

/// Goldens of scikit-learn; the columns behind `width` do not count.
TEST(PairSimilarities, EqualScikitLearns) {
  const JsonDocument cases = read_strict_json(golden("metrics/mteb_scores.json"));
  ASSERT_GE(cases->size(), 4u);
  for (const auto& each : cases.value()) {
    SCOPED_TRACE(each.at("name"));
    const auto first = each.at("first").get<std::vector<std::vector<float>>>();
    const auto second = each.at("second").get<std::vector<std::vector<float>>>();
    const auto count = static_cast<std::int64_t>(first.size()), width = static_cast<std::int64_t>(first.front().size());
    at::Tensor rows = at::full({2 * count, width + 2}, 7, at::kFloat);
    std::vector<RowPair> of_case;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto index = static_cast<std::size_t>(i);
      rows[2 * i].narrow(0, 0, width).copy_(at::tensor(first[index]));
      rows[2 * i + 1].narrow(0, 0, width).copy_(at::tensor(second[index]));
      of_case.push_back({static_cast<std::uint32_t>(2 * i), static_cast<std::uint32_t>(2 * i + 1)});
    }
    const PairSimilarities similarities = pair_similarities(rows, width, of_case, {1, 2, 3});
    EXPECT_EQ(similarities.own, (std::vector<double>{1, 2, 3}));
    const auto expect_near = [&](const std::vector<double>& values, const char* name) {
      const auto expected = each.at("similarity").at(name).get<std::vector<double>>();
      ASSERT_EQ(values.size(), expected.size()) << name;
      for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-12) << name << " " << i;
    };
    expect_near(similarities.cosine, "cosine_scores");
    expect_near(similarities.dot, "dot_scores");
    expect_near(similarities.manhattan, "manhattan_distances");
    expect_near(similarities.euclidean, "euclidean_distances");
  }
}

/// As that of lengths 1 and 0: |x - 0|^2 / 2 = 1/2.
TEST(PairSimilarities, OfZeroRowsHaveMtebsCosine) {
  const at::Tensor rows = at::tensor({0.0f, 0.0f, 3.0f, 4.0f, 0.0f, 1.0f}).view({3, 2});
  const std::vector<RowPair> of_rows{{0, 1}, {1, 0}, {0, 0}, {1, 2}};
  EXPECT_EQ(pair_similarities(rows, 2, of_rows, {}).cosine, (std::vector<double>{0.5, 0.5, 1, 0.8}));
}

}  // namespace
}  // namespace gausscse
