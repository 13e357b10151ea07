#include "experiments/report/numbers/direction_by_length.hpp"

#include <cstdint>

#include "base/error.hpp"
#include "experiments/statistics/descriptive.hpp"
#include "experiments/study/correct_items.hpp"

namespace gausscse {

void DirectionByLength::add(const Measurement& measurement) {
  using Floats = std::vector<float>;
  using Numbers = std::vector<std::int64_t>;
  const auto* premise = find_column<Numbers>(measurement, "premise_characters");
  const auto* hypothesis = find_column<Numbers>(measurement, "hypothesis_characters");
  const auto* forward = find_column<Floats>(measurement, "sim_hypothesis_premise");
  const auto* backward = find_column<Floats>(measurement, "sim_premise_hypothesis");
  const auto* log_std_premise = find_column<Floats>(measurement, "log_std_premise");
  const auto* log_std_hypothesis = find_column<Floats>(measurement, "log_std_hypothesis");
  if (!premise || !hypothesis || !forward || !backward || !log_std_premise || !log_std_hypothesis) return;
  const std::vector<std::uint8_t> directed = directed_pairs(measurement);
  for (const std::size_t values : {premise->size(), hypothesis->size(), forward->size(), backward->size(),
                                   log_std_premise->size(), log_std_hypothesis->size()})
    if (values != directed.size())
      throw InputError(concat("the task ", quoted(measurement.task), " has ", values, " values in a column for ",
                              directed.size(), " pairs: its result is damaged"));
  ++seeds_;
  for (std::size_t i = 0; i < directed.size(); ++i) {
    if (!directed[i]) continue;
    for (std::size_t bin = 0; bin < length_bins.size(); ++bin) {
      if (!length_bins[bin].holds((*premise)[i], (*hypothesis)[i])) continue;
      Counts& counts = counts_[bin];
      ++counts.pairs;
      counts.differences += static_cast<double>((*premise)[i] - (*hypothesis)[i]);
      counts.right_by_similarity += (*forward)[i] > (*backward)[i];
      counts.right_by_variance += (*log_std_premise)[i] > (*log_std_hypothesis)[i];
    }
  }
}

std::vector<DirectionBin> DirectionByLength::bins() const {
  std::vector<DirectionBin> bins;
  for (std::size_t i = 0; i < length_bins.size(); ++i) {
    const Counts& counts = counts_[i];
    if (!(counts.pairs > 0)) continue;
    const auto share = [&](double right) {
      return DirectionShare{right / counts.pairs, wilson_interval(right / seeds_, counts.pairs / seeds_)};
    };
    bins.push_back({&length_bins[i], counts.pairs / seeds_, counts.differences / counts.pairs,
                    share(counts.right_by_similarity), share(counts.right_by_variance)});
  }
  return bins;
}

}  // namespace gausscse
