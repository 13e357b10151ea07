#include "experiments/evaluation/nli_task.hpp"

#include <ATen/ops/index_select.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "data/corpus/corpus_format.hpp"
#include "data/corpus/nli_reader.hpp"
#include "data/corpus/string_table.hpp"
#include "experiments/evaluation/metrics.hpp"
#include "experiments/evaluation/metrics_length.hpp"

namespace gausscse {

namespace {

/// Pairs scored at once: bounds the copies of embeddings.
constexpr std::int64_t pairs_of_block = 4096;

at::Tensor rows_of(const at::Tensor& embeddings, const std::vector<std::uint32_t>& sentences, std::int64_t begin,
                   std::int64_t end) {
  const std::vector<std::int64_t> rows(sentences.begin() + begin, sentences.begin() + end);
  return embeddings.index_select(0, at::tensor(rows, at::kLong));
}

void append(const at::Tensor& values, std::vector<float>& to) {
  const at::Tensor floats = values.to(at::kFloat).contiguous();
  const float* data = floats.const_data_ptr<float>();
  to.insert(to.end(), data, data + floats.numel());
}

/// sum over d of log standard deviation = half the sum of log-variances; [n, 2*dimension] -> [n].
at::Tensor log_std_sum(const at::Tensor& rows) {
  const std::int64_t dimension = rows.size(1) / 2;
  return rows.narrow(1, dimension, dimension).sum(1, false, at::kDouble).mul_(0.5);
}

void check_two_way_pairs(const std::filesystem::path& file, const NliScoring& scoring) {
  if (scoring.two_way_pairs != setting::TwoWayPairs::drop || detect_format(file) != CorpusFormat::sick_semeval) return;
  throw InputError(concat(
      file.string(),
      ": two_way_pairs is drop, but this file of SICK does not tell which pairs entail both ways (it has ",
      "no columns entailment_AB and entailment_BA), so that they would stay in the direction figures: give the full ",
      "release, SICK.txt, or set two_way_pairs to keep"));
}

}  // namespace

NliTask::NliTask(std::string name, Role role, const std::filesystem::path& file, const Tokenizer& tokenizer,
                 const NliTaskSettings& settings)
    : name_(std::move(name)), role_(role), settings_(settings) {
  check_two_way_pairs(file, settings.scoring);
  StringTable table;
  std::size_t entailments = 0;
  const ReadOptions options{
      .bad_lines = settings.bad_lines, .sick_set = role == Role::dev ? "TRIAL" : "TEST", .trim = settings.trim};
  for_each_nli_pair(file, options, report_, [&](NliPair&& pair) {
    premise_.push_back(table.intern(pair.premise));
    hypothesis_.push_back(table.intern(pair.hypothesis));
    label_.push_back(static_cast<std::uint8_t>(pair.label));
    both_ways_.push_back(pair.entails_both_ways ? 1 : 0);
    length_tells_.push_back(length_tells_direction(pair.premise, pair.hypothesis));
    entailments += pair.label == NliLabel::entailment;
  });
  if (entailments == 0)
    throw InputError(
        concat(file.string(), ": none of its ", report_.pairs,
               " pairs is an entailment: neither accuracy nor direction can be measured; give another set"));
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < table.size(); ++i) sentences.emplace_back(table[static_cast<std::uint32_t>(i)]);
  store_.emplace(TokenStore::from_sentences(sentences, tokenizer, settings.max_tokens, settings.threads));
}

TestResult NliTask::evaluate(const at::Tensor& embeddings, double threshold) const {
  TestResult result;
  result.name = name_;
  NliScores& scores = result.scores;
  const auto pairs = static_cast<std::int64_t>(premise_.size());
  for (std::int64_t begin = 0; begin < pairs; begin += pairs_of_block) {
    const std::int64_t end = std::min(pairs, begin + pairs_of_block);
    const at::Tensor premise = rows_of(embeddings, premise_, begin, end);
    const at::Tensor hypothesis = rows_of(embeddings, hypothesis_, begin, end);
    append(pairwise_similarity(hypothesis, premise, settings_.similarity), scores.sim_hypothesis_premise);
    append(pairwise_similarity(premise, hypothesis, settings_.similarity), scores.sim_premise_hypothesis);
    append(log_std_sum(premise), scores.log_std_premise);
    append(log_std_sum(hypothesis), scores.log_std_hypothesis);
  }
  scores.label = label_;
  scores.entails_both_ways = both_ways_;
  result.metrics = metrics(scores, threshold);
  return result;
}

NliMetrics NliTask::metrics(const NliScores& scores, double threshold) const {
  // Pairs that the accuracy counts, and those that entail in one direction.
  std::vector<float> similarity, forward, backward, log_std_premise, log_std_hypothesis;
  std::vector<std::uint8_t> positive;
  std::int64_t told_by_length = 0;
  for (std::size_t i = 0; i < label_.size(); ++i) {
    const auto label = static_cast<NliLabel>(label_[i]);
    if (label == NliLabel::none && settings_.scoring.no_gold_label == setting::NoGoldLabel::drop) continue;
    similarity.push_back(scores.sim_hypothesis_premise[i]);
    positive.push_back(label == NliLabel::entailment);
    if (label != NliLabel::entailment) continue;
    if (both_ways_[i] && settings_.scoring.two_way_pairs == setting::TwoWayPairs::drop) continue;
    forward.push_back(scores.sim_hypothesis_premise[i]);
    backward.push_back(scores.sim_premise_hypothesis[i]);
    log_std_premise.push_back(scores.log_std_premise[i]);
    log_std_hypothesis.push_back(scores.log_std_hypothesis[i]);
    told_by_length += length_tells_[i];
  }
  NliMetrics metrics;
  metrics.pairs = static_cast<std::int64_t>(similarity.size());
  metrics.threshold = role_ == Role::dev ? best_threshold(similarity, positive) : threshold;
  metrics.accuracy = accuracy_at(metrics.threshold, similarity, positive);
  metrics.auprc = settings_.scoring.auprc == setting::Auprc::sweep
                      ? area_under_precision_recall_sweep(similarity, positive)
                      : area_under_precision_recall(similarity, positive);
  metrics.directed_pairs = static_cast<std::int64_t>(forward.size());
  if (forward.empty()) {
    metrics.direction_sim = metrics.direction_var = metrics.direction_length = std::numeric_limits<double>::quiet_NaN();
    return metrics;
  }
  metrics.direction_sim = direction_accuracy(forward, backward);
  metrics.direction_var = direction_accuracy(log_std_premise, log_std_hypothesis);
  metrics.direction_length = static_cast<double>(told_by_length) / static_cast<double>(forward.size());
  return metrics;
}

}  // namespace gausscse
