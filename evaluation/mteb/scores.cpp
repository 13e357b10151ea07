#include "evaluation/mteb/scores.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "evaluation/metrics/correlation.hpp"

namespace gausscse::mteb {

namespace {

constexpr std::array<std::pair<std::string_view, std::size_t>, 7> sts_tasks{{{"STS12", 3108},
                                                                             {"STS13", 1500},
                                                                             {"STS14", 3750},
                                                                             {"STS15", 3000},
                                                                             {"STS16", 1186},
                                                                             {"STSBenchmark", 1379},
                                                                             {"SICK-R", 9927}}};

/// All pairs down to a score, where the next one differs.
struct Cut {
  double pairs, positives;
  double threshold;  ///< half-way to the next score; nothing for the last cut, which all pairs are in
};

struct Ranking {
  std::vector<Cut> cuts;  ///< from the most similar pairs on; the last one has all
  double pairs, positives;
};

struct Scores {
  double accuracy = 0, accuracy_threshold = -1;
  double f1 = 0, f1_threshold = 0, precision = 0, recall = 0;
  double ap = 0;
};

Ranking rank(const std::vector<double>& similarity, std::span<const std::uint8_t> positive, bool larger_is_similar) {
  struct Pair {
    double score;
    bool positive;
  };
  std::vector<Pair> sorted;
  for (std::size_t i = 0; i < similarity.size(); ++i) sorted.push_back({similarity[i], positive[i] != 0});
  std::sort(sorted.begin(), sorted.end(),
            [=](const Pair& a, const Pair& b) { return larger_is_similar ? a.score > b.score : a.score < b.score; });
  Ranking ranking{{}, static_cast<double>(sorted.size()), 0};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    ranking.positives += sorted[i].positive;
    const bool last = i + 1 == sorted.size();
    if (!last && sorted[i + 1].score == sorted[i].score) continue;
    const double threshold = last ? sorted[i].score : (sorted[i].score + sorted[i + 1].score) / 2;
    ranking.cuts.push_back({static_cast<double>(i + 1), ranking.positives, threshold});
  }
  return ranking;
}

Scores scores_of(const Ranking& ranking) {
  Scores best;
  const double negatives = ranking.pairs - ranking.positives;
  double recall_before = 0;
  for (std::size_t i = 0; i < ranking.cuts.size(); ++i) {
    const Cut& cut = ranking.cuts[i];
    const double precision = cut.positives / cut.pairs, recall = cut.positives / ranking.positives;
    best.ap += (recall - recall_before) * precision;
    recall_before = recall;
    if (i + 1 == ranking.cuts.size()) continue;  // no threshold lies below all scores
    const double right = cut.positives + negatives - (cut.pairs - cut.positives);
    if (right / ranking.pairs > best.accuracy) {
      best.accuracy = right / ranking.pairs;
      best.accuracy_threshold = cut.threshold;
    }
    const double f1 = cut.positives > 0 ? 2 * precision * recall / (precision + recall) : 0;
    if (f1 > best.f1) {
      best.f1 = f1;
      best.f1_threshold = cut.threshold;
      best.precision = precision;
      best.recall = recall;
    }
  }
  return best;
}

}  // namespace

std::optional<std::size_t> pairs_of_sts_task(std::string_view name) {
  const auto* known =
      std::find_if(sts_tasks.begin(), sts_tasks.end(), [=](const auto& task) { return task.first == name; });
  return known == sts_tasks.end() ? std::nullopt : std::optional(known->second);
}

std::vector<Metric> sts_scores(const PairSimilarities& pairs, std::span<const double> gold) {
  std::vector<Metric> scores;
  const auto add = [&](const std::string& prefix, const std::vector<double>& values, double sign) {
    scores.push_back({prefix + "pearson", sign * pearson(values, gold)});
    scores.push_back({prefix + "spearman", sign * spearman(values, gold)});
  };
  add("", pairs.own, 1);
  add("cosine_", pairs.cosine, 1);
  add("manhattan_", pairs.manhattan, -1);
  add("euclidean_", pairs.euclidean, -1);
  scores.push_back({"main_score", find_metric(scores, "cosine_spearman")->value});
  return scores;
}

std::vector<Metric> pair_classification_scores(const PairSimilarities& pairs, std::span<const std::uint8_t> positive) {
  std::vector<Metric> metrics;
  Scores largest;
  const auto add = [&](const std::string& name, const std::vector<double>& similarity, bool larger_is_similar) {
    GAUSSCSE_CHECK(similarity.size() == positive.size(), similarity.size(), " scores, ", positive.size(), " labels");
    const Ranking ranking = rank(similarity, positive, larger_is_similar);
    GAUSSCSE_CHECK(ranking.positives > 0, "pairs to be found");
    const Scores scores = scores_of(ranking);
    metrics.push_back({name + "_accuracy", scores.accuracy});
    metrics.push_back({name + "_accuracy_threshold", scores.accuracy_threshold, Unit::number});
    metrics.push_back({name + "_f1", scores.f1});
    metrics.push_back({name + "_f1_threshold", scores.f1_threshold, Unit::number});
    metrics.push_back({name + "_precision", scores.precision});
    metrics.push_back({name + "_recall", scores.recall});
    metrics.push_back({name + "_ap", scores.ap});
    for (const auto part : {&Scores::accuracy, &Scores::f1, &Scores::precision, &Scores::recall, &Scores::ap})
      largest.*part = std::max(largest.*part, scores.*part);
  };
  add("similarity", pairs.own, true);
  add("cosine", pairs.cosine, true);
  add("manhattan", pairs.manhattan, false);
  add("euclidean", pairs.euclidean, false);
  add("dot", pairs.dot, true);
  metrics.push_back({"max_accuracy", largest.accuracy});
  metrics.push_back({"max_f1", largest.f1});
  metrics.push_back({"max_precision", largest.precision});
  metrics.push_back({"max_recall", largest.recall});
  metrics.push_back({"max_ap", largest.ap});
  metrics.push_back({"main_score", largest.ap});
  return metrics;
}

}  // namespace gausscse::mteb
