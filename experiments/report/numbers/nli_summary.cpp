#include "experiments/report/numbers/nli_summary.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "data/corpus/nli_pair.hpp"

namespace gausscse {

PrecisionRecall precision_recall_of(std::span<const float> scores, std::span<const std::uint8_t> positive) {
  GAUSSCSE_CHECK(scores.size() == positive.size(), scores.size(), " scores, ", positive.size(), " labels");
  std::vector<std::size_t> order;
  std::size_t positives = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (std::isnan(scores[i])) continue;
    order.push_back(i);
    positives += positive[i] != 0;
  }
  if (positives == 0) return {};
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  PrecisionRecall curve{{0.0}, {1.0}};
  std::size_t true_positives = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    true_positives += positive[order[i]] != 0;
    if (i + 1 < order.size() && scores[order[i + 1]] == scores[order[i]]) continue;
    curve.recall.push_back(static_cast<double>(true_positives) / static_cast<double>(positives));
    curve.precision.push_back(static_cast<double>(true_positives) / static_cast<double>(i + 1));
  }
  return curve;
}

double precision_at(const PrecisionRecall& curve, double recall) {
  const auto after = std::lower_bound(curve.recall.begin(), curve.recall.end(), recall);
  if (after == curve.recall.end()) return curve.precision.back();
  const auto i = static_cast<std::size_t>(after - curve.recall.begin());
  if (i == 0 || curve.recall[i] == recall) return curve.precision[i];
  const double share = (recall - curve.recall[i - 1]) / (curve.recall[i] - curve.recall[i - 1]);
  return curve.precision[i - 1] + share * (curve.precision[i] - curve.precision[i - 1]);
}

namespace {

constexpr auto entailment = static_cast<std::uint8_t>(NliLabel::entailment);
constexpr auto neutral = static_cast<std::uint8_t>(NliLabel::neutral);
constexpr auto contradiction = static_cast<std::uint8_t>(NliLabel::contradiction);
constexpr auto unlabelled = static_cast<std::uint8_t>(NliLabel::none);

constexpr std::array<const char*, gold_labels> label_names = {"entailment", "neutral", "contradiction"};

/// Similarities lie in (0, 1], cosines in [-1, 1].
constexpr double similarity_bin = 0.025;
constexpr std::size_t similarity_bins = 80;
constexpr std::size_t log_std_bins = 48;

template <typename Value>
std::span<const Value> column_of(const Measurement& measurement, std::string_view name) {
  if (const auto* values = find_column<std::vector<Value>>(measurement, name)) return *values;
  return {};
}

using Growing = std::array<GrowingHistogram, label_names.size()>;

Histograms by_label(const Growing& histograms) {
  std::vector<std::pair<std::string, const GrowingHistogram*>> labelled;
  for (std::size_t i = 0; i < histograms.size(); ++i) labelled.emplace_back(label_names[i], &histograms[i]);
  return over_same_bins(labelled, log_std_bins);
}

Histograms similarities_of(const std::vector<FixedHistogram>& histograms) {
  Histograms all{0, similarity_bin, {}};
  constexpr std::size_t of_negative = similarity_bins / 2;
  bool negative = false;
  for (const FixedHistogram& histogram : histograms) {
    const auto& counts = histogram.bins().counts;
    negative |= std::any_of(counts.begin(), counts.begin() + of_negative, [](std::int64_t count) { return count > 0; });
  }
  all.low = negative ? -1 : 0;
  for (std::size_t i = 0; i < histograms.size(); ++i) {
    if (histograms[i].total() == 0) continue;
    const auto& counts = histograms[i].bins().counts;
    all.series.push_back(
        {label_names[i], {counts.begin() + (negative ? 0 : of_negative), counts.end()}, histograms[i].total()});
  }
  return all;
}

/// Returns the first `most` of `pairs` by `before`.
template <typename Before>
std::vector<WrongPair> first_of(std::vector<WrongPair> pairs, std::size_t most, Before before) {
  const auto end = pairs.begin() + static_cast<std::ptrdiff_t>(std::min(most, pairs.size()));
  std::partial_sort(pairs.begin(), end, pairs.end(), [&](const WrongPair& a, const WrongPair& b) {
    return a.similarity != b.similarity ? before(a.similarity, b.similarity) : a.pair < b.pair;
  });
  pairs.erase(end, pairs.end());
  return pairs;
}

}  // namespace

NliSummaryOfSeeds::NliSummaryOfSeeds()
    : among_all_(recall_points),
      among_neutral_(recall_points),
      among_contradictions_(recall_points),
      similarity_(labels, FixedHistogram(-1, similarity_bin, similarity_bins)) {}

void NliSummaryOfSeeds::add(const Measurement& measurement, bool with_unlabelled) {
  const auto scores = column_of<float>(measurement, "sim_hypothesis_premise");
  const auto label = column_of<std::uint8_t>(measurement, "label");
  if (scores.empty() || scores.size() != label.size())
    throw InputError(concat("the task ", quoted(measurement.task), " has ", scores.size(), " similarities and ",
                            label.size(), " labels of single pairs"));
  task_ = measurement.task;
  with_unlabelled_ = with_unlabelled;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (label[i] < labels) similarity_[label[i]].add(scores[i]);
  add_precision_recall(scores, label, with_unlabelled);
  add_log_std(measurement, label);
  add_to_pairs(scores, label);
  ++seeds_;
}

void NliSummaryOfSeeds::add_precision_recall(std::span<const float> scores, std::span<const std::uint8_t> label,
                                             bool with_unlabelled) {
  const auto add = [&](BandOfSeeds& band, const auto& counts) {
    std::vector<float> scores_of;
    std::vector<std::uint8_t> positive;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (label[i] != entailment && !counts(label[i])) continue;
      scores_of.push_back(scores[i]);
      positive.push_back(label[i] == entailment);
    }
    const bool all_positive = !is_among(positive, 0);
    const PrecisionRecall curve = precision_recall_of(scores_of, positive);
    if (curve.recall.empty() || all_positive) return;
    std::vector<double> recall, precision;
    for (std::size_t i = 0; i < recall_points; ++i) {
      recall.push_back(static_cast<double>(i) / static_cast<double>(recall_points - 1));
      precision.push_back(precision_at(curve, recall.back()));
    }
    band.add(recall, precision);
  };
  add(among_all_, [&](std::uint8_t other) { return other != unlabelled || with_unlabelled; });
  add(among_neutral_, [](std::uint8_t other) { return other == neutral; });
  add(among_contradictions_, [](std::uint8_t other) { return other == contradiction; });
}

void NliSummaryOfSeeds::add_log_std(const Measurement& measurement, std::span<const std::uint8_t> label) {
  const auto premise = column_of<float>(measurement, "log_std_premise");
  const auto hypothesis = column_of<float>(measurement, "log_std_hypothesis");
  if (premise.size() != label.size() || hypothesis.size() != label.size()) return;
  for (std::size_t i = 0; i < label.size(); ++i) {
    if (label[i] >= labels) continue;
    log_std_premise_[label[i]].add(premise[i]);
    log_std_hypothesis_[label[i]].add(hypothesis[i]);
    log_std_difference_[label[i]].add(static_cast<double>(premise[i]) - static_cast<double>(hypothesis[i]));
  }
}

void NliSummaryOfSeeds::add_to_pairs(std::span<const float> scores, std::span<const std::uint8_t> label) {
  if (seeds_ == 0) {
    similarity_of_pair_.assign(scores.size(), 0.0);
    label_.assign(label.begin(), label.end());
  }
  same_pairs_ = same_pairs_ && std::equal(label.begin(), label.end(), label_.begin(), label_.end());
  if (!same_pairs_) return;
  for (std::size_t i = 0; i < scores.size(); ++i) similarity_of_pair_[i] += scores[i];
}

NliSummary NliSummaryOfSeeds::summary() const {
  NliSummary summary;
  summary.task = task_;
  summary.pairs = label_.size();
  summary.among_all = among_all_.band();
  summary.among_neutral = among_neutral_.band();
  summary.among_contradictions = among_contradictions_.band();
  summary.similarity = similarities_of(similarity_);
  summary.log_std_premise = by_label(log_std_premise_);
  summary.log_std_hypothesis = by_label(log_std_hypothesis_);
  summary.log_std_difference = by_label(log_std_difference_);
  if (!same_pairs_) return summary;
  std::vector<WrongPair> entailments, others;
  for (std::size_t i = 0; i < label_.size(); ++i) {
    const double similarity = similarity_of_pair_[i] / static_cast<double>(seeds_);
    if (!std::isfinite(similarity) || (label_[i] == unlabelled && !with_unlabelled_)) continue;
    (label_[i] == entailment ? entailments : others).push_back({i, label_[i], similarity});
  }
  summary.missed = first_of(std::move(entailments), wrong_pairs, std::less<>());
  summary.mistaken = first_of(std::move(others), wrong_pairs, std::greater<>());
  return summary;
}

}  // namespace gausscse
