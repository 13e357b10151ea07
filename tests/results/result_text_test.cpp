#include "results/result_text.hpp"

#include <nlohmann/json.hpp>

#include "results/json_report.hpp"
#include "results/text_table.hpp"
#include "tests/results/sample_result.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TEST(Sparkline, HasOneHeightAValue) {
  EXPECT_EQ(sparkline(std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7}, 20), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(sparkline(std::vector<double>{7, 0, 3.4}, 3), "█▁▄");
  EXPECT_EQ(sparkline(std::vector<double>{-5}, 3), "▄");
  EXPECT_EQ(sparkline(std::vector<double>{2, 2, 2}, 3), "▄▄▄");
  EXPECT_EQ(sparkline({}, 3), "");
}

TEST(Sparkline, TakesTheMeanOfEachPart) {
  EXPECT_EQ(sparkline(std::vector<double>{0, 0, 7, 1, 8, 8}, 3), "▁▅█");
  EXPECT_EQ(sparkline(std::vector<double>{0, 9, 0, 9, 9}, 2), "▁█");  // 4.5 and 6
}

TEST(Sparkline, LeavesOutWhatIsNotFinite) {
  EXPECT_EQ(sparkline(std::vector<double>{0, NAN, 1}, 3), "▁ █");
  EXPECT_EQ(sparkline(std::vector<double>{0, INFINITY, 1, NAN}, 2), "▁█");
  EXPECT_EQ(sparkline(std::vector<double>{NAN}, 3), " ");
}

TEST(TextTable, AlignsItsColumns) {
  EXPECT_EQ(text_table({{"a", "bb"}, {"ccc", "d"}}), "a    bb\nccc   d\n");
  EXPECT_EQ(text_table({{"\u0120a", "\u4e2d"}, {"b", "cc"}}), "\u0120a   \u4e2d\nb   cc\n");
  EXPECT_EQ(text_table({}), "");
  EXPECT_EQ(percent_text(0.125), "12.50");
  EXPECT_EQ(percent_text(std::nan("")), "-");
  EXPECT_EQ(fixed_text(1.25, 3), "1.250");
}

/// Columns go on below where a line is full, each once, behind the first ones again; one that is too wide is alone.
TEST(TextTable, BreaksLinesThatAreTooWide) {
  const std::vector<std::vector<std::string>> rows{{"k", "n", "first", "2nd", "too wide", "z"},
                                                   {"long", "x", "1", "2", "3", "4"}};
  EXPECT_EQ(text_table(rows, 14),
            "k     n  first\nlong  x      1\n"
            "k     2nd\nlong    2\n"
            "k     too wide\nlong         3\n"
            "k     z\nlong  4\n");
  EXPECT_EQ(text_table(rows, 13, 2),
            "k     n  first\nlong  x      1\n"
            "k     n  2nd\nlong  x    2\n"
            "k     n  too wide\nlong  x         3\n"
            "k     n  z\nlong  x  4\n");
  EXPECT_EQ(text_table(rows, 32), text_table(rows));
  EXPECT_TRUE(says(text_table(rows, 31), "\nk     z\n"));
}

TEST(ResultText, ReportsAllOfAResult) {
  RunResult result = sample_result();
  result.states.resize(1);
  EXPECT_EQ(result_text(result, CurveStyle::plain),
            "  gausscse 0.1.0 (0123abc), HDF5 1.10.8, LibTorch 2.11.0\n"
            "  3 ranks on NVIDIA H200 (compute capability 9.0), cpu, 2 threads each, kernels for avx2, avx512, bf16 "
            "instructions amx, none\n"
            "  hosts: one, two\n"
            "made from (XXH3-128):\n"
            "  00112233445566778899aabbccddeeff  /data/train.jsonl\n"
            "configuration:\n"
            "  format: gausscse-trial/2\n"
            "  output: \"/caf\u00e9\"\n"
            "training steps: 2, from step 1 to 2\n"
            "  step    loss  learning rate  gradient norm  examples/s\n"
            "  1     4.5000          1e-05        10.0000         100\n"
            "  2     4.2500          2e-05         9.0000         101\n"
            "measurements of dev: 2, from step 0 to 2\n"
            "  step  pairs  auprc %  threshold\n"
            "  0         4    60.00     0.5000\n"
            "  2         4    55.12     0.6130\n"
            "measurements of tokens: 3, from step 0 to 2\n"
            "  step    norm\n"
            "  0     7.0000\n"
            "  1     8.0000\n"
            "  2     9.0000\n" +
                measurement_table(result.states[0]));
}

TEST(ResultText, BreaksCurvesOfManyMetrics) {
  RunResult result = sample_result();
  Curve& curve = result.curves[0];
  const auto line = curve.lines[0];
  for (int i = 0; i < 9; ++i) curve.lines.push_back({"metric_number_" + std::to_string(i), line.unit, line.values});
  std::istringstream lines(result_text(result, CurveStyle::plain));
  std::size_t headings = 0;
  for (std::string text; std::getline(lines, text);) {
    const bool is_heading = text.starts_with("  step") && says(text, "metric_number_");
    headings += is_heading;
    EXPECT_TRUE(!is_heading || text.size() <= measurement_width + 2) << text;
  }
  EXPECT_EQ(headings, 2u);
}

TEST(ResultText, SaysWhatARunContinues) {
  RunResult result = sample_result();
  EXPECT_FALSE(nlohmann::json::parse(json_report(result)).at("provenance").contains("continued"));
  result.provenance.continued = sample_continued();
  EXPECT_NE(result_text(result, CurveStyle::plain)
                .find("  hosts: one, two\n"
                      "  continues the run 0f1e of /runs/first after step 20, from the checkpoint 2d3c\n"
                      "    training.max_steps: 20, now 40\n"
                      "    tasks: changed\n"
                      "made from (XXH3-128):\n"),
            std::string::npos);
  const nlohmann::json continued = nlohmann::json::parse(json_report(result)).at("provenance").at("continued");
  EXPECT_EQ(continued, nlohmann::json::parse(R"({"folder": "/runs/first", "run": "0f1e", "checkpoint": "2d3c",
      "step": 20, "changes": ["training.max_steps: 20, now 40", "tasks: changed"]})"));
}

TEST(ResultText, SaysThatMemoryWasRefused) {
  RunResult result = sample_result();
  EXPECT_FALSE(nlohmann::json::parse(json_report(result)).contains("halved_micro_batch"));
  result.halved_micro_batch = "to 4 examples from step 3 on: why";
  EXPECT_NE(result_text(result, CurveStyle::plain)
                .find("\nmicro-batch halved to 4 examples from step 3 on: why\ntraining steps: 2"),
            std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(json_report(result)).at("halved_micro_batch"), "to 4 examples from step 3 on: why");
}

TEST(ResultText, SaysThatATrainingEndedEarly) {
  RunResult result = sample_result();
  EXPECT_FALSE(nlohmann::json::parse(json_report(result)).contains("ended_early"));
  result.ended_early = "after step 3 of 9: why";
  EXPECT_NE(result_text(result, CurveStyle::plain).find("\nended early after step 3 of 9: why\ntraining steps: 2"),
            std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(json_report(result)).at("ended_early"), "after step 3 of 9: why");
}

TEST(ResultText, DrawsCurvesForATerminal) {
  const RunResult result = sample_result();
  EXPECT_EQ(curves_text(result.training, result.curves, CurveStyle::sparkline),
            "training steps: 2, from step 1 to 2\n"
            "  loss            4.5000  to  4.2500  █▁\n"
            "  learning rate    1e-05  to   2e-05  ▁█\n"
            "  gradient norm  10.0000  to  9.0000  █▁\n"
            "  examples/s         100  to     101  ▁█\n"
            "measurements of dev: 2, from step 0 to 2\n"
            "  pairs           4  to       4  ▄▄\n"
            "  auprc %     60.00  to   55.12  █▁\n"
            "  threshold  0.5000  to  0.6130  ▁█\n"
            "measurements of tokens: 3, from step 0 to 2\n"
            "  norm  7.0000  to  9.0000  ▁▅█\n");
}

TEST(ResultText, ShowsTheBackboneNextToCurves) {
  const RunResult sample = sample_result();
  const StateResult backbone{
      backbone_state, 0, {{"dev", "nli", false, {{"auprc", 0.625}, {"threshold", 0.75, Unit::number}}, {}, ""}}};
  EXPECT_NE(curves_text(sample.training, sample.curves, CurveStyle::plain, &backbone)
                .find("measurements of dev: 2, from step 0 to 2\n"
                      "  step      pairs  auprc %  threshold\n"
                      "  backbone      -    62.50     0.7500\n"
                      "  0             4    60.00     0.5000\n"
                      "  2             4    55.12     0.6130\n"
                      "measurements of tokens: 3, from step 0 to 2\n"
                      "  step    norm\n"
                      "  0     7.0000\n"),
            std::string::npos);
  EXPECT_NE(curves_text(sample.training, sample.curves, CurveStyle::sparkline, &backbone)
                .find("measurements of dev: 2, from step 0 to 2\n"
                      "  pairs      backbone       -,       4  to       4  ▄▄\n"
                      "  auprc %    backbone   62.50,   60.00  to   55.12  █▁\n"
                      "  threshold  backbone  0.7500,  0.5000  to  0.6130  ▁█\n"
                      "measurements of tokens: 3, from step 0 to 2\n"
                      "  norm  7.0000  to  9.0000  ▁▅█\n"),
            std::string::npos);
}

TEST(ResultText, ChoosesStepsEvenly) {
  TrainingSeries training;
  for (int step = 0; step < 100; ++step) {
    training.step.push_back(step);
    for (auto* column : {&training.loss, &training.learning_rate, &training.gradient_norm,
                         &training.examples_per_second, &training.tokens_per_second})
      column->push_back(step);
  }
  const std::string text = curves_text(training, {}, CurveStyle::plain);
  for (const int step : {0, 9, 18, 27, 36, 45, 54, 63, 72, 81, 90, 99})
    EXPECT_NE(text.find("\n  " + std::to_string(step) + " "), std::string::npos) << step << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 1 + 12);
}

TEST(JsonReport, OfAResultHasAllButTheScores) {
  const nlohmann::json report = nlohmann::json::parse(json_report(sample_result()));
  EXPECT_EQ(report.at("kind"), "result");
  EXPECT_EQ(report.at("configuration"), sample_result().configuration);
  EXPECT_EQ(report.at("provenance").at("ranks"), 3);
  EXPECT_EQ(report.at("provenance").at("hosts").at(1), "two");
  EXPECT_EQ(report.at("provenance").at("devices").at(1), "NVIDIA H200 (compute capability 9.0)");
  EXPECT_EQ(report.at("provenance").at("libraries").at("HDF5"), "1.10.8");
  EXPECT_EQ(report.at("provenance").at("made_from").at(0).at("xxh3_128"), "00112233445566778899aabbccddeeff");
  EXPECT_EQ(report.at("training").at("gradient_norm"), (nlohmann::json{10.0, 9.0}));
  EXPECT_EQ(report.at("curves").at("dev").at("auprc"), (nlohmann::json{0.6, 0.55125}));
  EXPECT_EQ(report.at("curves").at("tokens").at("step"), (nlohmann::json{0, 1, 2}));
  EXPECT_EQ(report.at("states").at(1).at("state"), "last");
  EXPECT_EQ(report.at("states").at(0).at("tasks").at("mnli").at("auprc"), 0.75);
}

}  // namespace
}  // namespace gausscse
