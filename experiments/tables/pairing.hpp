#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/study/difference_test.hpp"
#include "experiments/study/study_results.hpp"
#include "experiments/tables/trial_items.hpp"

namespace gausscse {

/// Done trials of two cells that belong together. A seed pairs them:
///
///     first cell       second cell      tables (`pair_by_labels`)            named trials (`pair_by_seed`)
///
///     seeds 0 1 2      seeds 0 1        0-0, 1-1                             0-0, 1-1
///     seed 0: 16, 32   seed 0: 16       16-16: equal labels on all axes      none, with an obstacle
///                                       but the compared one
///     seed 5 alone     seed 6 alone     none                                 5-6: both were named
struct Pairing {
  struct Pair {
    const StudyTrial *first, *second;
    std::optional<std::int64_t> seed;  ///< nothing where their seeds differ or are not known
  };

  std::vector<Pair> pairs;  ///< in the order of the first cell's trials
  std::string obstacle;     ///< reason why named trials are not paired; may be empty
};

/// Pairs cells of a table that compares the axis `compare`.
Pairing pair_by_labels(const std::vector<const StudyTrial*>& first, const std::vector<const StudyTrial*>& second,
                       const std::string& compare);

/// Pairs trials that a user or a page named. A seed below 0 is not known, and pairs with none.
Pairing pair_by_seed(const std::vector<const StudyTrial*>& first, const std::vector<const StudyTrial*>& second);

/// Values of two sides: the first's and the second's.
using ValuesOfSides = std::pair<std::vector<double>, std::vector<double>>;

/// A metric of paired trials, item by item. Refers to the items.
struct PairedMetric {
  std::vector<McNemarTest> seeds;                  ///< test of each pair, where the metric is a share
  MeanOverTrials first, second;                    ///< without trials unless all pairs were measured on the same items
  std::map<std::int64_t, ValuesOfSides> of_seeds;  ///< values of `first` and `second`
  std::size_t tested = 0;                          ///< pairs that were measured on the same items
  std::vector<std::string> other_items;            ///< for each other pair with items the reason

  PairedMetric(const Pairing& pairing, const std::string& name, TrialItems& items);

  /// Returns the mean of each seed's trials.
  ValuesOfSides seed_means() const;
};

}  // namespace gausscse
