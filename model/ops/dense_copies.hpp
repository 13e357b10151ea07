#pragma once

#include <ATen/core/Tensor.h>

/// Copies between dense tensors on the CPU, without LibTorch. Large ones use all threads.
namespace gausscse::dense_tensors {

/// Returns whether `copy_elements` knows these types: the same one, or two of float32, float64 and bfloat16.
bool can_copy(const at::Tensor& to, const at::Tensor& from);

/// Copies `from` to `to`, of the same sizes and any strides. Values are rounded to nearest, ties to even.
void copy_elements(const at::Tensor& to, const at::Tensor& from);

/// Sets a contiguous tensor to zero.
void set_to_zero(const at::Tensor& tensor);

/// Copies row index[i] of `table` to row i of `rows`. The elements of each row lie next to each other; `index` is int64
/// and in range.
void read_rows(const at::Tensor& table, const at::Tensor& index, const at::Tensor& rows);

/// Copies row i of `rows` to row index[i] of `table`, in this order.
void write_rows(const at::Tensor& rows, const at::Tensor& index, const at::Tensor& table);

}  // namespace gausscse::dense_tensors
