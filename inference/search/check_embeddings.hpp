#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

#include "model/choices.hpp"

namespace gausscse {

/// Greatest absolute log-variance of a row: up to there float64 holds all divergences.
inline constexpr float highest_log_var = 300;

/// Throws InputError for the first of these rows [n, width] with a number that is not finite, or a log-variance beyond
/// `highest_log_var`. The message begins with `what` and the row's number, of which the first one has `first_row`.
void check_embeddings(const at::Tensor& rows, Similarity similarity, std::string_view what, std::uint64_t first_row);

}  // namespace gausscse
