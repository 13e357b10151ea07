#pragma once

#include "model/kernels/cpu/contrastive_forward.hpp"
#include "model/kernels/cpu/contrastive_gradient.hpp"
#include "model/kernels/cpu/contrastive_pack.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// Turns the similarities of one anchor with its `count` candidates into derivatives of the loss by them (in place),
/// and returns that anchor's -log(...). `positive` is the candidate that is its own entailment.
template <typename T>
double softmax_row(T* row, std::int64_t count, std::int64_t positive, double temperature, double weight) {
  T largest = row[0];
#pragma omp simd reduction(max : largest)
  for (std::int64_t j = 0; j < count; ++j) largest = largest > row[j] ? largest : row[j];
  const T inverse_temperature = static_cast<T>(1.0 / temperature);
  const double numerator = (static_cast<double>(row[positive]) - static_cast<double>(largest)) / temperature;
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t j = 0; j < count; ++j) {
    row[j] = exponential((row[j] - largest) * inverse_temperature);
    sum += static_cast<double>(row[j]);
  }
  const T factor = static_cast<T>(weight / (temperature * sum));
#pragma omp simd
  for (std::int64_t j = 0; j < count; ++j) row[j] *= factor;
  row[positive] -= static_cast<T>(weight / temperature);
  return std::log(sum) - numerator;
}

template <typename T, typename From>
double loss_in(const ContrastiveInput<From>& input, AllRows<From> rows, const LogVarRanges& ranges, bool gradient) {
  const std::int64_t batch = input.batch;
  ContrastiveBlock blocks[3] = {{batch, batch, 0}, {}, {}};
  int block_count = 1;
  if (input.terms.contradiction) blocks[block_count++] = {2 * batch, batch, 0};
  if (input.terms.reversed) blocks[block_count++] = {0, batch, batch};

  const GaussianPack<T> pack(rows, input.dimension, ranges, input.similarity);
  GradientSumsOfRows<T> sums(pack.gaussians);

  const std::int64_t own = input.anchor_end - input.anchor_begin;
  const std::int64_t held = own < anchor_block ? own : anchor_block;
  // An anchor's similarities with the candidates of all blocks stand in one row.
  const bool keeps = slope_needs_similarity(input.similarity);
  const std::int64_t candidates = block_count * batch;
  Buffer<T> similarities((held > 0 ? held : 1) * candidates);
  // The softmax overwrites them.
  Buffer<T> kept(keeps && held > 0 ? held * candidates : 1);
  Buffer<double> losses(anchor_block);
  const double weight = 1.0 / static_cast<double>(batch);
  double total = 0;
  for (std::int64_t begin = input.anchor_begin; begin < input.anchor_end; begin += anchor_block) {
    const std::int64_t anchors = input.anchor_end - begin < anchor_block ? input.anchor_end - begin : anchor_block;
    const auto from_begin = [&](ContrastiveBlock block) {
      block.anchor += begin;
      return block;
    };
    for (int b = 0; b < block_count; ++b)
      block_similarities(pack.gaussians, from_begin(blocks[b]), anchors, input.similarity,
                         similarities.get() + b * batch, candidates);
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < anchors; ++i) {
      T* row = similarities.get() + i * candidates;
      T* kept_row = keeps ? kept.get() + i * candidates : nullptr;
      if (keeps) std::memcpy(kept_row, row, static_cast<std::size_t>(candidates) * sizeof(T));
      losses.get()[i] = softmax_row(row, candidates, begin + i, input.temperature, weight);
      apply_slopes(row, kept_row, candidates, input.similarity, input.dimension);
    }
    for (std::int64_t i = 0; i < anchors; ++i) total += losses.get()[i];
    if (gradient) {
      for (int b = 0; b < block_count; ++b)
        add_block_gradient(pack.gaussians, from_begin(blocks[b]), anchors, input.similarity,
                           similarities.get() + b * batch, candidates, sums.sums);
    }
  }
  if (gradient) finish_gradient(pack.gaussians, input.similarity, sums.sums, rows);
  return total * weight;
}

template <typename T>
void contrastive_loss(const KernelContext&, const ContrastiveInput<T>& input, double* loss, T* const* gradient) {
  GaussianRows<T> roles[3] = {};
  const int count = input.terms.roles();
  for (int role = 0; role < count; ++role)
    roles[role] = {input.rows[role], input.batch, gradient ? gradient[role] : nullptr};
  const AllRows<T> rows(roles, static_cast<std::size_t>(count));
  const LogVarRanges ranges(input.dimension);
  find_log_var_ranges(rows, input.dimension, ranges);
  const bool in_double = sizeof(T) == sizeof(float) && needs_double(ranges, input.dimension, input.similarity);
  *loss = in_double ? loss_in<double>(input, rows, ranges, gradient != nullptr)
                    : loss_in<T>(input, rows, ranges, gradient != nullptr);
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
