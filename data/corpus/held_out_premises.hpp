#pragma once

#include <functional>
#include <string_view>

namespace gausscse {

/// Choice of rows by their premise: returns whether a reader gives those of a premise. An empty one chooses all.
using PremiseFilter = std::function<bool(std::string_view premise)>;

/// Returns whether `data.dev_fraction` holds the rows of a premise out of training: whether the XXH3-64 of its text,
/// divided by 2^64, is below the fraction. White space at the ends does not count. Nothing else decides: no seed,
/// order, file or number of ranks. So a larger fraction holds out the same premises and more.
bool is_held_out(std::string_view premise, double dev_fraction);

/// Returns the choice of the premises that are not held out; empty where the fraction is 0.
PremiseFilter premises_to_train_on(double dev_fraction);

}  // namespace gausscse
