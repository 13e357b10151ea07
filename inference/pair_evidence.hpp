#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "inference/calibration/pair_features.hpp"
#include "model/choices.hpp"

namespace gausscse {

/// Returns the evidence of each pair of rows, all but the lengths, which rows do not have. Rows are float32 on the CPU,
/// [n, width]: [mean | log_var] of Gaussians, else plain vectors. Both similarities are rounded to float32, as
/// `pairwise_similarity` gives them; the other numbers are sums in float64.
///
///     std::vector<PairEvidence> pairs = evidence_of_rows(premises, hypotheses, model.properties.similarity);
///     pairs[0].log_length_ratio = log_length_ratio_of(61, 34);
std::vector<PairEvidence> evidence_of_rows(const at::Tensor& first, const at::Tensor& second, Similarity similarity);

}  // namespace gausscse
