#include <nlohmann/json.hpp>

#include "tests/launcher/metrics.hpp"
#include "tests/launcher/program.hpp"
#include "tests/launcher/tiny_model.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using nlohmann::json;
class EvalRetrieval : public TinyProjectTest {
 protected:
  EvalRetrieval() { save_tiny_model(project_, saved(), {.similarity = Similarity::joint}); }

  std::string saved() const { return path("saved"); }

  json measure(const std::vector<std::string>& options, int ranks = 0) {
    const std::string report = path("report.json");
    run_ = run_program(with({"eval", saved(), "--precision", "fp32", "--json", report, "--overwrite"}, options), ranks);
    EXPECT_EQ(run_.exit_code, 0) << run_.errors;
    return tasks_of_report(report);
  }

  ProgramRun run_;
};

/// Right for a hypothesis is the premise with the largest sim(hypothesis || premise), by embeddings one by one; a
/// folder in BEIR's layout of the same texts gives the same metrics.
TEST_F(EvalRetrieval, IsByTheDirectionInWhichTheDocumentEntails) {
  constexpr std::size_t count = 80;
  std::vector<std::string> premises = tiny_sentences(count, 9), hypotheses = tiny_sentences(count, 10);
  for (std::size_t i = 0; i < count; ++i) {
    premises[i] = concat("w", i / 9, " w", i % 9, " ", premises[i]);
    hypotheses[i] = concat("w", i % 9, " w", i / 9, " w1 ", hypotheses[i]);
  }
  const std::vector<Embedding> p = embed_one_by_one(saved(), premises), h = embed_one_by_one(saved(), hypotheses);
  std::vector<std::size_t> right(count);
  double other_way = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j)
      if (joint_similarity(h[i], p[j]) > joint_similarity(h[i], p[right[i]])) right[i] = j;
    double rank = 1;
    for (std::size_t j = 0; j < count; ++j) rank += joint_similarity(p[j], h[i]) > joint_similarity(p[right[i]], h[i]);
    other_way += 1 / rank / count;
  }
  std::string pairs, corpus, queries, judgements = "query-id\tcorpus-id\tscore\n";
  const auto line = [](const char* letter, std::size_t i, const std::string& text) {
    return concat("{\"_id\": \"", letter, i, "\", \"text\": \"", text, "\"}\n");
  };
  const auto pair = [&](const char* label, std::size_t i, std::size_t j) {
    return concat(R"({"gold_label": ")", label, R"(", "sentence1": ")", premises[j], R"(", "sentence2": ")",
                  hypotheses[i], "\"}\n");
  };
  for (std::size_t i = 0; i < count; ++i) {
    pairs += pair("neutral", i, i) + pair("entailment", i, right[i]);
    corpus += line("d", i, premises[i]);
    queries += line("q", i, hypotheses[i]);
    judgements += concat("q", i, "\td", right[i], "\t1\n");
  }
  write_bytes(folder_ / "pairs.jsonl", pairs);
  std::filesystem::create_directories(folder_ / "beir/qrels");
  write_bytes(folder_ / "beir/corpus.jsonl", corpus);
  write_bytes(folder_ / "beir/queries.jsonl", queries);
  write_bytes(folder_ / "beir/qrels/dev.tsv", judgements);
  write_bytes(folder_ / "tasks.yaml",
              "tasks:\n  pairs: {kind: retrieval, files: pairs.jsonl}\n"
              "  beir: {kind: retrieval, files: beir, split: dev}\n");
  const json metrics = measure({"--tasks", path("tasks.yaml")});
  EXPECT_EQ(metrics["pairs"], metrics["beir"]);
  EXPECT_NEAR(metrics["pairs"]["map"].get<double>(), 1, 0.02) << "but for ties";
  EXPECT_NEAR(metrics["pairs"]["entailed_by_map"].get<double>(), other_way, 0.02);
  EXPECT_LT(other_way, 0.96) << "else this does not notice a swapped direction";
  EXPECT_EQ(measure({"--retrieval", "pairs=" + path("pairs.jsonl")}, 2)["pairs"], metrics["pairs"]);
  EXPECT_TRUE(says(run_.errors, "pairs: 80 queries, 80 documents"));
  run_expecting(2, {"eval", saved(), "--retrieval", "beir=" + path("beir")}, {"qrels/test.tsv"});
  EXPECT_EQ(measure({"--retrieval", path("pairs.jsonl")})["pairs"], metrics["pairs"]);
}

}  // namespace
}  // namespace gausscse
