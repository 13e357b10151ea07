#include "evaluation/retrieval/hit_calibration.hpp"

#include <ATen/ops/empty.h>

#include "base/content_hash.hpp"
#include "base/philox.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

double logit(double share) {
  return std::log(share / (1 - share));
}

/// Random Gaussians of 2 dimensions: 40 documents, of which the last is equal to the first, and more queries than are
/// compared at once.
class JudgedHits : public testing::Test {
 protected:
  static constexpr std::size_t documents = 40, queries = 2100, width = 4;

  JudgedHits() : rows_(at::empty({documents + queries, width}, at::kFloat)) {
    PhiloxStream random(3, 9);
    auto* const values = rows_.mutable_data_ptr<float>();
    for (std::size_t i = 0; i < (documents + queries) * width; ++i)
      values[i] = static_cast<float>(random.below(2049)) / 1024 - 1;
    std::copy(values, values + width, values + (documents - 1) * width);
    for (std::size_t j = 0; j < documents; ++j) set_.documents.push_back(concat("d", j));
    for (std::size_t i = 0; i < queries; ++i) {
      // Two queries of one text are in one half.
      RetrievalQuery query{
          .name = concat("q", i), .text = concat("q", i / 2 * 2 + (i > 100 ? i % 2 : 0)), .relevant = {}};
      for (std::uint32_t each = 0; each < 3; ++each)
        if (const auto place = static_cast<std::uint32_t>((i * 7 + each * 11) % documents);
            query.relevant.empty() || place != query.relevant.front().document)
          query.relevant.push_back({place, 1});
      if (i % 5 == 0) query.left_out = static_cast<std::uint32_t>((i * 7 + 5) % documents);
      set_.queries.push_back(query);
    }
    for (std::size_t j = 0; j < documents; ++j) document_rows_.push_back(static_cast<std::int64_t>(j));
    for (std::size_t i = 0; i < queries; ++i) query_rows_.push_back(static_cast<std::int64_t>(documents + i));
  }

  /// Returns sim(query || document) or the other way round, by the formula in float64.
  double similarity(std::size_t p, std::size_t q) const {
    const float* const of_p = rows_.const_data_ptr<float>() + p * width;
    const float* const of_q = rows_.const_data_ptr<float>() + q * width;
    double sum = 0;
    for (std::size_t d = 0; d < 2; ++d) {
      const double log_p = of_p[2 + d], log_q = of_q[2 + d], distance = of_p[d] - of_q[d];
      const double kl = 0.5 * (log_q - log_p + (std::exp(log_p) + distance * distance) / std::exp(log_q) - 1);
      sum += 1 / (1 + kl) / 2;
    }
    return sum;
  }

  std::vector<LabelledHit> hits(std::size_t threads = 2) const {
    return labelled_hits({rows_, query_rows_, document_rows_}, set_, Similarity::per_dimension, threads);
  }

  RetrievalSet set_;
  at::Tensor rows_;
  std::vector<std::int64_t> query_rows_, document_rows_;
};

TEST_F(JudgedHits, AreTheBestOfBruteForce) {
  const std::vector<LabelledHit> found = hits();
  ASSERT_EQ(found.size(), queries);
  std::set<std::string> hashes;
  for (const RetrievalQuery& query : set_.queries) hashes.insert(content_hash_of(query.text));
  std::size_t right = 0;
  for (std::size_t i = 0; i < queries; ++i) {
    const RetrievalQuery& query = set_.queries[i];
    std::vector<std::pair<double, std::size_t>> ranking;
    for (std::size_t j = 0; j < documents; ++j)
      if (query.left_out != j) ranking.emplace_back(-similarity(documents + i, j), j);
    std::sort(ranking.begin(), ranking.end());
    const HitEvidence& hit = found[i].evidence;
    const std::size_t best = ranking[0].second;
    EXPECT_NEAR(hit.pair.forward, -ranking[0].first, 1e-12) << i;
    EXPECT_NEAR(hit.pair.backward, similarity(best, documents + i), 1e-12) << i;
    EXPECT_NEAR(hit.second, -ranking[1].first, 1e-12) << i;
    EXPECT_NEAR(hit.last, -ranking[9].first, 1e-12) << i;
    const float* const of_query = rows_.const_data_ptr<float>() + (documents + i) * width;
    const float* const of_best = rows_.const_data_ptr<float>() + best * width;
    EXPECT_NEAR(hit.pair.log_var_difference, (of_query[2] + of_query[3] - of_best[2] - of_best[3]) / 2, 1e-6) << i;
    const bool is_right = std::any_of(query.relevant.begin(), query.relevant.end(),
                                      [&](const RelevantDocument& each) { return each.document == best; });
    EXPECT_EQ(found[i].right, is_right) << i;
    right += is_right;
    const auto place = std::distance(hashes.begin(), hashes.find(content_hash_of(query.text)));
    EXPECT_EQ(found[i].fitted, place % 2 == 0) << i;
  }
  EXPECT_GT(right, 50u);
  const std::vector<LabelledHit> on_one_thread = hits(1);
  for (std::size_t i = 0; i < queries; ++i) EXPECT_EQ(on_one_thread[i].evidence.second, found[i].evidence.second);
}

TEST_F(JudgedHits, LackQueriesWithOneDocument) {
  set_.documents.resize(2);
  document_rows_.resize(2);
  for (RetrievalQuery& query : set_.queries) query.left_out.reset();
  set_.queries[4].left_out = 1;
  EXPECT_EQ(hits().size(), queries - 1);
}

double value_of(const std::vector<Metric>& metrics, const std::string& name) {
  const Metric* metric = find_metric(metrics, name);
  return metric ? metric->value : std::nan("no such metric");
}

TEST_F(JudgedHits, HaveTheMetricsOfTheirProbabilities) {
  const std::vector<LabelledHit> found = hits();
  CalibrationNumbers numbers;
  numbers.of = CalibrationOf::hits;
  numbers.logistic = {{0.5, 1, 0, 0, 0}, {0.5, 1, 1, 1, 1}, {1, 0.5, -0.25, 0, 0}, -1};
  numbers.platt = {1.5, -1};
  numbers.isotonic = {{0, 1}, {0.1, 0.9}};
  numbers.cuts[1] = {{0.4, 100, 0}};
  const Calibration calibration(numbers);
  for (const bool own : {false, true}) {
    SCOPED_TRACE(own);
    const std::vector<Metric> metrics = hit_metrics(calibration, own, found, 2);
    std::vector<std::pair<double, bool>> p;
    for (const LabelledHit& hit : found) {
      if (own && hit.fitted) continue;
      const double best = logit(hit.evidence.pair.forward);
      const double score = -1 + (std::sqrt(best - logit(hit.evidence.second)) - 0.5) / 0.5 +
                           0.5 * (best - logit(hit.evidence.last) - 1) - 0.25 * best;
      p.emplace_back(1 / (1 + std::exp(-score)), hit.right);
    }
    std::sort(p.begin(), p.end(), std::greater<>());
    double nll = 0, brier = 0, area = 0, wrong = 0, answered = 0, errors = 0;
    std::map<int, std::array<double, 3>> bins;
    for (std::size_t k = 0; k < p.size(); ++k) {
      const auto [stated, right] = p[k];
      nll -= std::log(right ? stated : 1 - stated) / static_cast<double>(p.size());
      brier += std::pow(stated - right, 2) / static_cast<double>(p.size());
      wrong += !right;
      area += wrong / static_cast<double>(k + 1) / static_cast<double>(p.size());
      if (stated >= 0.4) {
        ++answered;
        errors += !right;
      }
      auto& bin = bins[static_cast<int>(stated * 10)];
      ++bin[0];
      bin[1] += stated;
      bin[2] += right;
    }
    EXPECT_NEAR(value_of(metrics, "logistic.nll"), nll, 1e-9);
    EXPECT_NEAR(value_of(metrics, "logistic.brier"), brier, 1e-9);
    EXPECT_NEAR(value_of(metrics, "logistic.aurc"), area, 1e-9);
    for (const char* risk : {"5", "10"}) {
      EXPECT_NEAR(value_of(metrics, concat("logistic.answered_", risk)), answered / static_cast<double>(p.size()),
                  1e-12);
      EXPECT_NEAR(value_of(metrics, concat("logistic.error_", risk)), errors / answered, 1e-12);
    }
    EXPECT_EQ(value_of(metrics, "platt.answered_10"), 0);
    ASSERT_GT(bins.size(), 2u);
    for (const auto& [bin, sums] : bins) {
      EXPECT_EQ(value_of(metrics, bin_prefix(bin) + "queries"), sums[0]) << bin;
      EXPECT_NEAR(value_of(metrics, bin_prefix(bin) + "stated"), sums[1] / sums[0], 1e-9) << bin;
      EXPECT_NEAR(value_of(metrics, bin_prefix(bin) + "right"), sums[2] / sums[0], 1e-12) << bin;
    }
    Measurement measurement{.task = "claims", .kind = "retrieval", .metrics = metrics, .columns = {}, .remark = {}};
    const std::string tables = hit_tables({measurement});
    EXPECT_NE(tables.find(concat(bins.begin()->first * 10, " to ", bins.begin()->first * 10 + 10)), std::string::npos);
    // Lines that go on below name the calibrator once more.
    std::istringstream lines(tables);
    std::size_t headings = 0, rows = 0;
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), 100u) << line;
      headings += line.starts_with("best hit  calibrator");
      rows += line.starts_with("claims") && says(line, "  logistic  ");
    }
    EXPECT_GE(headings, 2u);
    EXPECT_EQ(rows, headings);
    measurement.kind = "nli";
    EXPECT_EQ(hit_tables({measurement}), "");
  }
}

/// By a calibration of pairs the probability is that of the pair, and there is no promise.
TEST_F(JudgedHits, HaveTheProbabilitiesOfPairs) {
  const std::vector<LabelledHit> found = hits();
  CalibrationNumbers numbers;
  numbers.platt = {2, -1};
  numbers.isotonic = {{0, 1}, {0.1, 0.9}};
  const std::vector<Metric> metrics = hit_metrics(Calibration(numbers), false, found, 1);
  double brier = 0;
  for (const LabelledHit& hit : found)
    brier += std::pow(1 / (1 + std::exp(1 - 2 * logit(hit.evidence.pair.forward))) - hit.right, 2) / queries;
  EXPECT_NEAR(value_of(metrics, "platt.brier"), brier, 1e-9);
  EXPECT_EQ(find_metric(metrics, "platt.answered_10"), nullptr);
}

}  // namespace
}  // namespace gausscse
