#include "tests/launcher/nli_reference.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace gausscse {

namespace {

bool entails(const ReferencePair& pair) {
  return pair.label == "entailment";
}

double log_std_sum(const Embedding& embedding) {
  double sum = 0;
  for (std::size_t i = embedding.size() / 2; i < embedding.size(); ++i) sum += 0.5 * static_cast<double>(embedding[i]);
  return sum;
}

std::string sick_row(const std::string& premise, const std::string& hypothesis, const std::string& label,
                     bool both_ways, const std::string& set) {
  const char* ab = label == "ENTAILMENT" ? "A_entails_B" : label == "NEUTRAL" ? "A_neutral_B" : "A_contradicts_B";
  return "1\t" + premise + "\t" + hypothesis + "\t" + label + "\t3.5\t" + ab + "\t" +
         (both_ways ? "B_entails_A" : "B_neutral_A") + "\tx\ty\tFLICKR\tFLICKR\t" + set + "\n";
}

}  // namespace

std::vector<ReferencePair> tiny_pairs(std::size_t count, std::uint64_t seed) {
  const std::vector<std::string> premises = tiny_sentences(count, seed), hypotheses = tiny_sentences(count, seed + 1);
  std::vector<ReferencePair> pairs;
  for (std::size_t i = 0; i < count; ++i)
    pairs.push_back({.premise = premises[i], .hypothesis = hypotheses[i], .label = ""});
  return pairs;
}

void score_pairs(const std::filesystem::path& model, std::vector<ReferencePair>& pairs) {
  std::vector<std::string> premises, hypotheses;
  for (const ReferencePair& pair : pairs) {
    premises.push_back(pair.premise);
    hypotheses.push_back(pair.hypothesis);
  }
  const std::vector<Embedding> of_premises = embed_one_by_one(model, premises);
  const std::vector<Embedding> of_hypotheses = embed_one_by_one(model, hypotheses);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i].forward = per_dimension_similarity(of_hypotheses[i], of_premises[i]);
    pairs[i].backward = per_dimension_similarity(of_premises[i], of_hypotheses[i]);
    pairs[i].premise_log_std = log_std_sum(of_premises[i]);
    pairs[i].hypothesis_log_std = log_std_sum(of_hypotheses[i]);
  }
}

void label_pairs(std::vector<ReferencePair>& pairs) {
  const double median = similarity_quantile(pairs, 0.5);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const bool entailment = (pairs[i].forward > median) != (i % 7 == 0);
    pairs[i].label = entailment ? "entailment" : i % 2 == 0 ? "neutral" : "contradiction";
  }
}

std::string snli_lines(const std::vector<ReferencePair>& pairs) {
  std::string lines;
  for (const ReferencePair& pair : pairs)
    lines += R"({"gold_label": ")" + pair.label + R"(", "sentence1": ")" + pair.premise + R"(", "sentence2": ")" +
             pair.hypothesis + R"(", "pairID": "1"})" + "\n";
  return lines;
}

std::string sick_lines(const std::vector<ReferencePair>& pairs) {
  std::string lines =
      "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tentailment_AB\tentailment_BA\t"
      "sentence_A_original\tsentence_B_original\tsentence_A_dataset\tsentence_B_dataset\tSemEval_set\n";
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const ReferencePair& pair = pairs[i];
    const char* label = entails(pair) ? "ENTAILMENT" : pair.label == "neutral" ? "NEUTRAL" : "CONTRADICTION";
    lines += sick_row(pair.premise, pair.hypothesis, label, pair.both_ways, "TEST");
    if (i % 3 == 0) lines += sick_row(pair.hypothesis, pair.premise, label, false, i % 2 == 0 ? "TRAIN" : "TRIAL");
  }
  return lines;
}

double similarity_quantile(const std::vector<ReferencePair>& pairs, double quantile) {
  std::vector<double> all;
  for (const ReferencePair& pair : pairs) all.push_back(pair.forward);
  std::sort(all.begin(), all.end());
  return all[static_cast<std::size_t>(quantile * static_cast<double>(all.size() - 1))];
}

double reference_accuracy(const std::vector<ReferencePair>& pairs, double threshold) {
  const auto right = std::count_if(pairs.begin(), pairs.end(), [&](const ReferencePair& pair) {
    return (pair.forward >= threshold) == entails(pair);
  });
  return static_cast<double>(right) / static_cast<double>(pairs.size());
}

double reference_threshold(const std::vector<ReferencePair>& pairs) {
  double best = 0;
  for (int k = 0; k <= 1000; ++k)
    if (reference_accuracy(pairs, k / 1000.0) > reference_accuracy(pairs, best)) best = k / 1000.0;
  return best;
}

double reference_auprc(const std::vector<ReferencePair>& pairs, const std::vector<double>& thresholds) {
  double area = 0, last_recall = 0, last_precision = 1;
  const auto positives = static_cast<double>(std::count_if(pairs.begin(), pairs.end(), entails));
  for (const double threshold : thresholds) {
    double said = 0, right = 0;
    for (const ReferencePair& pair : pairs) {
      if (pair.forward < threshold) continue;
      ++said;
      right += entails(pair);
    }
    if (said == 0) continue;
    const double recall = right / positives, precision = right / said;
    area += (recall - last_recall) * (precision + last_precision) / 2;
    last_recall = recall;
    last_precision = precision;
  }
  return area;
}

std::vector<double> distinct_similarities(const std::vector<ReferencePair>& pairs) {
  std::vector<double> all;
  for (const ReferencePair& pair : pairs) all.push_back(pair.forward);
  std::sort(all.begin(), all.end(), std::greater<>());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<double> sweep_thresholds() {
  std::vector<double> thresholds;
  for (int k = 1000; k >= 0; --k) thresholds.push_back(k / 1000.0);
  return thresholds;
}

double reference_direction(const std::vector<ReferencePair>& pairs, bool with_both_ways,
                           bool (*is_right)(const ReferencePair&)) {
  double counted = 0, right = 0;
  for (const ReferencePair& pair : pairs) {
    if (!entails(pair) || (pair.both_ways && !with_both_ways)) continue;
    ++counted;
    right += is_right(pair);
  }
  return right / counted;
}

}  // namespace gausscse
