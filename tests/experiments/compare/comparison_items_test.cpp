#include "base/content_hash.hpp"
#include "evaluation/metrics/correlation.hpp"
#include "evaluation/retrieval/retrieval_columns.hpp"
#include "evaluation/sts/sts_columns.hpp"
#include "experiments/study/study_records.hpp"
#include "results/result_file.hpp"
#include "tests/experiments/compare/compared_results.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Each gets its own gold but for the last pairs, which the second has the wrong way round.
TEST(Comparison, DrawsPairsOfCorrelationsToo) {
  std::vector<double> gold, right, wrong;
  for (int i = 0; i < 40; ++i) {
    gold.push_back(i);
    right.push_back(i);
    wrong.push_back(i < 30 ? i : 69 - i);
  }
  const auto measured = [&](const std::vector<double>& cosine) {
    return Measurement{"stsb",
                       "sts",
                       false,
                       {{"spearman", spearman(cosine, gold)}, {"pairs", 40, Unit::count}},
                       {{sts_columns::cosine, cosine},
                        {sts_columns::gold, gold},
                        {sts_columns::subset, std::vector<std::int64_t>(40, 0)}},
                       ""};
  };
  const Comparison comparison = compare_results(result_of({measured(right)}), result_of({measured(wrong)}));
  const nlohmann::json metric = find(comparison, "stsb", "spearman");
  ASSERT_TRUE(metric.contains("bootstrap"));
  // A is 1 in every draw, so that B - A is at most 0, and below it where one of the last ten is drawn against another.
  EXPECT_LT(metric["bootstrap"]["low"], metric["difference"]);
  EXPECT_GT(metric["bootstrap"]["high"], metric["difference"]);
  EXPECT_LT(metric["bootstrap"]["high"], 0);
  EXPECT_LT(metric["bootstrap"]["p"], 0.001);
  EXPECT_FALSE(metric.contains("mcnemar")) << "McNemar's test is of shares";
  EXPECT_FALSE(find(comparison, "stsb", "pairs").contains("bootstrap"));
  gold[0] = 40;
  const Comparison other = compare_results(result_of({measured(right)}), result_of({[&] {
                                             Measurement old = measured(wrong);
                                             old.columns.clear();
                                             return old;
                                           }()}));
  EXPECT_FALSE(find(other, "stsb", "spearman").contains("bootstrap")) << "one result has no columns";
}

/// The second finds ten of forty queries' documents later.
TEST(Comparison, DrawsQueriesOfRetrieval) {
  const auto measured = [](double of_ten, double documents) {
    std::vector<std::string> names;
    std::vector<double> reciprocal;
    for (int i = 0; i < 40; ++i) {
      names.push_back(concat("q", i));
      reciprocal.push_back(i < 10 ? of_ten : 0.5);
    }
    const double mean = std::accumulate(reciprocal.begin(), reciprocal.end(), 0.0) / 40;
    return Measurement{"found",
                       "retrieval",
                       false,
                       {{"mrr_at_10", mean}, {"queries", 40, Unit::count}, {"documents", documents, Unit::count}},
                       {{retrieval_columns::query, names},
                        {retrieval_columns::relevant, std::vector<std::int64_t>(40, 1)},
                        {"mrr_at_10", reciprocal}},
                       ""};
  };
  const Comparison comparison = compare_results(result_of({measured(1, 90)}), result_of({measured(0.25, 90)}));
  const nlohmann::json metric = find(comparison, "found", "mrr_at_10");
  ASSERT_TRUE(metric.contains("bootstrap"));
  EXPECT_NEAR(metric["difference"], -0.75 / 4, 1e-12);
  EXPECT_LT(metric["bootstrap"]["low"], metric["difference"]);
  EXPECT_GT(metric["bootstrap"]["high"], metric["difference"]);
  EXPECT_LT(metric["bootstrap"]["high"], 0);
  EXPECT_FALSE(find(comparison, "found", "queries").contains("bootstrap"));
  EXPECT_TRUE(says(refusal_of([&] { compare_results(result_of({measured(1, 90)}), result_of({measured(1, 91)})); }),
                   "one has 90 documents, the other 91"));
}

TEST(Comparison, IsRefusedOfOtherItems) {
  const auto refusal = [](const Measurement& a, const Measurement& b) {
    return refusal_of([&] { compare_results(result_of({a}), result_of({b})); });
  };
  const Measurement snli = with_wrong("snli", {1});
  EXPECT_TRUE(says(refusal(snli, with_wrong("snli", {1}, 14)), "their pairs have other labels: they are not the same"));
  EXPECT_TRUE(says(refusal(snli, with_wrong("mnli", {1})), "there is nothing to compare: "));
  Measurement sts = snli;
  sts.kind = "sts";
  EXPECT_TRUE(says(refusal(snli, sts), "one is of the kind nli, the other of sts"));
  sts.columns.clear();
  Measurement longer = sts;
  longer.metrics[0].value = 13;
  EXPECT_TRUE(says(refusal(sts, longer), "one has 12 pairs, the other 13"));
  EXPECT_EQ(refusal(sts, sts), "accepted");
}

TEST(Comparison, DoesNotTestItemsThatWereCountedOtherwise) {
  Measurement keep = with_wrong("snli", {0}), drop = keep;
  for (Measurement* each : {&keep, &drop}) {
    std::get<std::vector<std::uint8_t>>(each->columns[5].values)[2] = 1;
    std::get<std::vector<std::uint8_t>>(each->columns[4].values)[1] = 3;
  }
  drop.metrics[3].value = 5;  // directed pairs, without the one that entails both ways
  const Comparison comparison = compare_results(result_of({keep}), result_of({drop}));
  EXPECT_TRUE(find(comparison, "snli", "accuracy").contains("mcnemar"));
  EXPECT_FALSE(find(comparison, "snli", "direction_sim").contains("mcnemar"));
  EXPECT_FALSE(find(comparison, "snli", "direction_sim").contains("bootstrap"));
  EXPECT_TRUE(has_note(comparison, "2 pairs of trials were not tested: they were not measured on the same items"));
  EXPECT_TRUE(has_note(comparison, "counted 5 pairs in one result and 6 in the other"));
}

}  // namespace
}  // namespace gausscse
