#pragma once

namespace gausscse::kernels {

/// Function of a feed-forward part: BERT's, in the form with erf, or x / (1 + e^-x).
enum class Activation { gelu, silu };

}  // namespace gausscse::kernels
