#pragma once

#include "model/kernels/cuda/attention/attention.cuh"
#include "model/kernels/cuda/contrastive/contrastive.cuh"
#include "model/kernels/cuda/elementwise.cuh"
#include "model/kernels/cuda/embedding.cuh"
#include "model/kernels/cuda/gate.cuh"
#include "model/kernels/cuda/gelu.cuh"
#include "model/kernels/cuda/layer_norm.cuh"
#include "model/kernels/cuda/optimizer.cuh"
#include "model/kernels/cuda/pooling.cuh"
#include "model/kernels/cuda/similarity.cuh"

namespace gausscse::kernels::cuda {

/// All kernels for GPUs; their order is that of Kernels.
template <typename T, typename Factor = T>
constexpr Kernels<T, Factor> table{"cuda",
                                   embed<T>,
                                   add_grouped_rows<T>,
                                   add_layer_norm<T, Factor>,
                                   add_layer_norm_backward<T, Factor>,
                                   bias_gelu<T, Factor>,
                                   gelu_backward<T, Factor>,
                                   gate<T, Factor>,
                                   gate_backward<T, Factor>,
                                   rotate<T, Factor>,
                                   add_column_sums<T, Factor>,
                                   attention<T, Factor>,
                                   attention_backward<T, Factor>,
                                   mean_of_tokens<T>,
                                   mean_of_tokens_backward<T>,
                                   max_of_tokens<T>,
                                   max_of_tokens_backward<T>,
                                   round_to_bfloat16<T>,
                                   contrastive_loss<T>,
                                   contrastive_accumulate<T>,
                                   contrastive_backward<T>,
                                   similarity<T>,
                                   adamw<T>,
                                   sum_of_squares<T>};

}  // namespace gausscse::kernels::cuda
