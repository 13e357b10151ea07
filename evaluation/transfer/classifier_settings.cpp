#include "evaluation/transfer/classifier_settings.hpp"

#include <algorithm>

#include "evaluation/transfer/numpy.hpp"

namespace gausscse {

ClassifierSettings classifier_settings(setting::TransferMode mode, std::uint32_t seed) {
  ClassifierSettings settings{.seed = seed};
  if (mode == setting::TransferMode::fast) {
    settings.adam = false;
    settings.folds = 5;
    settings.batch = 128;
    settings.tenacity = 3;
    settings.epoch_size = 2;
  }
  return settings;
}

DecayChoice best_decay(const std::vector<double>& scores) {
  const auto best = std::max_element(scores.begin(), scores.end());
  return {static_cast<std::size_t>(best - scores.begin()), *best};
}

DecayChoice best_decay_of_folds(std::span<const std::vector<double>> of_folds) {
  std::vector<double> scores;
  for (std::size_t decay = 0; decay < decays.size(); ++decay) {
    std::vector<double> shares;
    for (const std::vector<double>& of_fold : of_folds) shares.push_back(of_fold[decay]);
    scores.push_back(round_as_numpy(100 * mean_as_numpy(shares)));
  }
  return best_decay(scores);
}

}  // namespace gausscse
