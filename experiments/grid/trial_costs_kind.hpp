#pragma once

#include <cstdint>

#include "experiments/trial/trial.hpp"

namespace gausscse {

/// What trials share whose costs are comparable: the trial without what changes no cost (seed, learning rate and the
/// like, temperature, a denominator of as many sentences an example, what figures are made of, places of outputs) and
/// without the sizes that costs are scaled by (epochs, steps, batch size). What it reads stays, by its paths; so do its
/// tasks and their periods.
Trial cost_kind(const Trial& trial);

/// How often tasks are measured while so many steps are done: each one before the first step and then every
/// `eval_every` steps. The end of the training does not count.
std::int64_t periodic_measurements(const Trial& trial, std::int64_t steps);

/// Steps of an epoch over so many examples.
std::int64_t steps_per_epoch(const Trial& trial, std::int64_t examples);

}  // namespace gausscse
