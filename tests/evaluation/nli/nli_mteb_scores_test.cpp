#include "tests/evaluation/nli/nli_task_fixture.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using namespace nli_task;  // the pairs and their metrics

class NliMtebScoresTest : public NliTaskTest {
 protected:
  std::vector<Metric> scores(const std::vector<Pair>& some, setting::NoGoldLabel no_gold_label, Similarity similarity,
                             bool wanted = true) const {
    std::string text;
    for (const Pair& pair : some) {
      constexpr const char* labels[] = {"entailment", "neutral", "contradiction", "-"};
      text += jsonl(labels[static_cast<std::size_t>(pair.label)], pair.premise, pair.hypothesis);
    }
    NliTaskSettings settings;
    settings.file = file(text);
    const NliTask task("snli", settings, model_to_read_for(tokenizer_, 64, 64, {.similarity = similarity}),
                       {.scoring = {.no_gold_label = no_gold_label}, .mteb_scores = wanted});
    return task.score(embeddings(task, some), {}).mteb_scores;
  }

  static double score(const std::vector<Metric>& scores, const char* name) { return find_metric(scores, name)->value; }
};

/// Steps of recall times precision at every score, by the definition.
double average_precision(const std::vector<Pair>& some, const std::vector<double>& similarity) {
  std::vector<double> thresholds = similarity;
  std::sort(thresholds.rbegin(), thresholds.rend());
  double sum = 0, before = 0;
  for (const double threshold : thresholds) {
    double said = 0, right = 0;
    for (std::size_t i = 0; i < some.size(); ++i) {
      said += similarity[i] >= threshold;
      right += similarity[i] >= threshold && some[i].label == entailment;
    }
    sum += (right - before) / static_cast<double>(entailments) * right / said;
    before = right;
  }
  return sum;
}

TEST_F(NliMtebScoresTest, AreOfTheModelsSimilarityAndOfTheMeans) {
  std::vector<double> cosine, dot, manhattan, euclidean;
  for (const Pair& pair : pairs) {
    // As an encoder gives them: pairs of one distance in decimals may differ in float32.
    std::array<double, dimension> p{}, h{};
    for (std::size_t d = 0; d < dimension; ++d) {
      p[d] = static_cast<double>(static_cast<float>(pair.of_premise.mean[d]));
      h[d] = static_cast<double>(static_cast<float>(pair.of_hypothesis.mean[d]));
    }
    dot.push_back(p[0] * h[0] + p[1] * h[1]);
    cosine.push_back(dot.back() / std::hypot(p[0], p[1]) / std::hypot(h[0], h[1]));
    manhattan.push_back(-std::abs(p[0] - h[0]) - std::abs(p[1] - h[1]));
    euclidean.push_back(-std::sqrt((p[0] - h[0]) * (p[0] - h[0]) + (p[1] - h[1]) * (p[1] - h[1])));
  }
  for (const Similarity kind : {Similarity::per_dimension, Similarity::joint}) {
    const std::vector<Metric> found = scores(pairs, setting::NoGoldLabel::non_entailment, kind);
    EXPECT_NEAR(score(found, "similarity_ap"), average_precision(pairs, similarities(pairs, kind)), 1e-12);
    EXPECT_NEAR(score(found, "cosine_ap"), average_precision(pairs, cosine), 1e-12);
    EXPECT_NEAR(score(found, "dot_ap"), average_precision(pairs, dot), 1e-12);
    EXPECT_NEAR(score(found, "manhattan_ap"), average_precision(pairs, manhattan), 1e-12);
    EXPECT_NEAR(score(found, "euclidean_ap"), average_precision(pairs, euclidean), 1e-12);
  }
}

TEST_F(NliMtebScoresTest, CountThePairsThatTheAccuracyCounts) {
  std::vector<Pair> with_unlabelled = pairs, as_neutral = pairs, without = pairs;
  with_unlabelled[6].label = NliLabel::none;
  as_neutral[6].label = neutral;
  without.erase(without.begin() + 6);
  const auto values = [&](const std::vector<Pair>& some, setting::NoGoldLabel rule) {
    std::vector<double> all;
    for (const Metric& metric : scores(some, rule, Similarity::per_dimension)) all.push_back(metric.value);
    return all;
  };
  const auto kept = values(with_unlabelled, setting::NoGoldLabel::non_entailment);
  const auto dropped = values(with_unlabelled, setting::NoGoldLabel::drop);
  EXPECT_EQ(kept, values(as_neutral, setting::NoGoldLabel::drop));
  EXPECT_EQ(dropped, values(without, setting::NoGoldLabel::drop));
  EXPECT_NE(kept, dropped);
}

TEST_F(NliMtebScoresTest, AreThereOnlyIfWanted) {
  EXPECT_TRUE(scores(pairs, setting::NoGoldLabel::drop, Similarity::joint, false).empty());
  EXPECT_EQ(scores(pairs, setting::NoGoldLabel::drop, Similarity::joint, true).size(), 5 * 7 + 6u);
}

}  // namespace
}  // namespace gausscse
