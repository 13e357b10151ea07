#pragma once

#include <string>
#include <vector>

#include "experiments/compare/comparison.hpp"

namespace gausscse {

/// Refuses groups whose results measured a task of one name on other items, or of another kind. Throws InputError.
void check_items(const ComparedGroup& a, const ComparedGroup& b, const std::string& task);

/// Tests a metric on the items that both groups measured, where it is one of items: between two single results, else
/// between results of the same seed. A share of right items has McNemar's test of each seed and on sums over these, any
/// metric a bootstrap of the difference of means, by `threads`. Obstacles are added to the notes, once.
void test_items(const ComparedGroup& a, const ComparedGroup& b, FigureComparison& figure, int threads,
                std::vector<std::string>& notes);

}  // namespace gausscse
