#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace gausscse {

/// Multiplies [queries, 2d+1] by blocks of [2d+1, block] with LibTorch's matmul, until `rows` rows are done: the
/// products that a search by `joint` takes, and nothing else.
void multiply_blocks(std::int64_t queries, std::int64_t dimension, std::int64_t rows, std::int64_t block);

/// Finds the rows of highest sim(query || row) by `per_dimension` as a PyTorch program does: tensors of [queries,
/// block, d], sums over the last dimension, topk of each block. Returns their numbers, [queries, top].
at::Tensor per_dimension_by_tensors(const at::Tensor& queries, const at::Tensor& rows, std::int64_t top,
                                    std::int64_t block);

}  // namespace gausscse
