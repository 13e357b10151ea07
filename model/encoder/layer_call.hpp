#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "model/batch/packed_batch.hpp"
#include "model/kernels/dropout_site.hpp"
#include "model/ops/ops.hpp"
#include "model/ops/reused_matrix.hpp"

namespace gausscse {

/// Sites of dropout in a layer.
struct LayerDropout {
  DropoutSite probabilities;  ///< attention probabilities
  DropoutSite attention;      ///< output of attention
  DropoutSite output;         ///< output of the feed-forward part
};

/// Places of tokens as attention sees them.
struct AttentionPositions {
  ops::RelativePositionBias relative;
  at::Tensor angles;      ///< rotary angles [positions, head_size] for ops::rotate, or undefined
  std::int64_t farthest;  ///< see kernels::Attention
};

/// Arguments of a layer's forward and backward.
struct LayerCall {
  const PackedBatch& batch;
  bool first_tokens;      ///< rows that come out: all tokens, or (in the last layer) only each sentence's first
  bool has_layer_before;  ///< true if the backward goes on before this layer, and so needs the gradient by its input
  LayerDropout dropout;
  AttentionPositions positions;
};

/// Memory that all layers share: nothing in it outlives a layer's forward, or the next layer's backward.
struct LayerScratch {
  ReusedMatrix first_rows, first_factors, grad_hidden, grad_attended;
  ReusedMatrix activation, product, grad_product, grad_addend, grad_context, grad_activation, grad_wide, grad_qkv;

  std::int64_t bytes() const;
};

}  // namespace gausscse
