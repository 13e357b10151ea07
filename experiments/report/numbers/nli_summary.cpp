#include "experiments/report/numbers/nli_summary.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

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

constexpr std::size_t most_bins = 48;

template <typename Value>
std::span<const Value> column_of(const Measurement& measurement, std::string_view name) {
  if (const auto* values = find_column<std::vector<Value>>(measurement, name)) return *values;
  return {};
}

/// Returns whether the first value is worse than the second: entailments of low similarity, others of high.
bool is_worse(double first, double second, bool of_entailments) {
  return of_entailments ? first < second : first > second;
}

}  // namespace

void NliSummary::add(const Measurement& measurement, bool with_unlabelled) {
  const auto scores = column_of<float>(measurement, "sim_hypothesis_premise");
  const auto label = column_of<std::uint8_t>(measurement, "label");
  if (scores.empty() || scores.size() != label.size())
    throw InputError(concat("the task ", quoted(measurement.task), " has ", scores.size(), " similarities and ",
                            label.size(), " labels of single pairs"));
  const auto premise = column_of<float>(measurement, "log_std_premise");
  const auto hypothesis = column_of<float>(measurement, "log_std_hypothesis");
  const bool gaussian = premise.size() == label.size() && hypothesis.size() == label.size();
  if (seeds_++ == 0) {
    similarity_of_pair_.assign(scores.size(), 0.0);
    label_.assign(label.begin(), label.end());
  }
  with_unlabelled_ = with_unlabelled;
  same_pairs_ = same_pairs_ && std::equal(label.begin(), label.end(), label_.begin(), label_.end());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (same_pairs_) similarity_of_pair_[i] += scores[i];
    if (label[i] >= gold_labels) continue;
    similarity_[label[i]].push_back(scores[i]);
    if (!gaussian) continue;
    log_std_[label[i]].premise.push_back(premise[i]);
    log_std_[label[i]].hypothesis.push_back(hypothesis[i]);
  }
  add_precision_recall(scores, label);
  probability.add(measurement, with_unlabelled);
  directions.add(measurement);
}

void NliSummary::add_precision_recall(std::span<const float> scores, std::span<const std::uint8_t> label) {
  const auto add = [&](Band& band, const auto& counts) {
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
  add(among_all, [&](std::uint8_t other) { return other != unlabelled || with_unlabelled_; });
  add(among_neutral, [](std::uint8_t other) { return other == neutral; });
  add(among_contradictions, [](std::uint8_t other) { return other == contradiction; });
}

Histograms NliSummary::similarity() const {
  std::vector<std::pair<std::string, std::vector<double>>> by_label;
  for (std::size_t i = 0; i < similarity_.size(); ++i) by_label.emplace_back(label_names[i], similarity_[i]);
  return over_same_bins(by_label, most_bins);
}

Histograms NliSummary::log_std(double (*value)(double premise, double hypothesis)) const {
  std::vector<std::pair<std::string, std::vector<double>>> by_label;
  for (std::size_t i = 0; i < log_std_.size(); ++i) {
    std::vector<double>& values = by_label.emplace_back(label_names[i], std::vector<double>()).second;
    std::transform(log_std_[i].premise.begin(), log_std_[i].premise.end(), log_std_[i].hypothesis.begin(),
                   std::back_inserter(values), value);
  }
  return over_same_bins(by_label, most_bins);
}

std::vector<WrongPair> NliSummary::worst_pairs(bool entailments) const {
  std::vector<WrongPair> pairs;
  for (std::size_t i = 0; same_pairs_ && i < label_.size(); ++i) {
    const double similarity = similarity_of_pair_[i] / static_cast<double>(seeds_);
    if (!std::isfinite(similarity) || (label_[i] == unlabelled && !with_unlabelled_)) continue;
    if ((label_[i] == entailment) == entailments) pairs.push_back({i, similarity});
  }
  const auto end = pairs.begin() + static_cast<std::ptrdiff_t>(std::min(wrong_pairs, pairs.size()));
  std::partial_sort(pairs.begin(), end, pairs.end(), [&](const WrongPair& a, const WrongPair& b) {
    return a.similarity != b.similarity ? is_worse(a.similarity, b.similarity, entailments) : a.pair < b.pair;
  });
  pairs.erase(end, pairs.end());
  return pairs;
}

}  // namespace gausscse
