#include "evaluation/nli/nli_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "config/tasks/length_strata.hpp"
#include "data/corpus/nli_pair.hpp"
#include "evaluation/metrics/correlation.hpp"
#include "evaluation/metrics/metrics.hpp"
#include "evaluation/nli/length_baseline.hpp"

namespace gausscse {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

using Indexes = std::vector<std::size_t>;

double share(std::size_t part, std::size_t whole) {
  return whole == 0 ? none : static_cast<double>(part) / static_cast<double>(whole);
}

/// Metrics of some pairs of a task.
class SomePairs {
 public:
  SomePairs(const NliPairs& pairs, const NliScores& scores, const NliScoring& scoring, Indexes indexes)
      : pairs_(pairs), scores_(scores), scoring_(scoring), indexes_(std::move(indexes)) {
    for (const std::size_t i : indexes_) {
      similarity_.push_back(scores.hypothesis_premise[i]);
      positive_.push_back(label(i) == NliLabel::entailment);
    }
  }

  const Indexes& indexes() const { return indexes_; }
  SomePairs some(Indexes chosen) const { return {pairs_, scores_, scoring_, std::move(chosen)}; }

  template <typename Condition>
  SomePairs where(Condition condition) const {
    Indexes chosen;
    std::copy_if(indexes_.begin(), indexes_.end(), std::back_inserter(chosen), condition);
    return some(std::move(chosen));
  }

  /// Returns the entailments, less two-way pairs where these are dropped.
  SomePairs directed() const {
    return where([&](std::size_t i) {
      return label(i) == NliLabel::entailment &&
             !(pairs_.both_ways[i] && scoring_.two_way_pairs == setting::TwoWayPairs::drop);
    });
  }

  SomePairs of(const LengthStratum& stratum) const {
    return where(
        [&](std::size_t i) { return stratum.holds(pairs_.premise_characters[i], pairs_.hypothesis_characters[i]); });
  }

  SomePairs with_label(NliLabel wanted) const {
    return where([&](std::size_t i) { return label(i) == wanted; });
  }

  std::size_t size() const { return indexes_.size(); }
  double positives() const {
    return share(static_cast<std::size_t>(std::count(positive_.begin(), positive_.end(), 1)), size());
  }
  double majority() const { return std::max(positives(), 1 - positives()); }
  double own_threshold() const { return best_threshold(similarity_, positive_); }
  double accuracy(double threshold) const { return accuracy_at(threshold, similarity_, positive_); }
  double auprc() const { return auprc_of(similarity_); }
  double auprc_length() const {
    const std::vector<double> probabilities = length_baseline(
        pairs_, scores_.cosine.empty() ? scores_.hypothesis_premise : scores_.cosine, indexes_, positive_);
    return probabilities.empty() ? none : auprc_of(probabilities);
  }
  double direction_sim() const { return direction(scores_.hypothesis_premise, scores_.premise_hypothesis); }
  double direction_var() const { return direction(scores_.log_std_premise, scores_.log_std_hypothesis); }
  double longer() const {
    return share(where([&](std::size_t i) { return characters_more(i) > 0; }).size(), size());
  }
  double direction_length() const {
    return with_half_of_ties([&](std::size_t i) { return static_cast<double>(characters_more(i)); });
  }
  double direction_words() const {
    return with_half_of_ties([&](std::size_t i) { return pairs_.premise_words[i] - pairs_.hypothesis_words[i]; });
  }

  double length_correlation() const {
    std::vector<double> log_std, characters;
    for (const std::size_t i : indexes_) {
      log_std.push_back(static_cast<double>(scores_.log_std_premise[i]) -
                        static_cast<double>(scores_.log_std_hypothesis[i]));
      characters.push_back(static_cast<double>(characters_more(i)));
    }
    return spearman(log_std, characters);
  }

 private:
  template <typename Score>
  double auprc_of(const std::vector<Score>& scores) const {
    if (!(positives() > 0)) return none;
    return scoring_.auprc == setting::Auprc::sweep ? area_under_precision_recall_sweep(scores, positive_)
                                                   : area_under_precision_recall(scores, positive_);
  }

  NliLabel label(std::size_t pair) const { return static_cast<NliLabel>(pairs_.label[pair]); }
  /// Returns by how many characters the premise is longer.
  std::int64_t characters_more(std::size_t pair) const {
    return pairs_.premise_characters[pair] - pairs_.hypothesis_characters[pair];
  }

  /// Returns the share of pairs whose premise has more; a rule guesses where both have as much.
  double with_half_of_ties(const auto& more) const {
    double right = 0;
    for (const std::size_t i : indexes_) right += more(i) > 0 ? 1 : more(i) == 0 ? 0.5 : 0;
    return indexes_.empty() ? none : right / static_cast<double>(size());
  }

  double direction(const std::vector<float>& of_premise, const std::vector<float>& of_hypothesis) const {
    if (of_hypothesis.empty() || indexes_.empty()) return none;
    std::vector<float> premise, hypothesis;
    for (const std::size_t i : indexes_) {
      premise.push_back(of_premise[i]);
      hypothesis.push_back(of_hypothesis[i]);
    }
    return direction_accuracy(premise, hypothesis);
  }

  const NliPairs& pairs_;
  const NliScores& scores_;
  const NliScoring& scoring_;
  Indexes indexes_;
  std::vector<float> similarity_;
  std::vector<std::uint8_t> positive_;
};

Metric count_metric(std::string name, const SomePairs& pairs) {
  return {std::move(name), static_cast<double>(pairs.size()), Unit::count};
}

void add_directions(const SomePairs& directed, const std::string& part, std::vector<Metric>& metrics) {
  metrics.push_back(count_metric("directed_pairs" + part, directed));
  metrics.push_back({"direction_sim" + part, directed.direction_sim()});
  metrics.push_back({"direction_var" + part, directed.direction_var()});
}

void add_labels(const SomePairs& counted, double threshold, std::vector<Metric>& metrics) {
  for (const NliLabel label : {NliLabel::entailment, NliLabel::neutral, NliLabel::contradiction}) {
    const SomePairs labelled = counted.with_label(label);
    if (labelled.size() > 0)
      metrics.push_back({concat("accuracy.", nli_label_name(label)), labelled.accuracy(threshold)});
  }
}

void add_strata(const SomePairs& directed, std::vector<Metric>& metrics) {
  for (const LengthStratum& stratum : length_strata)
    add_directions(directed.of(stratum), concat(".", stratum.name), metrics);
  const SomePairs similar = directed.of(stratum_of_similar_length);
  metrics.push_back({"direction_length.similar_length", similar.direction_length()});
  metrics.push_back({"direction_words.similar_length", similar.direction_words()});
}

void add_finer_strata(const SomePairs& directed, std::vector<Metric>& metrics) {
  for (const LengthStratum& stratum : finer_length_strata) {
    const SomePairs some = directed.of(stratum);
    if (some.size() > 0) add_directions(some, concat(".", stratum.name), metrics);
  }
}

void add_groups(const NliPairs& pairs, const SomePairs& counted, double threshold, std::vector<Metric>& metrics) {
  if (pairs.group_key.empty()) return;
  std::map<std::string, Indexes> groups;
  for (const std::size_t i : counted.indexes()) {
    std::istringstream parts(pairs.group[i]);
    for (std::string part; std::getline(parts, part, ':');) {
      Indexes& group = groups[part];
      if (group.empty() || group.back() != i) group.push_back(i);
    }
  }
  for (auto& [name, indexes] : groups) {
    const SomePairs group = counted.some(std::move(indexes));
    const std::string part = concat(".", pairs.group_key, "=", name);
    metrics.push_back(count_metric("pairs" + part, group));
    metrics.push_back({"accuracy" + part, group.accuracy(threshold)});
    metrics.push_back({"majority" + part, group.majority()});
    metrics.push_back({"auprc" + part, group.auprc()});
    metrics.push_back({"positives" + part, group.positives()});
    add_directions(group.directed(), part, metrics);
  }
}

}  // namespace

bool counts(const NliPairs& pairs, const NliScoring& scoring, std::size_t pair) {
  return static_cast<NliLabel>(pairs.label[pair]) != NliLabel::none ||
         scoring.no_gold_label != setting::NoGoldLabel::drop;
}

std::vector<Metric> nli_metrics(const NliPairs& pairs, const NliScores& scores, const NliScoring& scoring,
                                std::optional<double> threshold) {
  Indexes counted_pairs;
  for (std::size_t i = 0; i < pairs.label.size(); ++i)
    if (counts(pairs, scoring, i)) counted_pairs.push_back(i);
  const SomePairs counted(pairs, scores, scoring, std::move(counted_pairs));
  const SomePairs directed = counted.directed();
  const double own = counted.own_threshold();
  const double chosen = threshold.value_or(own);
  std::vector<Metric> metrics = {count_metric("pairs", counted),
                                 {"accuracy", counted.accuracy(chosen)},
                                 {"threshold", chosen, Unit::number},
                                 {"auprc", counted.auprc()},
                                 {"auprc_length", counted.auprc_length()}};
  add_directions(directed, "", metrics);
  metrics.push_back({"direction_length", directed.direction_length()});
  metrics.push_back({"direction_words", directed.direction_words()});
  metrics.push_back({"majority", counted.majority()});
  metrics.push_back({"positives", counted.positives()});
  metrics.push_back({"accuracy_own", counted.accuracy(own)});
  add_labels(counted, chosen, metrics);
  metrics.push_back({"direction_length.ties_wrong", directed.longer()});
  if (!scores.log_std_premise.empty()) {
    add_strata(directed, metrics);
    metrics.push_back({"direction_var.length_correlation", counted.length_correlation(), Unit::number});
  }
  add_groups(pairs, counted, chosen, metrics);
  if (!scores.log_std_premise.empty()) add_finer_strata(directed, metrics);
  return metrics;
}

}  // namespace gausscse
