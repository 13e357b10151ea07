#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "results/measurement.hpp"

namespace gausscse {

/// Returns whether it is known of single pairs whether a metric of a measurement got them right. It is for "accuracy"
/// and, where the embeddings have a direction and there is a pair with one, for "direction_sim" and "direction_var". So
/// it is for these of a stratum of lengths ("direction_sim.equal_length"). For a task with predictions (nli_labels),
/// for "accuracy".
bool records_correct_items(const Measurement& measurement, std::string_view metric);

/// Returns 1 for each pair that the metric counts and got right, 0 for each that it counts and got wrong, in the file's
/// order: their mean is the metric. As in `NliTask`: a pair counts as entailment where its similarity (float32) is at
/// least the threshold (float64); ties of a direction are wrong. The metrics `pairs` and `directed_pairs` show whether
/// pairs without a gold label, and in directions those that entail both ways, were counted. Throws InputError where
/// `records_correct_items` is false, or where columns and metrics do not belong together.
std::vector<std::uint8_t> correct_items(const Measurement& measurement, std::string_view metric);

/// Returns 1 for each pair of the file that the metric counts, so that it has a value in `correct_items`. Throws as
/// that.
std::vector<std::uint8_t> counted_items(const Measurement& measurement, std::string_view metric);

/// Returns 1 for each pair of an nli task that the accuracy counts, in the file's order. Throws InputError where
/// columns and metrics do not belong together. There must be a column of labels and one of similarities.
std::vector<std::uint8_t> counted_pairs(const Measurement& measurement);

/// Returns 1 for each pair of an nli task that the directions count, in the file's order. Throws as `counted_pairs`.
/// There must be a column of labels.
std::vector<std::uint8_t> directed_pairs(const Measurement& measurement);

/// Returns whether two measurements are of the same pairs: their columns of labels, which differ between sets, are
/// equal. False where one has no such columns.
bool are_of_same_pairs(const Measurement& a, const Measurement& b);

/// Refuses two measurements whose correct items cannot be paired: throws InputError where they are not of the same
/// pairs, or the metric counts another number of these. Settings of pairs without gold label and of entailment both
/// ways change that number. For a stratum of lengths both must have the columns of lengths, with equal values.
void check_same_items(const Measurement& a, const Measurement& b, std::string_view metric);

}  // namespace gausscse
