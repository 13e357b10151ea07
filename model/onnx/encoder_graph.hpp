#pragma once

#include "model/onnx/graph.hpp"
#include "model/sentence_encoder.hpp"

namespace gausscse {

/// Builds the computation of a sentence encoder in float32: for any precision, family, pooling and head.
/// Inputs are `input_ids` and `attention_mask`, int64 [batch, tokens]; padding is on the right. Outputs are float32
/// [batch, dimension]: `mean` and `log_var` of a Gaussian head, else `embedding`. The graph refers to the encoder's
/// parameters, which must be on the CPU and stay.
OnnxGraph onnx_graph_of(const SentenceEncoder& encoder);

}  // namespace gausscse
