#pragma once

#include "model/kernels/cpu/contrastive_candidates.hpp"

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

template <typename T>
void contrastive_loss(const KernelContext&, const ContrastiveCandidates<T>& input, double* loss, T* const* gradient) {
  GaussianRows<T> roles[3] = {};
  const int count = input.terms.roles();
  for (int role = 0; role < count; ++role)
    roles[role] = {input.candidate_rows[role], input.candidates, gradient ? gradient[role] : nullptr};
  const AllRows<T> rows(roles, static_cast<std::size_t>(count));
  const Blocks blocks(input.terms, input.candidates, 0, input.first_own, input.candidates);
  const std::int64_t width = blocks.count * input.candidates;
  const double weight = 1.0 / static_cast<double>(input.candidates);
  with_pack(input, rows, [&](const auto& pack) {
    using Real = std::remove_cvref_t<decltype(*pack.data.get())>;
    GradientSumsOfRows<Real> sums(pack.gaussians, input.similarity);
    // The softmax overwrites similarities.
    Buffer<Real> kept(anchor_block * width);
    Buffer<double> losses(anchor_block);
    double total = 0;
    for_each_anchor(
        input, blocks, pack.gaussians,
        [&](std::int64_t anchor, Real* row) {
          const std::int64_t place = anchor % anchor_block;
          Real* kept_row = kept.get() + place * width;
          std::memcpy(kept_row, row, static_cast<std::size_t>(width) * sizeof(Real));
          replace_left_out(input, blocks, anchor, -std::numeric_limits<Real>::infinity(), row);
          losses.get()[place] = softmax_row(row, width, input.first_own + anchor, input.temperature, weight);
          // In float an exponential is never 0.
          replace_left_out(input, blocks, anchor, Real{0}, row);
          apply_slopes(row, kept_row, width, input.similarity, input.dimension);
        },
        [&](std::int64_t begin, std::int64_t anchors, const Real* derivatives) {
          for (std::int64_t i = 0; i < anchors; ++i) total += losses.get()[i];
          if (gradient) add_gradients(input, blocks, pack.gaussians, begin, anchors, derivatives, sums.sums);
        });
    if (gradient) finish_gradient(pack.gaussians, input.similarity, sums.sums, rows);
    *loss = total * weight;
  });
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
