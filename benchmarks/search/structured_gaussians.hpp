#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace gausscse {

/// Returns [rows, 2*dimension] Gaussians like those of sentences. Each belongs to one of 2,000 topics: its mean is the
/// tanh of the topic's centre plus a deviation. Its log-variances are the topic's plus a common shift, as sentences are
/// more or less specific. Rows of another `stream` are other sentences on the same topics.
at::Tensor structured_gaussians(std::int64_t rows, std::int64_t dimension, std::uint64_t stream, int threads);

}  // namespace gausscse
