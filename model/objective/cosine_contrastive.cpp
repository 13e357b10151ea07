#include "model/objective/cosine_contrastive.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "model/objective/blockwise_cross_entropy.hpp"
#include "model/objective/unit_rows.hpp"

namespace gausscse {

namespace {

constexpr std::int64_t premise = 0, entailment = 1, contradiction = 2;

/// Rows of unit length of a role, and where their gradient is added: [batch, d] each.
struct Role {
  at::Tensor rows, gradient;
};

/// Blocks of a role's rows, one after another.
template <typename Use>
void for_each_block(std::int64_t batch, const Use& use) {
  for (std::int64_t begin = 0; begin < batch; begin += CosineContrastive::candidate_block)
    use(begin, std::min(CosineContrastive::candidate_block, batch - begin));
}

/// Adds `weight` times the gradient of the own anchors' cross entropies, and returns as many times their sum.
/// `candidates` are the positive ones, then the hard negatives, if any.
double add_direction(const Role& anchors, const std::vector<Role>& candidates, AnchorRange own, double weight,
                     const BlockwiseCrossEntropy::Settings& settings) {
  const std::int64_t count = own.end - own.begin;
  BlockwiseCrossEntropy cross_entropy(anchors.rows.narrow(0, own.begin, count), own.begin, settings);
  const auto for_each_candidate_block = [&](const auto& use) {
    for (std::size_t i = 0; i < candidates.size(); ++i)
      for_each_block(anchors.rows.size(0), [&](std::int64_t begin, std::int64_t rows) {
        use(CandidateBlock{candidates[i].rows.narrow(0, begin, rows), begin, i == 0},
            candidates[i].gradient.narrow(0, begin, rows));
      });
  };
  for_each_candidate_block([&](const CandidateBlock& block, const at::Tensor&) { cross_entropy.see(block); });
  const at::Tensor anchor_gradient = anchors.gradient.narrow(0, own.begin, count);
  for_each_candidate_block([&](const CandidateBlock& block, const at::Tensor& gradient) {
    cross_entropy.differentiate(block, weight, anchor_gradient, gradient);
  });
  return weight * cross_entropy.loss();
}

}  // namespace

double CosineContrastive::evaluate(const at::Tensor& embeddings, AnchorRange own, at::Tensor gradient) const {
  GAUSSCSE_CHECK(embeddings.dim() == 3 && embeddings.size(0) == roles(), "embeddings are [", roles(),
                 ", batch, width]");
  GAUSSCSE_CHECK(!settings_.of_means || embeddings.size(2) % 2 == 0, "rows of Gaussians are [mean | log_var]");
  GAUSSCSE_CHECK(gradient.sizes() == embeddings.sizes(), "the gradient has the embeddings' shape");
  const std::int64_t batch = embeddings.size(1);
  GAUSSCSE_CHECK(0 <= own.begin && own.begin <= own.end && own.end <= batch, "anchors lie in the batch");
  gradient.zero_();
  if (own.begin == own.end) return 0;

  const std::int64_t width = settings_.of_means ? embeddings.size(2) / 2 : embeddings.size(2);
  std::vector<UnitRows> units;
  std::vector<Role> of_role;
  for (std::int64_t role = 0; role < roles(); ++role) {
    units.emplace_back(embeddings[role].narrow(1, 0, width));
    of_role.push_back({units.back().rows(), gradient[role].narrow(1, 0, width)});
  }
  const BlockwiseCrossEntropy::Settings settings{settings_.temperature, settings_.hard_negative_weight};
  const bool both = settings_.directions == Directions::both;
  const double weight = 1.0 / static_cast<double>(both ? 2 * batch : batch);
  std::vector<Role> candidates{of_role[entailment]};
  if (settings_.hard_negatives) candidates.push_back(of_role[contradiction]);
  double loss = add_direction(of_role[premise], candidates, own, weight, settings);
  if (both) loss += add_direction(of_role[entailment], {of_role[premise]}, own, weight, settings);
  for (std::size_t role = 0; role < units.size(); ++role) units[role].differentiate(of_role[role].gradient);
  return loss;
}

}  // namespace gausscse
