#include "evaluation/mteb/sts_scores.hpp"

#include <string>

#include "evaluation/metrics/linear_correlation.hpp"
#include "evaluation/metrics/rank_correlation.hpp"

namespace gausscse::mteb {

std::vector<Figure> sts_scores(const PairSimilarities& pairs, std::span<const double> gold) {
  std::vector<Figure> scores;
  const auto add = [&](const std::string& prefix, const std::vector<double>& values, double sign) {
    scores.push_back({prefix + "pearson", sign * pearson(values, gold)});
    scores.push_back({prefix + "spearman", sign * spearman(values, gold)});
  };
  add("", pairs.own, 1);
  add("cosine_", pairs.cosine, 1);
  add("manhattan_", pairs.manhattan, -1);
  add("euclidean_", pairs.euclidean, -1);
  scores.push_back({"main_score", find_figure(scores, "cosine_spearman")->value});
  return scores;
}

}  // namespace gausscse::mteb
