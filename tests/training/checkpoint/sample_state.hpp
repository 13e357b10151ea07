#pragma once

#include "training/checkpoint/training_state.hpp"

namespace gausscse {

/// Returns a small state, different for every step.
TrainingState sample_state(std::int64_t step);

/// Returns measurements of the untrained state, as a state may keep them; they have tens of thousands of bytes in a
/// checkpoint.
std::vector<Measurement> sample_untrained(std::int64_t step);

/// Expects every field to be the same, bit for bit.
void expect_equal(const TrainingState& a, const TrainingState& b);

}  // namespace gausscse
