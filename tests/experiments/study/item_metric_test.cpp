#include "experiments/study/item_metric.hpp"

#include "evaluation/geometry/self_similarity_change.hpp"
#include "evaluation/metrics/correlation.hpp"
#include "evaluation/metrics/metrics.hpp"
#include "evaluation/retrieval/retrieval_columns.hpp"
#include "evaluation/sts/sts_columns.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Items = std::vector<std::uint8_t>;
using Drawn = std::vector<std::uint32_t>;

Measurement nli(bool drop_none, double auprc) {
  return {"snli",
          "nli",
          false,
          {{"pairs", drop_none ? 6.0 : 7.0, Unit::count},
           {"accuracy", drop_none ? 4.0 / 6 : 5.0 / 7},
           {"threshold", 0.5, Unit::number},
           {"auprc", auprc},
           {"directed_pairs", 3, Unit::count}},
          {{"sim_hypothesis_premise", std::vector<float>{0.9f, 0.4f, 0.8f, 0.4f, 0.6f, 0.1f, -0.25f}},
           {"label", Items{0, 0, 1, 2, 0, 3, 1}},
           {"entails_both_ways", Items{0, 0, 0, 0, 0, 0, 0}}},
          ""};
}

TEST(ItemMetric, AuprcIsThatOfThePairsThatAreDrawn) {
  for (const bool drop_none : {false, true}) {
    for (const bool sweep : {false, true}) {
      std::vector<float> scores{0.9f, 0.4f, 0.8f, 0.4f, 0.6f, 0.1f, -0.25f};
      Items positive{1, 1, 0, 0, 1, 0, 0};
      if (drop_none) {
        scores.erase(scores.begin() + 5);
        positive.erase(positive.begin() + 5);
      }
      const auto area = [&](std::span<const float> of, std::span<const std::uint8_t> which) {
        return sweep ? area_under_precision_recall_sweep(of, which) : area_under_precision_recall(of, which);
      };
      const ItemMetric metric = item_metric(nli(drop_none, area(scores, positive)), "auprc");
      ASSERT_EQ(metric.items(), scores.size());
      EXPECT_FALSE(metric.is_mean());
      for (const Drawn& drawn : {Drawn{0, 0, 1, 1, 2, 5}, Drawn{4, 3, 3, 3, 1, 5}, Drawn{5, 2, 2, 0, 4, 4}}) {
        std::vector<float> drawn_scores;
        Items drawn_positive;
        for (const std::uint32_t item : drawn) {
          drawn_scores.push_back(scores[item]);
          drawn_positive.push_back(positive[item]);
        }
        EXPECT_NEAR(metric.on_sample(drawn), area(drawn_scores, drawn_positive), 1e-14);
      }
    }
  }
  EXPECT_TRUE(says(refusal_of([] { item_metric(nli(false, 0.1), "auprc"); }), "do not give its metric"));
}

/// Clusters are those of the counted pairs; the three entailments are of premise 3.
TEST(ItemMetric, ItemsOfOnePremiseAreOneCluster) {
  const std::vector<std::int64_t> premise{3, 3, 7, 7, 3, 8, 9};
  for (const bool drop_none : {false, true}) {
    Measurement measurement = nli(drop_none, 0);
    measurement.metrics.push_back({"direction_sim", 2.0 / 3});
    measurement.columns.push_back(
        {"sim_premise_hypothesis", std::vector<float>{0.1f, 0.2f, 0.3f, 0.4f, 0.9f, 0.6f, 0.7f}});
    EXPECT_EQ(item_metric(measurement, "accuracy").clusters, ItemClusters(drop_none ? 6 : 7)) << "as in old results";
    measurement.columns.push_back({"cluster", premise});
    std::vector<std::int64_t> counted = premise;
    if (drop_none) counted.erase(counted.begin() + 5);
    EXPECT_EQ(item_metric(measurement, "accuracy").clusters, ItemClusters(counted));
    EXPECT_EQ(item_metric(measurement, "direction_sim").clusters, ItemClusters(std::vector<std::int64_t>{3, 3, 3}));
  }
}

using Doubles = std::vector<double>;

/// Two subsets of four and three pairs.
Measurement sts() {
  const Doubles cosine{0.1, 0.9, 0.5, 0.5, 0.7, 0.2, 0.3}, symmetric{0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.7},
      gold{1, 5, 2, 3, 4, 4, 1};
  const auto correlation = [&](const Doubles& scores, std::ptrdiff_t from, std::ptrdiff_t to) {
    return spearman(Doubles(scores.begin() + from, scores.begin() + to),
                    Doubles(gold.begin() + from, gold.begin() + to));
  };
  Measurement measurement{"sts12", "sts", false, {}, {}, ""};
  for (const bool symmetrically : {false, true}) {
    const Doubles& scores = symmetrically ? symmetric : cosine;
    const std::string prefix = symmetrically ? "symmetric_" : "";
    const double first = correlation(scores, 0, 4), second = correlation(scores, 4, 7);
    measurement.metrics.push_back({prefix + "spearman", correlation(scores, 0, 7)});
    measurement.metrics.push_back({prefix + "spearman_mean", (first + second) / 2});
    measurement.metrics.push_back({prefix + "spearman_wmean", (4 * first + 3 * second) / 7});
    measurement.metrics.push_back({prefix + "spearman.first", first});
  }
  measurement.columns = {{sts_columns::cosine, cosine},
                         {sts_columns::symmetric_similarity, symmetric},
                         {sts_columns::gold, gold},
                         {sts_columns::subset, std::vector<std::int64_t>{0, 0, 0, 0, 1, 1, 1}}};
  return measurement;
}

TEST(ItemMetric, CorrelationsAreThoseOfTheDrawnPairs) {
  const Measurement measurement = sts();
  const Drawn drawn{0, 0, 1, 2, 4, 5, 5};
  const Doubles gold{1, 1, 5, 2, 4, 4, 4};
  const std::pair<const char*, Doubles> sides[] = {{"", {0.1, 0.1, 0.9, 0.5, 0.7, 0.2, 0.2}},
                                                   {"symmetric_", {0.6, 0.6, 0.5, 0.4, 0.2, 0.1, 0.1}}};
  for (const auto& [prefix, scores] : sides) {
    EXPECT_NEAR(item_metric(measurement, std::string(prefix) + "spearman").on_sample(drawn), spearman(scores, gold),
                1e-14)
        << prefix;
    for (const char* metric : {"spearman_mean", "spearman_wmean"})
      EXPECT_TRUE(std::isnan(item_metric(measurement, std::string(prefix) + metric).on_sample(drawn)))
          << "the gold of the second subset's drawn pairs does not vary";
  }
  const Drawn varied{0, 1, 1, 2, 3, 4, 6};
  const double first = spearman(Doubles{0.1, 0.9, 0.9, 0.5, 0.5}, Doubles{1, 5, 5, 2, 3}), second = 1;
  EXPECT_NEAR(item_metric(measurement, "spearman_mean").on_sample(varied), (first + second) / 2, 1e-14);
  EXPECT_NEAR(item_metric(measurement, "spearman_wmean").on_sample(varied), (5 * first + 2 * second) / 7, 1e-14);
  EXPECT_FALSE(has_items(measurement, "spearman.first"));
  Measurement damaged = measurement;
  damaged.metrics[0].value += 0.01;
  EXPECT_TRUE(says(refusal_of([&] { item_metric(damaged, "spearman"); }), "do not give its metric \"spearman\""));
  damaged = measurement;
  std::get<std::vector<std::int64_t>>(damaged.columns[3].values)[2] = 99;
  EXPECT_TRUE(says(refusal_of([&] { item_metric(damaged, "spearman"); }), "damaged"));
  std::get<Doubles>(damaged.columns[2].values).pop_back();
  EXPECT_TRUE(says(refusal_of([&] { item_metric(damaged, "spearman_mean"); }), "damaged"));
}

Measurement geometry(const Doubles& self_similarity, double mean) {
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < self_similarity.size(); ++i) tokens.push_back(std::to_string(i));
  return {"geometry",
          "geometry",
          false,
          {{"anisotropy", 0.25, Unit::number},
           {"self_similarity", mean, Unit::number},
           {"adjusted_self_similarity", mean - 0.25, Unit::number}},
          {{geometry_columns::token, tokens},
           {geometry_columns::occurrences, std::vector<std::int64_t>(tokens.size(), 5)},
           {geometry_columns::self_similarity, self_similarity}},
          ""};
}

TEST(ItemMetric, SelfSimilarityIsTheMeanOfTheIdsThatHaveOne) {
  const Measurement measurement = geometry({0.5, std::nan(""), 0.75, 1}, 0.75);
  EXPECT_EQ(item_metric(measurement, "self_similarity").values, (Doubles{0.5, 0.75, 1}));
  EXPECT_EQ(item_metric(measurement, "adjusted_self_similarity").values, (Doubles{0.25, 0.5, 0.75}));
  EXPECT_EQ(item_metric(measurement, "self_similarity").items(), 3u);
  EXPECT_TRUE(says(refusal_of([] { item_metric(geometry({0.5, 1}, 0.7), "self_similarity"); }), "damaged"));
  EXPECT_FALSE(has_items(measurement, "anisotropy"));
}

/// Three queries.
Measurement retrieval(const Doubles& recall, double mean) {
  return {"found",
          "retrieval",
          false,
          {{"recall_at_1", mean}, {"entailed_by_map", 0.5}, {"queries", 3, Unit::count}, {"documents", 9, Unit::count}},
          {{retrieval_columns::query, std::vector<std::string>{"a", "b", "c"}},
           {retrieval_columns::relevant, std::vector<std::int64_t>{1, 2, 1}},
           {"recall_at_1", recall},
           {"entailed_by_map", Doubles{0.25, 0.75, 0.5}}},
          ""};
}

TEST(ItemMetric, MetricsOfRankingsAreMeansOverQueries) {
  const Measurement measurement = retrieval({0, 0.5, 1}, 0.5);
  EXPECT_EQ(item_metric(measurement, "recall_at_1").values, (Doubles{0, 0.5, 1}));
  EXPECT_EQ(item_metric(measurement, "entailed_by_map").values, (Doubles{0.25, 0.75, 0.5}));
  EXPECT_EQ(item_metric(measurement, "recall_at_1").items(), 3u);
  EXPECT_TRUE(item_metric(measurement, "recall_at_1").is_mean());
  for (const char* metric : {"recall_at_1", "ndcg_at_10", "cosine_map", "entailed_by_mrr_at_10"})
    EXPECT_TRUE(is_metric_of_items(metric)) << metric;
  for (const char* metric : {"queries", "documents", "recall_at_5", "other_map"})
    EXPECT_FALSE(is_metric_of_items(metric)) << metric;
  EXPECT_FALSE(has_items(measurement, "map")) << "it was not measured";
  EXPECT_FALSE(has_items(measurement, "queries"));
  EXPECT_TRUE(says(refusal_of([] { item_metric(retrieval({0, 0.5, 1}, 0.6), "recall_at_1"); }), "damaged"));
}

TEST(ItemMetric, IsOfSharesOfRightItemsToo) {
  const ItemMetric metric = item_metric(nli(false, 0.5), "accuracy");
  EXPECT_EQ(metric.right, (Items{1, 0, 0, 1, 1, 1, 1}));
  EXPECT_TRUE(metric.is_mean());
  EXPECT_FALSE(has_items(nli(false, std::nan("")), "auprc"));
  EXPECT_FALSE(has_items(nli(false, 0.5), "pairs"));
  EXPECT_TRUE(says(refusal_of([] { item_metric(nli(false, 0.5), "threshold"); }), "no values of single items"));
}

TEST(SameItems, AreToldByWhatIdentifiesThem) {
  const auto are_same = [](const Measurement& a, const Measurement& b) {
    return items_obstacle(a, b, "accuracy").empty();
  };
  EXPECT_TRUE(are_same(nli(false, 0.5), nli(false, 0.25)));
  EXPECT_FALSE(are_same(nli(false, 0.5), nli(true, 0.5))) << "one counts a pair more";
  EXPECT_FALSE(are_same(nli(false, 0.5), sts()));
  EXPECT_TRUE(are_same(sts(), sts()));
  for (const std::size_t column : {2, 3}) {
    Measurement other = sts();
    if (column == 2) std::get<Doubles>(other.columns[column].values)[1] = 4;
    if (column == 3) std::get<std::vector<std::int64_t>>(other.columns[column].values)[1] = 1;
    EXPECT_FALSE(are_same(sts(), other)) << column;
  }
  Measurement without = sts();
  without.columns.clear();
  EXPECT_FALSE(are_same(without, without)) << "nothing says so";
  EXPECT_TRUE(are_same(geometry({0.5, 1}, 0.75), geometry({0.25, 0.75}, 0.5)));
  EXPECT_FALSE(are_same(geometry({0.5, 1}, 0.75), geometry({0.5, 1, 0.75}, 0.75)));
  Measurement rarer = geometry({0.5, 1}, 0.75);
  std::get<std::vector<std::int64_t>>(rarer.columns[1].values)[0] = 6;
  EXPECT_FALSE(are_same(geometry({0.5, 1}, 0.75), rarer));
  const Measurement queries = retrieval({0, 0.5, 1}, 0.5);
  EXPECT_TRUE(are_same(queries, retrieval({1, 1, 1}, 1)));
  EXPECT_FALSE(are_same(queries, sts()));
  Measurement other = queries;
  std::get<std::vector<std::string>>(other.columns[0].values)[1] = "d";
  EXPECT_FALSE(are_same(queries, other));
  other = queries;
  std::get<std::vector<std::int64_t>>(other.columns[1].values)[1] = 1;
  EXPECT_FALSE(are_same(queries, other));
  other = queries;
  other.metrics[3].value = 10;
  EXPECT_FALSE(are_same(queries, other)) << "among other documents";
  EXPECT_TRUE(says(items_obstacle(queries, other, "recall_at_1"), "has other items in one result than in the other"));
  for (const char* metric : {"accuracy", "auprc"})
    EXPECT_TRUE(says(items_obstacle(nli(false, 0.5), nli(true, 0.5), metric), "counted 7 pairs in one result and 6"));
  EXPECT_EQ(items_obstacle(nli(false, 0.5), nli(true, 0.5), "direction_sim"), "") << "it counts no other pairs";
}

}  // namespace
}  // namespace gausscse
