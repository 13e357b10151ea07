#include "results/result_file.hpp"
#include "tests/launcher/metrics.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

// Trainings whose embeddings are vectors: SimCSE's and in-batch pairs'.

namespace gausscse {
namespace {

namespace fs = std::filesystem;
const std::string sts = "tasks.sts={kind: sts, files: sts.csv, eval_every: 3}";

/// Returns the best accuracy of a task's scores, by trying the thresholds 0, 0.001, ..., 1.
double best_accuracy_of(const StateResult& state, const char* task) {
  const std::vector<float>& cosine = column_in(state, task, "sim_hypothesis_premise");
  const std::vector<std::uint8_t>& label = labels_in(state, task);
  std::size_t best = 0;
  for (int k = 0; k <= 1000; ++k) {
    std::size_t right = 0;
    for (std::size_t i = 0; i < label.size(); ++i)
      right += (static_cast<double>(cosine[i]) >= k / 1000.0) == (label[i] == 0);
    best = std::max(best, right);
  }
  return static_cast<double>(best) / static_cast<double>(label.size());
}

/// Returns the cells of the row of a table that begins with `name`. A row goes on in further lines of that name,
/// up to the table of another kind or state.
std::vector<std::string> row_of(const std::string& table, const std::string& name) {
  std::istringstream lines(table);
  std::vector<std::string> row;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> cells;
    for (std::string word; words >> word;) cells.push_back(word);
    if (!row.empty() && (cells.empty() || cells[0] == "sts")) break;
    if (!cells.empty() && cells[0] == name) row.insert(row.end(), cells.begin() + !row.empty(), cells.end());
  }
  return row;
}

using CosineTraining = TinyProjectTest;

TEST_F(CosineTraining, OfSimcseHasNoDirectionsAndIsMeasuredByNliAndSts) {
  const fs::path report = folder_ / "report.json";
  const std::vector<std::string> arguments =
      with(train_arguments(project_, "out", {"recipe=simcse", "training.learning_rate=0.01", sts}),
           {"--json", report.string()});
  const ProgramRun run = run_expecting(0, arguments);

  const nlohmann::json tasks = tasks_of_report(report);
  for (const char* task : {"dev", "tiny"}) {
    for (const char* none : {"direction_sim", "direction_var"}) EXPECT_TRUE(tasks.at(task).at(none).is_null()) << task;
    EXPECT_TRUE(tasks.at(task).at("direction_length").is_number());
    EXPECT_EQ(tasks.at(task).at("threshold"), tasks.at("dev").at("threshold"));
    // Task, pairs, accuracy, threshold, auprc, that by cosine and lengths, directed pairs, directions by similarity,
    // variance, length and words, majority, positives, and accuracy at the own threshold.
    const std::vector<std::string> row = row_of(run.output, task);
    ASSERT_EQ(row.size(), 14u) << run.output;
    EXPECT_EQ(row[7], "-");
    EXPECT_EQ(row[8], "-");
    for (std::size_t i = 9; i < row.size(); ++i) EXPECT_NE(row[i], "-") << i;
  }
  EXPECT_TRUE(tasks.at("sts").at("spearman").is_number());
  EXPECT_FALSE(tasks.at("sts").contains("symmetric_spearman")) << "there is no Gaussian";

  const RunResult result = read_result(project_.output("out") / "result.h5");
  for (const StateResult& state : result.states) {
    if (state.state == backbone_state) continue;  // metrics alone
    for (const char* task : {"dev", "tiny"}) {
      const Measurement& measured = measurement_in(state, task);
      std::vector<std::string> columns;
      for (const Column& column : measured.columns) columns.push_back(column.name);
      EXPECT_EQ(columns,
                (std::vector<std::string>{"sim_hypothesis_premise", "label", "entails_both_ways", "premise_characters",
                                          "hypothesis_characters", "cluster", "probability", "calibrated_on"}));
      for (const float cosine : column_in(state, task, "sim_hypothesis_premise")) {
        EXPECT_LE(std::abs(cosine), 1.0F + 1e-6F);
      }
      EXPECT_TRUE(std::isnan(metric_in(state, task, "direction_sim")));
      EXPECT_TRUE(std::isnan(metric_in(state, task, "direction_var")));
    }
    EXPECT_EQ(metric_in(state, "dev", "accuracy"), best_accuracy_of(state, "dev"));
  }
  EXPECT_NE(line_in(result, "sts", "spearman").front(), line_in(result, "sts", "spearman").back());
}

/// Without a head the untrained model is the backbone, which `eval --tasks` measures by itself.
TEST_F(CosineTraining, BeginsWithTheMetricsOfItsBackbone) {
  const RunResult result = train_to_result(
      project_, "out", 0, {"recipe=dynamics", "training.precision=fp32", "tasks.tiny.eval_every=3", sts});
  write_bytes(folder_ / "tasks.yaml",
              "tasks:\n  dev: {kind: nli, files: dev.jsonl}\n  tiny: {kind: nli, files: test.jsonl, threshold: dev}\n"
              "  sts: {kind: sts, files: sts.csv}\n");
  const fs::path report = folder_ / "report.json";
  run_expecting(0, {"eval", project_.model().string(), "--pooling", "mean", "--tasks", path("tasks.yaml"), "--json",
                    report.string()});
  const nlohmann::json tasks = tasks_of_report(report);
  for (const auto& [task, metrics] :
       std::vector<std::pair<const char*, std::vector<const char*>>>{{"dev", {"accuracy", "threshold", "auprc"}},
                                                                     {"tiny", {"accuracy", "threshold", "auprc"}},
                                                                     {"sts", {"spearman"}}})
    for (const char* metric : metrics)
      EXPECT_NEAR(line_in(result, task, metric).front(), tasks.at(task).at(metric).get<double>(), 1e-6)
          << task << " " << metric;
  EXPECT_TRUE(tasks.at("tiny").at("direction_sim").is_null());
}

TEST_F(CosineTraining, CannotBeSelectedByADirection) {
  const ProgramRun run =
      run_expecting(2, train_arguments(project_, "out", {"recipe=simcse", "select.figure=direction_sim"}),
                    {"direction_sim does not exist: the cosine of two sentences has no direction"});
  EXPECT_EQ(run.errors.find("training data:"), std::string::npos) << "it is refused before data are read";
}

}  // namespace
}  // namespace gausscse
