#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/philox.hpp"
#include "model/objective/objective.hpp"

namespace gausscse {

/// Numbers of hypotheses that an anchor is compared with at most; nothing: all there are. At least 1 each.
struct ContrastLimits {
  std::optional<std::int64_t> positives = {};  ///< N+, the anchor's own hypothesis included
  std::optional<std::int64_t> negatives = {};  ///< N-
};

/// Sets of hypotheses of a batch of labelled pairs that anchors are compared with (Liao, section 3, "Anchor, Positive
/// and Negative Sentence"; released program). The premise of each pair i with the label entailment is an anchor. Its
/// positives P_i are its own hypothesis and those of the other entailment pairs of its group. Its negatives Q_i are all
/// other hypotheses of the batch: neutral and contradicted ones of the group, all of other groups.
///
/// With N+ = k the own hypothesis and at most k - 1 of the other positives are taken, with N- = k at most k of Q_i.
/// They are drawn without replacement: those whose words are the smallest. The word of hypothesis j for anchor i is a
/// function of the step, i and j alone, i and j being numbers of the batch. Memory grows with the batch, not with its
/// square.
class ContrastSets {
 public:
  /// Chooses the sets. `labels` are of the whole batch; the anchors are those of the pairs `own`. Tensors that it gives
  /// are on `device`.
  ContrastSets(const ExampleLabels& labels, AnchorRange own, const ContrastLimits& limits, const StepOfTraining& step,
               at::Device device);

  /// Numbers in the batch of the anchors within `own`, rising.
  const std::vector<std::int64_t>& anchors() const { return anchors_; }
  /// Returns the rows of the anchors as int64 [anchors], less `first`.
  at::Tensor anchor_rows(std::int64_t first) const;
  /// Returns the number of anchors of the whole batch.
  std::int64_t anchors_of_batch() const { return anchors_of_batch_; }
  /// Pairs of an anchor and one of its hypotheses, but its own, of the whole batch.
  std::int64_t other_pairs_of_batch() const { return other_pairs_of_batch_; }
  /// Hypotheses in P_i that are taken, of each anchor: int64 [anchors].
  at::Tensor positive_counts() const;

  /// Hypotheses of [first, first + count) that are taken: bool [anchors, count].
  struct Taken {
    at::Tensor positive, negative;
  };
  Taken among(std::int64_t first, std::int64_t count) const;

 private:
  /// A hypothesis's word, and its number, which distinguishes equal ones.
  using Word = std::pair<std::uint64_t, std::int64_t>;

  Word word(std::int64_t anchor, std::int64_t hypothesis) const;
  bool is_positive(std::int64_t anchor, std::int64_t hypothesis) const;
  /// Hypotheses in P_i.
  std::int64_t positives_of(std::int64_t anchor) const;
  /// Returns the smallest word of those that are not taken of an anchor's other positives, or of its negatives.
  Word sampling_threshold(std::int64_t anchor, bool positive, std::int64_t most) const;

  at::Device device_;
  std::vector<std::int64_t> labels_, groups_;
  ContrastLimits limits_;
  PhiloxKey key_;
  std::unordered_map<std::int64_t, std::int64_t> entailments_;  ///< entailments of each group
  std::vector<std::int64_t> anchors_;
  std::vector<Word> end_of_positives_, end_of_negatives_;  ///< for each anchor, where there is a limit
  std::int64_t anchors_of_batch_ = 0, other_pairs_of_batch_ = 0;
};

}  // namespace gausscse
