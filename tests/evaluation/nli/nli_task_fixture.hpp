#pragma once

#include <ATen/ops/empty.h>

#include "evaluation/nli/nli_task.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/evaluation/task/model_to_read_for.hpp"
#include "tests/support/testing.hpp"

/// Ten pairs with their Gaussians and the metrics that follow from them, by the definitions.
namespace gausscse::nli_task {

inline constexpr std::size_t dimension = 2;

struct Gaussian {
  std::array<double, dimension> mean, log_var;
};

struct Pair {
  std::string premise, hypothesis;
  NliLabel label;
  Gaussian of_premise, of_hypothesis;
};

inline constexpr NliLabel entailment = NliLabel::entailment, neutral = NliLabel::neutral,
                          contra = NliLabel::contradiction;

/// The first five entail in one direction: similarity finds four, variance three, the means one, length three (one is a
/// tie). The sixth entails both ways, and no metric finds it. The seventh is nearly as similar as the fourth, so that a
/// threshold at every score and one at every 0.001 differ.
inline const std::vector<Pair> pairs = {
    {"a longer one", "a short", entailment, {{0.6, 0.2}, {1.1, 1.4}}, {{-0.6, -0.6}, {-1.1, -1.1}}},
    {"b longer one", "b short", entailment, {{0.2, -0.6}, {1.3, -0.8}}, {{-0.4, 0.8}, {0.0, -0.5}}},
    {"c longer one", "c short", entailment, {{-0.8, -0.3}, {-1.4, -0.7}}, {{-0.4, 0.2}, {-1.0, -1.1}}},
    {"d is equal", "d as equal", entailment, {{-0.2, -0.2}, {0.2, 1.2}}, {{0.6, 0.9}, {-0.6, -1.0}}},
    {"e short", "e longer one", entailment, {{-0.6, -0.4}, {0.5, -1.1}}, {{0.7, 0.3}, {-0.1, 1.2}}},
    {"f short", "f longer one", entailment, {{-0.7, -0.2}, {-0.3, -1.2}}, {{0.1, 0.5}, {-1.0, 0.1}}},
    {"g g", "g", neutral, {{-0.2, -0.2}, {0.2, 1.2}}, {{0.6, 0.901}, {-0.6, -1.0}}},
    {"h h", "h", contra, {{0.5, 0.6}, {-0.9, 1.3}}, {{0.8, 0.9}, {0.8, -1.1}}},
    {"i i", "i", neutral, {{-0.7, 1.0}, {1.3, -0.2}}, {{0.0, -0.4}, {0.1, -0.3}}},
    {"j j", "j", contra, {{-0.1, 0.8}, {0.8, -1.5}}, {{0.2, -0.2}, {-0.1, 0.8}}}};
inline constexpr std::size_t two_way = 5, entailments = 6;

/// Returns the formulas of model/objective/similarity.hpp, literally.
inline double similarity_of(const Gaussian& p, const Gaussian& q, Similarity kind) {
  double sum = 0;
  for (std::size_t d = 0; d < dimension; ++d) {
    const double std_p = std::exp(p.log_var[d] / 2), std_q = std::exp(q.log_var[d] / 2);
    const double kl = 0.5 * (std::pow(std_p / std_q, 2) + std::pow((p.mean[d] - q.mean[d]) / std_q, 2) - 1 -
                             2 * std::log(std_p / std_q));
    sum += kind == Similarity::joint ? kl : 1 / (1 + kl) / dimension;
  }
  return kind == Similarity::joint ? 1 / (1 + sum) : sum;
}

inline std::vector<double> similarities(const std::vector<Pair>& some, Similarity kind) {
  std::vector<double> all;
  for (const Pair& pair : some) all.push_back(similarity_of(pair.of_hypothesis, pair.of_premise, kind));
  return all;
}

inline double accuracy_of(const std::vector<Pair>& some, const std::vector<double>& similarity, double threshold) {
  std::size_t right = 0;
  for (std::size_t i = 0; i < some.size(); ++i) right += (similarity[i] >= threshold) == (some[i].label == entailment);
  return static_cast<double>(right) / static_cast<double>(some.size());
}

/// Returns the first of 0, 0.001, ..., 1 with the best accuracy.
inline double threshold_of(const std::vector<Pair>& some, const std::vector<double>& similarity) {
  double best = 0;
  for (int k = 1; k <= 1000; ++k)
    if (accuracy_of(some, similarity, k / 1000.0) > accuracy_of(some, similarity, best)) best = k / 1000.0;
  return best;
}

/// Trapezoids between the points at `thresholds`, from recall 0 and precision 1.
inline double area_of(const std::vector<Pair>& some, const std::vector<double>& similarity,
                      std::vector<double> thresholds) {
  std::sort(thresholds.rbegin(), thresholds.rend());
  const auto positives = static_cast<double>(
      std::count_if(some.begin(), some.end(), [](const Pair& pair) { return pair.label == entailment; }));
  double area = 0, recall_before = 0, precision_before = 1;
  for (const double threshold : thresholds) {
    double said = 0, right = 0;
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (similarity[i] < threshold) continue;
      ++said;
      right += some[i].label == entailment;
    }
    if (said == 0) continue;
    area += (right / positives - recall_before) * (right / said + precision_before) / 2;
    recall_before = right / positives;
    precision_before = right / said;
  }
  return area;
}

inline std::string sick_row(const Pair& pair, bool both_ways, const char* set) {
  const char* label = pair.label == entailment ? "ENTAILMENT" : pair.label == neutral ? "NEUTRAL" : "CONTRADICTION";
  return concat("7\t", pair.premise, "\t", pair.hypothesis, "\t", label, "\t4.0\t",
                pair.label == entailment ? "A_entails_B" : "A_neutral_B", "\t",
                both_ways ? "B_entails_A" : "B_neutral_A", "\tx\t", set, "\n");
}

/// TEST rows: `pairs`. TRIAL rows: the last five of them with other labels. Two rows of TRAIN among them.
inline std::vector<Pair> trial_pairs() {
  std::vector<Pair> some(pairs.end() - 5, pairs.end());
  for (Pair& pair : some) pair.label = pair.label == entailment ? neutral : entailment;
  some[1].label = contra;
  return some;
}

inline std::string sick_full() {
  std::string text =
      "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tentailment_AB\tentailment_BA\tx\t"
      "SemEval_set\n";
  const Pair of_train{"train one", "train two", entailment, {}, {}};
  text += sick_row(of_train, false, "TRAIN");
  for (const Pair& pair : trial_pairs()) text += sick_row(pair, false, "TRIAL");
  for (std::size_t i = 0; i < pairs.size(); ++i) text += sick_row(pairs[i], i == two_way, "TEST");
  return text + sick_row(of_train, true, "TRAIN");
}

class NliTaskTest : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& text) const {
    write_bytes(folder_ / "corpus", text);
    return folder_ / "corpus";
  }

  /// Returns `threshold` as in a trial.
  NliTask task(const std::string& text, const std::string& threshold, const NliScoring& scoring = {},
               Similarity similarity = Similarity::per_dimension) const {
    NliTaskSettings settings;
    settings.file = file(text);
    settings.threshold = threshold;
    return NliTask("sick", settings, model_to_read_for(tokenizer_, 64, 64, {.similarity = similarity}),
                   {.scoring = scoring});
  }

  static double metric(const Measurement& measurement, const char* name) { return metric_of(measurement, name); }

  template <typename Value>
  static std::vector<Value> column(const Measurement& measurement, const std::string& name) {
    for (const Column& each : measurement.columns)
      if (each.name == name) return std::get<std::vector<Value>>(each.values);
    ADD_FAILURE() << "no column " << name;
    return {};
  }

  /// Returns the sentence that a store has under a number, from its tokens.
  static std::string sentence(const TokenStore& store, std::uint32_t number) {
    std::vector<std::uint32_t> ids;
    store.append_tokens(number, ids);
    std::string text;
    for (std::size_t i = 1; i + 1 < ids.size(); ++i) text += static_cast<char>(ids[i] - 3);
    return text;
  }

  /// Returns the embeddings that an encoder would give for the task's sentences.
  static at::Tensor embeddings(const NliTask& task, const std::vector<Pair>& known) {
    std::map<std::string, Gaussian> gaussians;
    for (const Pair& pair : known) {
      gaussians[pair.premise] = pair.of_premise;
      gaussians[pair.hypothesis] = pair.of_hypothesis;
    }
    const auto count = static_cast<std::int64_t>(task.sentences().sentences());
    at::Tensor rows = at::empty({count, 2 * dimension}, at::kFloat);
    auto* value = rows.mutable_data_ptr<float>();
    for (std::uint32_t i = 0; i < count; ++i) {
      const Gaussian& gaussian = gaussians.at(sentence(task.sentences(), i));
      for (const double mean : gaussian.mean) *value++ = static_cast<float>(mean);
      for (const double log_var : gaussian.log_var) *value++ = static_cast<float>(log_var);
    }
    return rows;
  }

  static void expect_near(const std::vector<float>& values, const std::vector<double>& expected) {
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(static_cast<double>(values[i]), expected[i], 1e-6) << i;
  }

  TemporaryFolder folder_;
  ByteTokenizer tokenizer_;
};

}  // namespace gausscse::nli_task
