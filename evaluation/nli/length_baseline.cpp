#include "evaluation/nli/length_baseline.hpp"

#include <algorithm>
#include <array>

#include "evaluation/calibration/fit_calibration.hpp"

namespace gausscse {

std::vector<double> length_baseline(const NliPairs& pairs, std::span<const float> cosine,
                                    std::span<const std::size_t> indexes, std::span<const std::uint8_t> entailed) {
  // Similarities are left out: a constant column of the logistic calibrator has no weight.
  const auto columns_of = [&](std::size_t pair) {
    return PairFeatures{0, 0, 0,
                        log_length_ratio_of(static_cast<std::size_t>(pairs.premise_characters[pair]),
                                            static_cast<std::size_t>(pairs.hypothesis_characters[pair])),
                        static_cast<double>(cosine[pair])};
  };
  std::array<std::vector<PairFeatures>, 2> columns;
  std::array<std::vector<std::uint8_t>, 2> labels;
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    const std::size_t half = pairs.fitted[indexes[i]] ? 1 : 0;
    columns[half].push_back(columns_of(indexes[i]));
    labels[half].push_back(entailed[i]);
  }
  std::array<LogisticFit, 2> fits;
  for (const std::size_t half : {0, 1}) {
    const auto count = static_cast<std::size_t>(std::count(labels[half].begin(), labels[half].end(), 1));
    if (count == 0 || count == labels[half].size()) return {};
    fits[half] = fit_logistic(columns[half], labels[half]);
  }
  std::vector<double> probabilities;
  for (const std::size_t pair : indexes)
    probabilities.push_back(probability_of(fits[pairs.fitted[pair] ? 0 : 1], columns_of(pair)));
  return probabilities;
}

}  // namespace gausscse
