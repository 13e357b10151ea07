#include "model/objective/masked_texts.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/ops/row_ranges.hpp"

namespace gausscse {

namespace {

static_assert(sizeof(kernels::AnchorTexts) == 4 * sizeof(std::int64_t));

/// Anchors that one task of a CPU looks through.
constexpr std::int64_t anchors_of_mask_task = 16;

using Pair = std::array<std::int64_t, 2>;

/// Returns pairs of a text and a known one of it, rising.
std::vector<Pair> pairs_by(const at::Tensor& entailed, std::int64_t known_by) {
  const at::Tensor contiguous = entailed.contiguous();
  const auto* values = contiguous.const_data_ptr<std::int64_t>();
  std::vector<Pair> pairs;
  for (std::int64_t i = 0; i < contiguous.size(0); ++i, values += 2)
    pairs.push_back(known_by == role::premise ? Pair{values[0], values[1]} : Pair{values[1], values[0]});
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace

MaskedTexts::MaskedTexts(FalseNegatives rule, const ExampleLabels& labels, AnchorRange own, std::int64_t anchor_role,
                         std::int64_t known_by)
    : own_(own) {
  if (rule == FalseNegatives::keep) return;
  texts_ = labels.texts.contiguous();
  std::vector<Pair> pairs;
  if (rule == FalseNegatives::mask_known) pairs = pairs_by(labels.entailed, known_by);
  known_ = at::empty({static_cast<std::int64_t>(pairs.size())}, at::kLong);
  std::transform(pairs.begin(), pairs.end(), known_.mutable_data_ptr<std::int64_t>(),
                 [](const Pair& pair) { return pair[1]; });
  anchors_ = at::empty({own.count(), 4}, at::kLong);
  auto* of_anchor = reinterpret_cast<kernels::AnchorTexts*>(anchors_.mutable_data_ptr<std::int64_t>());
  const auto* own_texts = texts_[anchor_role].const_data_ptr<std::int64_t>();
  const auto* positives = texts_[role::entailment - anchor_role].const_data_ptr<std::int64_t>();
  for (std::int64_t i = own.begin; i < own.end; ++i) {
    const auto [first, end] = std::equal_range(pairs.begin(), pairs.end(), Pair{own_texts[i], 0},
                                               [](const Pair& a, const Pair& b) { return a[0] < b[0]; });
    *of_anchor++ = {own_texts[i], positives[i], first - pairs.begin(), end - pairs.begin()};
  }
}

const kernels::AnchorTexts* MaskedTexts::of_anchors() const {
  return reinterpret_cast<const kernels::AnchorTexts*>(anchors_.const_data_ptr<std::int64_t>());
}

at::Tensor MaskedTexts::left_out(std::int64_t candidate_role, std::int64_t first, std::int64_t count) const {
  at::Tensor all = at::empty({own_.count(), count}, at::kBool);
  auto* is_left_out = all.mutable_data_ptr<bool>();
  const auto* candidates = texts_[candidate_role].const_data_ptr<std::int64_t>() + first;
  const auto* known = known_.const_data_ptr<std::int64_t>();
  ops::for_row_ranges(all, anchors_of_mask_task, [&](std::int64_t begin, std::int64_t rows) {
    for (std::int64_t i = begin; i < begin + rows; ++i)
      for (std::int64_t j = 0; j < count; ++j)
        is_left_out[i * count + j] =
            first + j != own_.begin + i && kernels::is_no_negative(candidates[j], of_anchors()[i], known);
  });
  return all;
}

std::int64_t MaskedTexts::count(std::int64_t candidate_role) const {
  if (!exist()) return 0;
  const at::Tensor of_role = texts_[candidate_role];
  const auto* candidates = of_role.const_data_ptr<std::int64_t>();
  const auto* known = known_.const_data_ptr<std::int64_t>();
  std::unordered_map<std::int64_t, std::int64_t> candidates_of_text;
  for (std::int64_t j = 0; j < of_role.size(0); ++j) ++candidates_of_text[candidates[j]];
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < own_.count(); ++i) {
    const kernels::AnchorTexts& of_anchor = of_anchors()[i];
    std::vector<std::int64_t> texts(known + of_anchor.first_known, known + of_anchor.end_known);
    texts.insert(texts.end(), {of_anchor.own, of_anchor.positive});
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    for (const std::int64_t text : texts)
      if (const auto found = candidates_of_text.find(text); found != candidates_of_text.end()) sum += found->second;
    if (kernels::is_no_negative(candidates[own_.begin + i], of_anchor, known)) --sum;
  }
  return sum;
}

MaskedTexts masked_hypotheses(FalseNegatives rule, ExampleLabels labels, AnchorRange own) {
  if (rule == FalseNegatives::mask_equal) {
    const at::Tensor entailments = (labels.labels == entailment_label).nonzero().squeeze(1);
    labels.entailed = labels.texts.index_select(1, entailments).t();
    rule = FalseNegatives::mask_known;
  }
  return {rule, labels, own, role::premise, role::premise};
}

std::int64_t count_left_out(const ObjectiveSettings& settings, const ExampleLabels& labels) {
  const std::vector<ObjectiveTerm> terms = terms_of(settings);
  std::int64_t sum = 0;
  for (const ObjectiveTerm& term : terms) sum += count_left_out(term.objective, labels);
  if (!terms.empty() || settings.false_negatives == FalseNegatives::keep) return sum;
  const AnchorRange all{0, labels.texts.size(1)};
  const auto texts = [&](std::int64_t anchor_role, std::int64_t known_by) {
    return MaskedTexts(settings.false_negatives, labels, all, anchor_role, known_by);
  };
  if (settings.kind == ObjectiveKind::gaussian_contrastive) {
    const MaskedTexts of_premises = texts(role::premise, role::premise);
    sum += of_premises.count(role::entailment);
    if (roles_of(settings) == 3) sum += of_premises.count(role::contradiction);
    if (settings.loss == Loss::ent_rev || settings.loss == Loss::ent_con_rev)
      sum += texts(role::entailment, role::premise).count(role::premise);
  } else if (settings.kind == ObjectiveKind::cosine_contrastive) {
    const MaskedTexts of_premises = texts(role::premise, role::premise);
    sum += of_premises.count(role::entailment);
    if (settings.hard_negatives) sum += of_premises.count(role::contradiction);
    if (settings.directions == Directions::both) sum += texts(role::entailment, role::entailment).count(role::premise);
  } else if (settings.kind == ObjectiveKind::supervised_contrastive) {
    const MaskedTexts of_premises = masked_hypotheses(settings.false_negatives, labels, all);
    const at::Tensor is_anchor = labels.labels == entailment_label;
    for (std::int64_t first = 0; first < all.end; first += Objective::candidate_block) {
      const std::int64_t count = std::min(Objective::candidate_block, all.end - first);
      const at::Tensor of_other_premise =
          labels.groups.unsqueeze(1) != labels.groups.narrow(0, first, count).unsqueeze(0);
      sum += of_premises.left_out(role::hypothesis, first, count)
                 .logical_and_(of_other_premise)
                 .logical_and_(is_anchor.unsqueeze(1))
                 .sum()
                 .item<std::int64_t>();
    }
  }
  return sum;
}

}  // namespace gausscse
