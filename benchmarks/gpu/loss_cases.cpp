#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>

#include <limits>

#include "benchmarks/gpu/layer_shapes.hpp"
#include "benchmarks/gpu/measured_case.hpp"
#include "model/choices.hpp"
#include "model/device/device_kernels.hpp"

namespace gausscse::benchmarks {

namespace {

constexpr kernels::ContrastiveTerms all_terms{.contradiction = true, .reversed = true};
constexpr std::int64_t roles = 3;
constexpr double terms = 3, temperature = 0.05;

/// Returns the operations for a dimension of a pair. Differences of means and of log-variances, the square, the ratio
/// of variances and their sum are seven operations. By the mean over dimensions a reciprocal and its sum follow.
double pair_operations(Similarity kind) {
  return kind == Similarity::joint ? 7 : 8 + special_function;
}
/// Returns the operations for the gradient of a dimension of a pair. The pair itself is computed again. Then each of
/// the two sides takes a weight, and products and sums for the derivatives by mean and log-variance: 5 or 7 operations.
double gradient_operations(Similarity kind) {
  return pair_operations(kind) + 2 * (kind == Similarity::joint ? 5 : 7);
}

/// Returns [roles, rows, 2*dimension]: means as a tanh leaves them, and log-variances near 0.
at::Tensor gaussians(std::int64_t rows, std::int64_t dimension, at::Device device) {
  at::Tensor values = random_values({roles, rows, 2 * dimension}, device);
  values.narrow(2, 0, dimension).tanh_();
  values.narrow(2, dimension, dimension).mul_(0.3);
  return values;
}

struct RolePointers {
  const float* of[3];
  float* gradient[3];
};
RolePointers pointers_of(const at::Tensor& values, const at::Tensor& gradient) {
  RolePointers rows{};
  for (std::int64_t role = 0; role < roles; ++role) {
    rows.of[role] = values.const_data_ptr<float>() + role * values.stride(0);
    rows.gradient[role] = gradient.mutable_data_ptr<float>() + role * gradient.stride(0);
  }
  return rows;
}

/// Returns the case of a whole loss of `batch` triples: all anchors against all candidates, with or without the
/// gradient.
MeasuredCase contrastive_loss(at::Device device, std::int64_t batch, std::int64_t dimension, Similarity kind,
                              bool with_gradient) {
  const at::Tensor values = gaussians(batch, dimension, device), gradient = at::empty_like(values);
  const at::Tensor loss = at::empty({1}, values.options().dtype(at::kDouble));
  const double pairs = terms * static_cast<double>(batch * batch) * static_cast<double>(dimension);
  const double bytes = static_cast<double>(values.nbytes());
  const Cost cost{with_gradient ? 2 * bytes : bytes,
                  pairs * (pair_operations(kind) + (with_gradient ? gradient_operations(kind) : 0))};
  return {cost, [=] {
            const RolePointers rows = pointers_of(values, gradient);
            const kernels::ContrastiveCandidates<float> input{.anchor_rows = {},
                                                              .anchors = batch,
                                                              .candidate_rows = {rows.of[0], rows.of[1], rows.of[2]},
                                                              .candidates = batch,
                                                              .first_own = 0,
                                                              .dimension = dimension,
                                                              .temperature = temperature,
                                                              .similarity = kind,
                                                              .terms = all_terms};
            ops::kernels_for<float>(values).contrastive_loss(ops::context_of(values), input,
                                                             loss.mutable_data_ptr<double>(),
                                                             with_gradient ? rows.gradient : nullptr);
          }};
}

/// Returns the case of `count` anchors against a block of `count` candidates, as the ring has them: their part of the
/// softmax or, with `backward`, their gradient.
MeasuredCase contrastive_block(at::Device device, std::int64_t count, std::int64_t dimension, bool backward) {
  const at::Tensor anchors = gaussians(count, dimension, device), candidates = gaussians(count, dimension, device);
  const at::Tensor by_anchors = at::empty_like(anchors), by_candidates = at::empty_like(candidates);
  const auto options = anchors.options().dtype(at::kDouble);
  const at::Tensor largest = at::full({count}, -std::numeric_limits<double>::infinity(), options);
  const at::Tensor sum = at::full({count}, 0.0, options), positive = at::full({count}, 0.0, options);
  const double pairs = terms * static_cast<double>(count * count) * static_cast<double>(dimension);
  const double bytes = 2 * static_cast<double>(anchors.nbytes());
  constexpr Similarity kind = Similarity::per_dimension;
  const Cost cost{backward ? 2 * bytes : bytes, pairs * (backward ? gradient_operations(kind) : pair_operations(kind))};
  const auto call = [=](bool gradient) {
    const RolePointers of_anchors = pointers_of(anchors, by_anchors),
                       of_candidates = pointers_of(candidates, by_candidates);
    const kernels::ContrastiveCandidates<float> input{
        .anchor_rows = {of_anchors.of[0], of_anchors.of[1], of_anchors.of[2]},
        .anchors = count,
        .candidate_rows = {of_candidates.of[0], of_candidates.of[1], of_candidates.of[2]},
        .candidates = count,
        .first_own = 0,
        .dimension = dimension,
        .temperature = temperature,
        .similarity = kind,
        .terms = all_terms};
    const kernels::RunningSoftmax softmax{largest.mutable_data_ptr<double>(), sum.mutable_data_ptr<double>(),
                                          positive.mutable_data_ptr<double>()};
    const auto& table = ops::kernels_for<float>(anchors);
    if (gradient)
      table.contrastive_backward(ops::context_of(anchors), input, softmax, 1.0 / static_cast<double>(count),
                                 of_anchors.gradient, of_candidates.gradient);
    else
      table.contrastive_accumulate(ops::context_of(anchors), input, softmax);
  };
  if (backward) call(false);
  return {cost, [call, backward] { call(backward); }};
}

MeasuredCase similarity(at::Device device, std::int64_t pairs, std::int64_t dimension) {
  const at::Tensor p = random_values({pairs, 2 * dimension}, device), q = random_values({pairs, 2 * dimension}, device);
  const at::Tensor out = at::empty({pairs}, p.options());
  // Two exponentials and a reciprocal next to the pair's own operations; in float64, which GPUs have a different rate
  // of.
  const double operations = 7 + 3 * special_function;
  return {{static_cast<double>(p.nbytes() + q.nbytes() + out.nbytes()),
           operations * static_cast<double>(pairs) * static_cast<double>(dimension)},
          [=] {
            ops::kernels_for<float>(p).similarity(ops::context_of(p), p.const_data_ptr<float>(),
                                                  q.const_data_ptr<float>(), pairs, dimension,
                                                  Similarity::per_dimension, out.mutable_data_ptr<float>());
          }};
}

}  // namespace

void add_loss_cases(const Workload& workload, CaseList& cases) {
  const at::Device device = workload.device;
  const auto size = [&](std::int64_t whole, std::int64_t small) { return workload.small ? small : whole; };
  struct Size {
    const char* name;
    std::int64_t batch, dimension;
  };
  const Size sizes[] = {{"512x512x384", size(512, 40), size(384, 20)},
                        {"512x512x768", size(512, 40), size(768, 24)},
                        {"8192x8192x768", size(8192, 70), size(768, 24)}};
  for (const Size& of : sizes) {
    for (const Similarity kind : {Similarity::per_dimension, Similarity::joint}) {
      const std::string suffix = std::string("/") + of.name + '/' + std::string(name_of(kind));
      cases.push_back(
          {"contrastive_loss" + suffix, [=] { return contrastive_loss(device, of.batch, of.dimension, kind, true); }});
      cases.push_back({"contrastive_loss_value" + suffix,
                       [=] { return contrastive_loss(device, of.batch, of.dimension, kind, false); }});
    }
  }
  const std::int64_t block = size(512, 40), dimension = size(768, 24);
  cases.push_back({"contrastive_see/512x512x768", [=] { return contrastive_block(device, block, dimension, false); }});
  cases.push_back(
      {"contrastive_differentiate/512x512x768", [=] { return contrastive_block(device, block, dimension, true); }});
  const std::int64_t pairs = size(10'000, 30);
  cases.push_back({"similarity/10000x768", [=] { return similarity(device, pairs, dimension); }});
}

}  // namespace gausscse::benchmarks
