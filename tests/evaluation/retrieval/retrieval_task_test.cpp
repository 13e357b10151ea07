#include "evaluation/retrieval/retrieval_task.hpp"

#include <ATen/ops/empty.h>

#include "base/philox.hpp"
#include "base/strict_json.hpp"
#include "config/tasks/retrieval_metrics.hpp"
#include "evaluation/retrieval/retrieval_columns.hpp"
#include "model/similarities/list.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/evaluation/nli/nli_task_fixture.hpp"
#include "tests/evaluation/task/model_to_read_for.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Doubles = std::vector<double>;

class RetrievalTaskTest : public testing::Test {
 protected:
  RetrievalTask task(const RetrievalTaskSettings& settings, Similarity similarity, std::size_t threads = 1) const {
    return {"found", settings, model_to_read_for(tokenizer_, 64, 64, {.similarity = similarity}), {.threads = threads}};
  }

  TemporaryFolder folder_;
  ByteTokenizer tokenizer_;
};

/// Texts are d0, d1, ... and q0, q1, ..., so sentences of the task are the documents, then the queries.
TEST_F(RetrievalTaskTest, MetricsAreThoseOfTrecEval) {
  const JsonDocument golden_case = read_strict_json(golden("metrics/retrieval.json"));
  const nlohmann::json& all = golden_case;
  std::filesystem::create_directories(folder_ / "qrels");
  std::string corpus, queries, judgements = "query-id\tcorpus-id\tscore\n";
  const std::size_t documents = all["documents"].size(), count = all["queries"].size();
  for (std::size_t j = 0; j < documents; ++j) corpus += concat("{\"_id\": \"d", j, "\", \"text\": \"d", j, "\"}\n");
  for (std::size_t i = 0; i < count; ++i) {
    queries += concat("{\"_id\": \"q", i, "\", \"text\": \"q", i, "\"}\n");
    for (const auto& [document, grade] : all["grades"][i].items())
      judgements += concat("q", i, "\t", document, "\t", grade.get<int>(), "\n");
  }
  write_bytes(folder_ / "corpus.jsonl", corpus);
  write_bytes(folder_ / "queries.jsonl", queries);
  write_bytes(folder_ / "qrels/dev.tsv", judgements);
  const RetrievalTask found = task({.path = folder_.path(), .split = "dev"}, Similarity::cosine);
  at::Tensor rows = at::empty({static_cast<std::int64_t>(documents + count), 3}, at::kFloat);
  auto* value = rows.mutable_data_ptr<float>();
  for (const char* part : {"documents", "queries"})
    for (const auto& row : all[part])
      for (const auto& number : row) *value++ = number.get<float>();
  const Measurement measurement = found.score(rows);
  EXPECT_EQ(measurement.kind, "retrieval");
  for (const std::string_view metric : retrieval_metrics) {
    const auto expected = all["metrics"][std::string(metric)].get<Doubles>();
    const auto* const values = find_column<Doubles>(measurement, metric);
    ASSERT_TRUE(values && values->size() == count) << metric;
    for (std::size_t i = 0; i < count; ++i) EXPECT_NEAR((*values)[i], expected[i], 1e-12) << metric << " of q" << i;
    EXPECT_NEAR(metric_of(measurement, metric),
                std::accumulate(expected.begin(), expected.end(), 0.0) / static_cast<double>(count), 1e-12)
        << metric;
  }
  EXPECT_EQ(metric_of(measurement, "queries"), count);
  EXPECT_EQ(metric_of(measurement, "documents"), documents);
  EXPECT_EQ(find_column<std::vector<std::string>>(measurement, retrieval_columns::query)->at(3), "q3");
  EXPECT_EQ(find_column<std::vector<std::int64_t>>(measurement, retrieval_columns::relevant)->at(3), 130);
  EXPECT_EQ(find_metric(measurement.metrics, "cosine_map"), nullptr) << "it is the metric without a beginning";
}

using nli_task::Gaussian;

double gaussian_similarity(const Gaussian& p, const Gaussian& q, Similarity kind) {
  if (kind != Similarity::wasserstein) return nli_task::similarity_of(p, q, kind);
  double distance = 0;
  for (std::size_t d = 0; d < nli_task::dimension; ++d)
    distance +=
        std::pow(p.mean[d] - q.mean[d], 2) + std::pow(std::exp(p.log_var[d] / 2) - std::exp(q.log_var[d] / 2), 2);
  return 1 / (1 + distance);
}

double cosine_of(const Gaussian& p, const Gaussian& q) {
  return (p.mean[0] * q.mean[0] + p.mean[1] * q.mean[1]) /
         std::sqrt((p.mean[0] * p.mean[0] + p.mean[1] * p.mean[1]) * (q.mean[0] * q.mean[0] + q.mean[1] * q.mean[1]));
}

/// Random Gaussians of premises p0, p1, ... and of hypotheses h0, h1, ..., each of which three premises entail.
class GaussianRetrieval : public RetrievalTaskTest {
 protected:
  static constexpr std::size_t premises = 130, hypotheses = 40;

  GaussianRetrieval() {
    std::string text;
    PhiloxStream stream(11, 4);
    for (std::size_t i = 0; i < premises; ++i) {
      const std::size_t hypothesis = i % hypotheses;
      const std::string premise = concat("p", i);
      text += jsonl(i < 3 * hypotheses ? "entailment" : "neutral", premise, concat("h", hypothesis));
      if (i < 3 * hypotheses) entailing_[hypothesis].push_back(premise);
    }
    write_bytes(folder_ / "pairs.jsonl", text);
    for (const auto& [letter, count] : {std::pair{'p', premises}, {'h', hypotheses}})
      for (std::size_t i = 0; i < count; ++i) {
        Gaussian& gaussian = gaussians_[concat(letter, i)];
        for (auto* part : {&gaussian.mean, &gaussian.log_var})
          // Numbers that float32 holds.
          for (double& number : *part) number = static_cast<double>(stream.below(4097)) / 1024 - 2;
      }
  }

  at::Tensor embeddings(const RetrievalTask& found) const {
    at::Tensor rows = at::empty({static_cast<std::int64_t>(premises + hypotheses), 4}, at::kFloat);
    auto* value = rows.mutable_data_ptr<float>();
    const auto add = [&](const std::string& text) {
      for (const auto& part : {gaussians_.at(text).mean, gaussians_.at(text).log_var})
        for (const double number : part) *value++ = static_cast<float>(number);
    };
    for (const std::string& document : found.set().documents) add(document);
    for (const RetrievalQuery& query : found.set().queries) add(query.text);
    return rows;
  }

  /// Returns the metrics of a ranking, by its list of documents.
  template <typename Score>
  std::map<std::string, double> metrics_of(const Score& score) const {
    std::map<std::string, double> sums;
    for (std::size_t i = 0; i < hypotheses; ++i) {
      std::vector<std::pair<double, std::string>> ranking;
      for (std::size_t j = 0; j < premises; ++j)
        ranking.emplace_back(-score(gaussians_.at(concat("h", i)), gaussians_.at(concat("p", j))), concat("p", j));
      std::sort(ranking.begin(), ranking.end());
      const std::vector<std::string>& right = entailing_.at(i);
      double hits = 0, gain = 0, best = 0, precisions = 0, reciprocal = 0;
      for (std::size_t place = 0; place < ranking.size(); ++place) {
        const auto rank = static_cast<double>(place + 1);
        if (place < right.size()) best += 1 / std::log2(rank + 1);
        if (std::find(right.begin(), right.end(), ranking[place].second) != right.end()) {
          ++hits;
          if (place < 10) gain += 1 / std::log2(rank + 1);
          if (place < 10 && hits == 1) reciprocal = 1 / rank;
          precisions += hits / rank;
        }
        for (const std::size_t k : {1, 10, 100})
          if (place + 1 == k) sums[concat("recall_at_", k)] += hits / static_cast<double>(right.size());
      }
      sums["mrr_at_10"] += reciprocal;
      sums["ndcg_at_10"] += gain / best;
      sums["map"] += precisions / static_cast<double>(right.size());
    }
    for (auto& [name, sum] : sums) sum /= static_cast<double>(hypotheses);
    return sums;
  }

  std::map<std::string, Gaussian> gaussians_;
  std::map<std::size_t, std::vector<std::string>> entailing_;
};

TEST_F(GaussianRetrieval, DocumentsAreRankedInEachDirection) {
  for (const Similarity kind : {Similarity::per_dimension, Similarity::joint, Similarity::wasserstein}) {
    const RetrievalTask found = task({.path = folder_ / "pairs.jsonl"}, kind, 2);
    const Measurement measurement = found.score(embeddings(found));
    const auto of = [kind](const Gaussian& p, const Gaussian& q) { return gaussian_similarity(p, q, kind); };
    std::map<std::string, std::map<std::string, double>> expected;
    expected[""] = metrics_of([&](const Gaussian& query, const Gaussian& document) { return of(query, document); });
    expected["cosine_"] = metrics_of(cosine_of);
    if (kind != Similarity::wasserstein)
      expected["entailed_by_"] =
          metrics_of([&](const Gaussian& query, const Gaussian& document) { return of(document, query); });
    EXPECT_EQ(measurement.metrics.size(), 6 * expected.size() + 2);
    EXPECT_EQ(measurement.columns.size(), 6 * expected.size() + 2);
    for (const auto& [prefix, metrics] : expected)
      for (const auto& [name, value] : metrics)
        EXPECT_NEAR(metric_of(measurement, prefix + name), value, 1e-12) << prefix << name;
    for (const char* prefix : {"entailed_by_", "cosine_"})
      if (expected.contains(prefix)) {
        EXPECT_NE(expected[prefix]["map"], expected[""]["map"]) << prefix;
      }
    EXPECT_EQ(find_metric(measurement.metrics, "entailed_by_map") != nullptr, has_direction(kind));
  }
}

TEST_F(GaussianRetrieval, EmbeddingsThatAreNoNumbersAreRefused) {
  const RetrievalTask found = task({.path = folder_ / "pairs.jsonl"}, Similarity::joint);
  const at::Tensor rows = embeddings(found);
  rows.mutable_data_ptr<float>()[4 * 5 + 1] = std::nanf("");
  EXPECT_TRUE(
      says(refusal_of([&] { found.score(rows); }), "the task \"found\": sentence 5: the embedding has the value"));
}

/// The kind of the path decides where the key `from` is missing; the key decides where it is there.
TEST_F(RetrievalTaskTest, IsOfWhatThePathHolds) {
  write_bytes(folder_ / "SICK.txt",
              "sentence_A\tsentence_B\tentailment_label\tentailment_AB\tentailment_BA\tSemEval_set\n"
              "a\tb\tENTAILMENT\tA_entails_B\tB_neutral_A\tTEST\n"
              "c\td\tENTAILMENT\tA_entails_B\tB_entails_A\tTEST\n"
              "e\tf\tENTAILMENT\tA_entails_B\tB_neutral_A\tTRIAL\n");
  const auto set = [&](const RetrievalTaskSettings& settings) {
    std::string text;
    const RetrievalTask found = task(settings, Similarity::cosine);
    for (const RetrievalQuery& query : found.set().queries) text += query.text;
    return concat(text, " ", found.set().documents.size());
  };
  const std::filesystem::path sick = folder_ / "SICK.txt";
  EXPECT_EQ(set({.path = sick}), "b 6");
  EXPECT_EQ(set({.path = sick, .from = RetrievalFrom::sick, .rows = setting::SickRows::dev}), "f 6");
  EXPECT_EQ(set({.path = sick, .from = RetrievalFrom::nli}), "bd 3");
  EXPECT_EQ(set({.path = sick, .from = RetrievalFrom::nli, .rows = setting::SickRows::dev}), "f 3");
  EXPECT_TRUE(says(refusal_of([&] { set({.path = sick, .from = RetrievalFrom::beir}); }), "corpus.jsonl"));
  write_bytes(folder_ / "own.csv", "why,what,verdict\na,b,1\nc,d,0\n");
  EXPECT_EQ(
      set({.path = folder_ / "own.csv",
           .layout = {.premise = "why", .hypothesis = "what", .label = "verdict", .entailment = "1", .neutral = "0"}}),
      "b 2");
}

TEST_F(RetrievalTaskTest, ReportsWhatItRead) {
  write_bytes(folder_ / "pairs.jsonl", jsonl("entailment", "a", "b") + jsonl("entailment", "b", "c") +
                                           jsonl("entailment", "d", "d") + jsonl("neutral", "e", "f"));
  const ListedTask listed = make_task("found", RetrievalTaskSettings{.path = folder_ / "pairs.jsonl"},
                                      model_to_read_for(tokenizer_, 64, 16, {.similarity = Similarity::cosine}), {});
  EXPECT_EQ(listed.notes,
            (std::vector<std::string>{"found: 2 queries, 4 documents",
                                      "found: 1 queries without a relevant document are left out",
                                      "found: for 1 queries the document with their own id or text is left out",
                                      "found: 0.0 % of 5 sentences are cut at 64 tokens"}));
  EXPECT_FALSE(listed.of_sick);
  EXPECT_EQ(listed.pairs, 0u);
}

}  // namespace
}  // namespace gausscse
