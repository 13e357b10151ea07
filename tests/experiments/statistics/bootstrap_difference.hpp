#pragma once

#include "experiments/statistics/bootstrap.hpp"

namespace gausscse {

/// Returns the bootstrap of the difference between the means of two systems' values of the same items, each item drawn
/// alone.
inline BootstrapResult bootstrap_difference(std::span<const double> first, std::span<const double> second,
                                            const BootstrapSettings& settings) {
  return bootstrap(ItemClusters(first.size()), difference_of_means(first, second), settings);
}

}  // namespace gausscse
