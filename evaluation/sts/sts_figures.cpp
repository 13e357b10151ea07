#include "evaluation/sts/sts_figures.hpp"

#include "evaluation/metrics/rank_correlation.hpp"

namespace gausscse {

std::vector<Figure> sts_figures(const std::string& prefix, std::span<const ScoredSubset> subsets) {
  std::vector<double> scores, gold;
  std::vector<Figure> of_subsets;
  double sum = 0, weighted = 0;
  for (const ScoredSubset& subset : subsets) {
    const double correlation = spearman(subset.scores, subset.gold);
    of_subsets.push_back({prefix + "spearman." + subset.name, correlation});
    sum += correlation;
    weighted += correlation * static_cast<double>(subset.scores.size());
    scores.insert(scores.end(), subset.scores.begin(), subset.scores.end());
    gold.insert(gold.end(), subset.gold.begin(), subset.gold.end());
  }
  std::vector<Figure> figures{{prefix + "spearman", spearman(scores, gold)},
                              {prefix + "spearman_mean", sum / static_cast<double>(subsets.size())},
                              {prefix + "spearman_wmean", weighted / static_cast<double>(scores.size())}};
  if (subsets.size() > 1) figures.insert(figures.end(), of_subsets.begin(), of_subsets.end());
  return figures;
}

}  // namespace gausscse
