#include "model/objective/contrast_sets.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "model/device/transfers.hpp"
#include "model/ops/row_ranges.hpp"

namespace gausscse {

namespace {

/// Number that keeps the words apart from others under the same seed and step, such as those of dropout.
constexpr std::uint32_t purpose = 2;
/// Anchors that one task of a CPU looks through.
constexpr std::int64_t anchors_of_task = 16;

std::vector<std::int64_t> numbers_of(const at::Tensor& integers) {
  GAUSSCSE_CHECK(integers.is_cpu(), "labels and groups are on the CPU");
  const at::Tensor on_cpu = integers.contiguous();
  const auto* begin = on_cpu.const_data_ptr<std::int64_t>();
  return {begin, begin + on_cpu.numel()};
}

constexpr std::uint32_t low(std::uint64_t word) {
  return static_cast<std::uint32_t>(word);
}
constexpr std::uint32_t high(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> 32);
}

}  // namespace

ContrastSets::ContrastSets(const ExampleLabels& labels, AnchorRange own, const ContrastLimits& limits,
                           const StepOfTraining& step, at::Device device)
    : device_(device), labels_(numbers_of(labels.labels)), groups_(numbers_of(labels.groups)), limits_(limits) {
  const PhiloxCounter words =
      philox({low(step.number), high(step.number), 0, purpose}, {low(step.seed), high(step.seed)});
  key_ = {words[0], words[1]};
  const auto batch = static_cast<std::int64_t>(labels_.size());
  for (std::int64_t i = 0; i < batch; ++i) {
    if (labels_[static_cast<std::size_t>(i)] != entailment_label) continue;
    ++entailments_[groups_[static_cast<std::size_t>(i)]];
    ++anchors_of_batch_;
    if (own.begin <= i && i < own.end) anchors_.push_back(i);
  }
  for (const auto& [group, positives] : entailments_) {
    const std::int64_t others = std::min(positives, limits_.positives.value_or(positives)) - 1;
    const std::int64_t negatives = std::min(batch - positives, limits_.negatives.value_or(batch));
    other_pairs_of_batch_ += positives * (others + negatives);
  }
  for (const std::int64_t anchor : anchors_) {
    if (limits_.positives) end_of_positives_.push_back(sampling_threshold(anchor, true, *limits_.positives - 1));
    if (limits_.negatives) end_of_negatives_.push_back(sampling_threshold(anchor, false, *limits_.negatives));
  }
}

at::Tensor ContrastSets::anchor_rows(std::int64_t first) const {
  return ops::to_device(at::tensor(anchors_, at::kLong).sub_(first), device_);
}

at::Tensor ContrastSets::positive_counts() const {
  std::vector<std::int64_t> counts;
  for (const std::int64_t anchor : anchors_) {
    const std::int64_t positives = positives_of(anchor);
    counts.push_back(std::min(positives, limits_.positives.value_or(positives)));
  }
  return ops::to_device(at::tensor(counts, at::kLong), device_);
}

ContrastSets::Taken ContrastSets::among(std::int64_t first, std::int64_t count) const {
  const auto anchors = static_cast<std::int64_t>(anchors_.size());
  const at::Tensor positive = at::empty({anchors, count}, at::kBool), negative = at::empty({anchors, count}, at::kBool);
  auto* in_positives = positive.mutable_data_ptr<bool>();
  auto* in_negatives = negative.mutable_data_ptr<bool>();
  ops::for_row_ranges(positive, anchors_of_task, [&](std::int64_t begin, std::int64_t rows) {
    for (std::int64_t row = begin; row < begin + rows; ++row) {
      const auto r = static_cast<std::size_t>(row);
      const std::int64_t anchor = anchors_[r];
      for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t hypothesis = first + k;
        const bool is_of_positives = is_positive(anchor, hypothesis);
        const auto taken = [&](const std::vector<Word>& ends) {
          return ends.empty() || word(anchor, hypothesis) < ends[r];
        };
        in_positives[row * count + k] = is_of_positives && (hypothesis == anchor || taken(end_of_positives_));
        in_negatives[row * count + k] = !is_of_positives && taken(end_of_negatives_);
      }
    }
  });
  return {ops::to_device(positive, device_), ops::to_device(negative, device_)};
}

ContrastSets::Word ContrastSets::word(std::int64_t anchor, std::int64_t hypothesis) const {
  const PhiloxCounter words =
      philox({static_cast<std::uint32_t>(hypothesis), static_cast<std::uint32_t>(anchor), 0, 0}, key_);
  return {std::uint64_t{words[1]} << 32 | words[0], hypothesis};
}

bool ContrastSets::is_positive(std::int64_t anchor, std::int64_t hypothesis) const {
  const auto j = static_cast<std::size_t>(hypothesis);
  return labels_[j] == entailment_label && groups_[j] == groups_[static_cast<std::size_t>(anchor)];
}

std::int64_t ContrastSets::positives_of(std::int64_t anchor) const {
  return entailments_.at(groups_[static_cast<std::size_t>(anchor)]);
}

// Sampling of `most` hypotheses without replacement: those with the `most` smallest hashes (words) of (step, anchor,
// hypothesis) are taken. So any rank decides about one hypothesis by comparing its hash with one number, the smallest
// hash that is not taken, and no set is stored.
ContrastSets::Word ContrastSets::sampling_threshold(std::int64_t anchor, bool positive, std::int64_t most) const {
  std::vector<Word> words;
  for (std::int64_t j = 0; j < static_cast<std::int64_t>(labels_.size()); ++j)
    if (j != anchor && is_positive(anchor, j) == positive) words.push_back(word(anchor, j));
  if (static_cast<std::int64_t>(words.size()) <= most)
    return {std::numeric_limits<std::uint64_t>::max(), std::numeric_limits<std::int64_t>::max()};
  const auto end = words.begin() + most;
  std::nth_element(words.begin(), end, words.end());
  return *end;
}

}  // namespace gausscse
