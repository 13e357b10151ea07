#pragma once

#include "model/kernels/cuda/column_tiles.cuh"
#include "model/kernels/cuda/layer_norm_blocks.cuh"
#include "model/kernels/cuda/layer_norm_rows.cuh"

namespace gausscse::kernels::cuda {

/// Returns whether warps can keep rows in registers: rows of eights, as wide as those of the known models.
template <typename... Arrays>
bool rows_fit_registers(std::int64_t hidden, const Arrays*... arrays) {
  return hidden % 8 == 0 && hidden <= most_chunks * chunk_columns && begin_with_eights(arrays...);
}

template <typename T, typename Factor>
void add_layer_norm(const KernelContext& context, const Factor* x, const T* bias, const T* residual, const T* gamma,
                    const T* beta, double epsilon, const DropoutSite& dropout, const DropoutSite& output_dropout,
                    RowIdentity identity, std::int64_t rows, std::int64_t hidden, T* out, Factor* factor, T* sum,
                    T* normalized, T* inverse_deviation) {
  const AddLayerNorm<T, Factor> arguments{
      x,      bias, residual, gamma, beta,       static_cast<T>(epsilon), dropout, output_dropout, identity, rows,
      hidden, out,  factor,   sum,   normalized, inverse_deviation};
  if (!rows_fit_registers(hidden, x, bias, residual, gamma, beta, out, factor, sum, normalized)) {
    const std::size_t bytes = shared_bytes_of<T>(hidden) + shared_bytes_of<T>(layer_norm_threads / warp_size);
    launch(context, {rows, 1, layer_norm_threads, bytes}, add_layer_norm_of_blocks_kernel<T, Factor>, arguments);
    return;
  }
  with_chunks(hidden, [&](auto chunks) {
    launch(context, {parts_of(rows, norm_warps), 1, norm_threads, 0},
           add_layer_norm_kernel<decltype(chunks)::value, T, Factor>, arguments,
           static_cast<T>(1.0 / static_cast<double>(hidden)));
  });
}

template <typename T, typename Factor>
void add_layer_norm_backward(const KernelContext& context, T* grad_out, const Factor* grad_addend, bool of_sum,
                             const T* normalized, const T* inverse_deviation, const T* gamma,
                             const DropoutSite& dropout, const DropoutSite& output_dropout, RowIdentity identity,
                             RowShards rows, std::int64_t hidden, T* grad_residual, Factor* grad_x, T* grad_gamma,
                             T* grad_beta, T* grad_bias) {
  if (rows.rows() == 0) return;
  // Kernels that keep rows in registers have none left for the gradient of the sum.
  const bool in_registers = !of_sum && rows_fit_registers(hidden, grad_out, grad_addend, normalized, gamma, grad_residual, grad_x);
  // Warps go through the rows of a block, and as many blocks run at once as there are. A block that works on one row at
  // a time keeps a GPU busy only if there are many.
  const std::int64_t rows_of_block =
      in_registers ? rows_of_summed_part(rows.rows(), norm_warps, 396) : rows_of_summed_part(rows.rows(), 8, 1024);
  const std::int64_t parts = parts_of(rows.rows(), rows_of_block);
  auto* const partials =
      static_cast<T*>(context.scratch->get(static_cast<std::size_t>(parts * 3 * hidden) * sizeof(T)));
  const AddLayerNormBackward<T, Factor> arguments{
      grad_out, grad_addend, of_sum, normalized,    inverse_deviation, gamma,  dropout, output_dropout,
      identity, rows.rows(), hidden, rows_of_block, grad_residual,     grad_x, partials};
  if (in_registers)
    with_chunks(hidden, [&](auto chunks) {
      constexpr int count = decltype(chunks)::value;
      launch(context, {parts, 1, norm_threads, shared_bytes_of<T>(LaneSums<count, T>::count)},
             add_layer_norm_backward_kernel<count, T, Factor>, arguments,
             static_cast<T>(1.0 / static_cast<double>(hidden)));
    });
  else
    launch(context,
           {parts, 1, layer_norm_threads,
            shared_bytes_of<T>(hidden) + shared_bytes_of<T>(3 * hidden) +
                shared_bytes_of<T>(layer_norm_threads / warp_size)},
           add_layer_norm_backward_of_blocks_kernel<T, Factor>, arguments);
  add_partial_sums(context, partials, parts, 3, hidden,
                   SummedArrays<T>{{grad_gamma, grad_beta, grad_x ? grad_bias : nullptr}});
}

}  // namespace gausscse::kernels::cuda
