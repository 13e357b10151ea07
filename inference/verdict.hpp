#pragma once

#include "model/folder/model_folder.hpp"

namespace gausscse {

/// Similarities that differ by at most this count as equal.
inline constexpr double similarity_tolerance = 1e-6;

/// Returns the verdict on a pair of sentences, of which `forward` is sim(second || first) and `backward`
/// sim(first || second):
///
///  - "none" if the model has no threshold;
///  - "no entailment" if both are under the threshold;
///  - "first entails second" or "second entails first", the direction of the larger one;
///  - "both" if they differ by at most `tolerance`;
///  - "entailment" for a similarity without direction.
const char* verdict_of(double forward, double backward, const ModelProperties& model,
                       double tolerance = similarity_tolerance);

}  // namespace gausscse
