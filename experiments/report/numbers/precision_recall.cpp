#include "experiments/report/numbers/precision_recall.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace gausscse {

PrecisionRecall precision_recall_of(std::span<const float> scores, std::span<const std::uint8_t> positive) {
  GAUSSCSE_CHECK(scores.size() == positive.size(), scores.size(), " scores, ", positive.size(), " labels");
  std::vector<std::size_t> order;
  std::size_t positives = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (std::isnan(scores[i])) continue;
    order.push_back(i);
    positives += positive[i] != 0;
  }
  if (positives == 0) return {};
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  PrecisionRecall curve{{0.0}, {1.0}};
  std::size_t true_positives = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    true_positives += positive[order[i]] != 0;
    if (i + 1 < order.size() && scores[order[i + 1]] == scores[order[i]]) continue;
    curve.recall.push_back(static_cast<double>(true_positives) / static_cast<double>(positives));
    curve.precision.push_back(static_cast<double>(true_positives) / static_cast<double>(i + 1));
  }
  return curve;
}

double precision_at(const PrecisionRecall& curve, double recall) {
  const auto after = std::lower_bound(curve.recall.begin(), curve.recall.end(), recall);
  if (after == curve.recall.end()) return curve.precision.back();
  const auto i = static_cast<std::size_t>(after - curve.recall.begin());
  if (i == 0 || curve.recall[i] == recall) return curve.precision[i];
  const double share = (recall - curve.recall[i - 1]) / (curve.recall[i] - curve.recall[i - 1]);
  return curve.precision[i - 1] + share * (curve.precision[i] - curve.precision[i - 1]);
}

}  // namespace gausscse
