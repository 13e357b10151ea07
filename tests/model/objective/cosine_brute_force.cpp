#include "tests/model/objective/cosine_brute_force.hpp"

#include <ATen/ops/abs.h>
#include <ATen/ops/max.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>
#include <vector>

namespace gausscse {

namespace {

/// Rows of three roles with their gradients.
struct Rows {
  const double* values;
  double* gradients;
  std::int64_t batch, width, used;

  const double* row(std::int64_t role, std::int64_t i) const { return values + (role * batch + i) * width; }
  double* gradient(std::int64_t role, std::int64_t i) const { return gradients + (role * batch + i) * width; }
};

double dot(const double* a, const double* b, std::int64_t width) {
  double sum = 0;
  for (std::int64_t d = 0; d < width; ++d) sum += a[d] * b[d];
  return sum;
}

double cosine(const double* a, const double* b, std::int64_t width) {
  const double lengths = std::sqrt(dot(a, a, width) * dot(b, b, width));
  return lengths > 0 ? dot(a, b, width) / lengths : 0;
}

/// Adds `derivative` times d cos(a, b) / da = b / (|a| |b|) - cos(a, b) a / |a|^2.
void add_cosine_derivative(const double* a, const double* b, double derivative, std::int64_t width, double* gradient) {
  const double square = dot(a, a, width), lengths = std::sqrt(square * dot(b, b, width));
  if (lengths == 0) return;
  const double value = cosine(a, b, width);
  for (std::int64_t d = 0; d < width; ++d) gradient[d] += derivative * (b[d] / lengths - value * a[d] / square);
}

struct Candidate {
  std::int64_t role, number;
  double logit;
};

double row_of_anchor(const Rows& rows, std::int64_t anchor_role, std::int64_t i,
                     const std::vector<std::int64_t>& candidate_roles, const ObjectiveSettings& settings,
                     double weight) {
  std::vector<Candidate> candidates;
  const double* anchor = rows.row(anchor_role, i);
  for (std::size_t c = 0; c < candidate_roles.size(); ++c) {
    for (std::int64_t j = 0; j < rows.batch; ++j) {
      const double extra = c == 1 && j == i ? settings.hard_negative_weight : 0;
      const double value = cosine(anchor, rows.row(candidate_roles[c], j), rows.used);
      candidates.push_back({candidate_roles[c], j, value / settings.temperature + extra});
    }
  }
  // Logits are at most 1 / temperature and a little: of a cold softmax the largest one is taken out.
  double largest = candidates.front().logit, sum = 0;
  for (const Candidate& candidate : candidates) largest = std::max(largest, candidate.logit);
  for (const Candidate& candidate : candidates) sum += std::exp(candidate.logit - largest);
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    const bool right = static_cast<std::int64_t>(c) == i;
    const double by_logit = std::exp(candidates[c].logit - largest) / sum - (right ? 1 : 0);
    const double by_cosine = weight * by_logit / settings.temperature;
    const double* other = rows.row(candidates[c].role, candidates[c].number);
    add_cosine_derivative(anchor, other, by_cosine, rows.used, rows.gradient(anchor_role, i));
    add_cosine_derivative(other, anchor, by_cosine, rows.used, rows.gradient(candidates[c].role, candidates[c].number));
  }
  return weight * (std::log(sum) + largest - candidates[static_cast<std::size_t>(i)].logit);
}

}  // namespace

LossAndGradient brute_force_cosine_contrastive(const at::Tensor& embeddings, const ObjectiveSettings& settings) {
  LossAndGradient result{0, at::zeros_like(embeddings)};
  const Rows rows{embeddings.const_data_ptr<double>(), result.gradient.mutable_data_ptr<double>(), embeddings.size(1),
                  embeddings.size(2), settings.of_means ? embeddings.size(2) / 2 : embeddings.size(2)};
  const bool both = settings.directions == Directions::both;
  const double weight = (both ? 0.5 : 1.0) / static_cast<double>(rows.batch);
  for (std::int64_t i = 0; i < rows.batch; ++i) {
    const std::vector<std::int64_t> forward =
        settings.hard_negatives ? std::vector<std::int64_t>{1, 2} : std::vector<std::int64_t>{1};
    result.loss += row_of_anchor(rows, 0, i, forward, settings, weight);
    if (both) result.loss += row_of_anchor(rows, 1, i, {0}, settings, weight);
  }
  return result;
}

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

}  // namespace gausscse
