#pragma once

#include <string>
#include <vector>

#include "experiments/compare/comparison.hpp"

namespace gausscse {

/// Refuses groups whose results measured a task of one name on other items, or of another kind. Throws InputError.
void check_items(const ComparedGroup& a, const ComparedGroup& b, const std::string& task);

/// McNemar's tests of a figure, where items are told of: between two single results, else between results of the same
/// seed, and on sums over these. What stands against it is added to the notes, once.
void test_items(const ComparedGroup& a, const ComparedGroup& b, FigureComparison& figure,
                std::vector<std::string>& notes);

}  // namespace gausscse
