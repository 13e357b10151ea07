#include <nlohmann/json.hpp>

#include "inference/calibration/calibration.hpp"
#include "tests/launcher/metrics.hpp"
#include "tests/launcher/search_project.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// From `eval`, which fits on one set and measures another, to `search`, whose probabilities have the metrics of
/// `eval`.
TEST_F(Search, HasTheProbabilitiesThatEvalFitsAndMeasures) {
  const std::string hits_file = path("hits.json");
  // Of 80 premises, 40 entail the hypothesis that they are most similar to, and 40 another one.
  const auto write_set = [&](const std::string& name, std::uint64_t seed) {
    std::vector<std::string> premises = tiny_sentences(80, seed), hypotheses = tiny_sentences(80, seed + 1);
    for (std::size_t i = 0; i < 80; ++i) {
      premises[i] = concat("w", i / 9, " w", i % 9, " ", premises[i]);
      hypotheses[i] = concat("w", i % 9, " w", i / 9, " w1 ", hypotheses[i]);
    }
    const std::vector<Embedding> p = embed_one_by_one(model_, premises), h = embed_one_by_one(model_, hypotheses);
    std::string pairs;
    for (std::size_t i = 0; i < 80; ++i) {
      std::size_t best = 0;
      for (std::size_t j = 0; j < 80; ++j)
        if (per_dimension_similarity(h[i], p[j]) > per_dimension_similarity(h[i], p[best])) best = j;
      const std::size_t right = i % 2 == 0 ? best : (best + 1) % 80;
      const auto line = [&](const char* label, std::size_t premise) {
        return concat(R"({"gold_label": ")", label, R"(", "sentence1": ")", premises[premise], R"(", "sentence2": ")",
                      hypotheses[i], "\"}\n");
      };
      pairs += line("neutral", i) + line("entailment", right);
    }
    file(name + ".txt", lines_of(premises));
    file(name + "_queries.txt", lines_of(hypotheses));
    return name + "=" + file(name + ".jsonl", pairs);
  };
  const std::string dev = write_set("dev", 20), test = write_set("test", 30);
  const auto eval = [&](const std::vector<std::string>& options, int ranks = 0) {
    const ProgramRun done = run_expecting(
        0, with({"eval", model_, "--precision", "fp32", "--json", path("report.json"), "--overwrite"}, options), {},
        ranks);
    return std::pair(tasks_of_report(path("report.json")), done);
  };
  const auto [fitted, run_of_fit] = eval({"--retrieval", dev, "--retrieval", test, "--save-calibration", hits_file}, 2);
  EXPECT_TRUE(says(run_of_fit.errors, "calibration of hits: fitted on 40 of 80 queries of dev, among 80 documents"));
  EXPECT_TRUE(says(run_of_fit.output, "mean stated %"));
  const Calibration calibration = Calibration::read(hits_file);
  EXPECT_TRUE(calibration.is_of_hits());
  EXPECT_EQ(calibration.numbers().set, "dev");
  EXPECT_NE(calibration.numbers().weights, "");
  const auto [given, run_of_given] = eval({"--retrieval", test, "--calibration", hits_file});
  EXPECT_EQ(given.at("test"), fitted.at("test"));
  EXPECT_TRUE(says(run_of_given.output, "mean stated %"));
  const auto [again, run_again] = eval({"--retrieval", dev, "--calibration", hits_file});
  EXPECT_EQ(again.at("dev"), fitted.at("dev")) << "the fitted half is left out";
  const auto [without, run_without] = eval({"--retrieval", test, "--details"});
  EXPECT_FALSE(without.at("test").contains("logistic.nll"));
  const ProgramRun found = run_program({"search", model_, path("test.txt"), path("test_queries.txt"), "--top", "1",
                                        "--precision", "fp32", "--calibration", hits_file});
  double nll = 0;
  for (const PrintedRow& row : printed_rows(found.output)) {
    const double p = std::stod(row.probability);
    nll -= std::log(row.query % 2 == 0 ? p : 1 - p) / 80;
  }
  EXPECT_NEAR(nll, given.at("test").at("logistic.nll").get<double>(), 1e-4);
  EXPECT_GT(nll, 0.1);
  run_expecting(
      2, {"eval", model_, "--retrieval", test, "--calibration", hits_file, "--save-calibration", path("other.json")},
      {"--calibration excludes --save-calibration"});
  run_expecting(2, {"eval", path("saved"), "--retrieval", test, "--calibration", path("none.json")}, {"none.json"});
}

/// Every pair has P = 0.8, by a calibration of pairs that stands in for the model's own.
TEST_F(Search, MeasuresACalibrationOfPairsOnPairsAndOnBestHits) {
  std::string pairs;
  for (int i = 0; i < 4; ++i)
    pairs += concat(R"({"gold_label": ")", i == 0 ? "entailment" : "neutral", R"(", "sentence1": "w)", i,
                    R"( w2", "sentence2": "w)", i + 5, " w3\"}\n");
  const std::string set = file("few.jsonl", pairs), calibration_file = path("of.json");
  CalibrationNumbers numbers;
  numbers.platt = {0, std::log(4.0)};
  numbers.logistic.scale.fill(1);
  numbers.isotonic = {{0}, {0.5}};
  const auto measured = [&](CalibrationOf of) {
    numbers.of = of;
    write_bytes(calibration_file, Calibration(numbers).text());
    run_expecting(0, {"eval", model_, "--test", "pairs=" + set, "--retrieval", "hits=" + set, "--calibration",
                      calibration_file, "--json", path("few.json"), "--overwrite"});
    return tasks_of_report(path("few.json"));
  };
  const nlohmann::json by_pairs = measured(CalibrationOf::pairs);
  EXPECT_NEAR(by_pairs["pairs"]["platt.nll"].get<double>(), -(std::log(0.8) + 3 * std::log(0.2)) / 4, 1e-12);
  const bool is_right = by_pairs["hits"]["recall_at_1"].get<double>() == 1;
  EXPECT_NEAR(by_pairs["hits"]["platt.nll"].get<double>(), -std::log(is_right ? 0.8 : 0.2), 1e-12);
  EXPECT_FALSE(by_pairs["hits"].contains("platt.answered_10"));
  const nlohmann::json by_hits = measured(CalibrationOf::hits);
  EXPECT_FALSE(by_hits["pairs"].contains("platt.nll"));
  EXPECT_TRUE(by_hits["hits"].contains("platt.answered_10"));
}

}  // namespace
}  // namespace gausscse
