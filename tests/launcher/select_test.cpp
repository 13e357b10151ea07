#include <csignal>

#include "results/result_file.hpp"
#include "tests/launcher/disturbed_runs.hpp"
#include "tests/launcher/metrics.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

// The key `select`: by which metric of which task the best state is found.

namespace gausscse {
namespace {

namespace fs = std::filesystem;
const std::vector<std::string> every_step = {
    "training.precision=fp32",
    "training.learning_rate=0.02",
    "training.seed=1",
    "tasks.dev.eval_every=1",
    "tasks.sts={kind: sts, files: sts.csv, eval_every: 1}",
    "tasks.found={kind: retrieval, files: dev.jsonl, eval_every: 1}",
};

std::vector<std::string> selected_by(const std::string& task, const std::string& metric) {
  return with(every_step, {"select.task=" + task, "select.figure=" + metric});
}

using Select = TinyProjectTest;

/// The first where several are equally high.
TEST_F(Select, KeepsTheStateWithTheHighestValueOfItsMetric) {
  std::set<std::int64_t> steps;
  for (const auto& [task, metric] : std::vector<std::pair<std::string, std::string>>{
           {"dev", "auprc"}, {"dev", "accuracy"}, {"sts", "spearman"}, {"found", "recall_at_1"}}) {
    const std::string output = concat(task, "-", metric);
    SCOPED_TRACE(output);
    const RunResult result = train_to_result(project_, output, 0, selected_by(task, metric));
    const std::vector<double>& values = line_in(result, task, metric);
    const auto highest = std::max_element(values.begin(), values.end());
    ASSERT_EQ(result.states.size(), 3u);
    EXPECT_EQ(result.states[0].state, "best");
    EXPECT_EQ(result.states[0].step, curve_in(result.curves, task).step.at(highest - values.begin()));
    EXPECT_EQ(metric_in(result.states[0], task, metric), *highest);
    EXPECT_EQ(result.states[1].state, "last");
    EXPECT_EQ(result.states[1].step, 6);
    EXPECT_EQ(metric_in(result.states[1], task, metric), values.back());
    steps.insert(result.states[0].step);
  }
  EXPECT_EQ(steps.size(), 3u) << "else this does not tell the figures apart";
}

/// The state that is found first stays: a rate of nothing makes all states equal.
TEST_F(Select, OfEqualStatesTheFirstIsTheBest) {
  for (const std::string metric : {"auprc", "accuracy"}) {
    std::vector<std::string> overrides = selected_by("dev", metric);
    overrides.emplace_back("training.learning_rate=1.0e-30");
    EXPECT_EQ(train_to_result(project_, metric, 0, overrides).states.at(0).step, 0);
  }
}

/// Returns the steps of the best and of the last state of a training with this patience, by the measurements of one
/// without it.
std::pair<std::int64_t, std::int64_t> end_by_hand(const std::vector<std::int64_t>& steps,
                                                  const std::vector<double>& values, std::size_t patience) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    if (values[i] > values[best]) best = i;
    if (i - best >= patience) return {steps[best], steps[i]};
  }
  return {steps[best], steps.back()};
}

/// At a constant rate steps do not depend on how many follow: the training that ends early is one of fewer steps.
TEST_F(Select, ATrainingWithoutPatienceLeftIsOneOfFewerSteps) {
  std::vector<std::string> overrides = selected_by("dev", "auprc");
  for (const char* constant : {"training.schedule=warmup_constant", "training.warmup_ratio=0", "tasks.dev.eval_every=2",
                               "training.checkpoint_every=1"})
    overrides.emplace_back(constant);
  const auto until = [&](std::int64_t steps, std::size_t patience) {
    return with(overrides, {concat("training.max_steps=", steps), concat("select.patience=", patience)});
  };
  for (const int ranks : {0, 2}) {
    const RunResult full = train_to_result(project_, concat("full", ranks), ranks, until(16, 0));
    EXPECT_EQ(full.ended_early, "");
    std::set<std::int64_t> ends;
    for (const std::size_t patience : ranks > 0 ? std::vector<std::size_t>{2} : std::vector<std::size_t>{1, 2}) {
      const auto [best, last] = end_by_hand(curve_in(full.curves, "dev").step, line_in(full, "dev", "auprc"), patience);
      ASSERT_LT(last, 16) << "else nothing ends early";
      ends.insert(last);
      const std::string output = concat("patience", ranks, "-", patience), fewer = concat(output, "-fewer");
      SCOPED_TRACE(output);
      const std::string text = concat("after step ", last, " of 16: auprc of dev was highest after step ", best,
                                      " (select.patience: ", patience, ")");
      const ProgramRun killed =
          train(project_, output,
                {.ranks = ranks, .signals = {{SIGKILL, "checkpoint_rename", 2}}, .signalled_rank = ranks > 0 ? 0 : -1},
                until(16, patience));
      EXPECT_NE(killed.exit_code, 0) << killed.errors;
      const ProgramRun run = train(project_, output, {.ranks = ranks}, until(16, patience));
      EXPECT_TRUE(ended(run, 0, {"going on after step 1 of 16", "the training ends early " + text}));
      const RunResult result = read_result(project_.output(output) / "result.h5");
      EXPECT_EQ(result.ended_early, text);
      EXPECT_EQ(result.states.at(0).step, best);
      EXPECT_EQ(result.states.at(1).step, last);
      train_to_result(project_, fewer, ranks, until(last, 0));
      expect_same_run(project_.output(fewer), project_.output(output));
      EXPECT_TRUE(says(run_program({"show", path(output + "/result.h5")}).output, "\nended early " + text + "\n"));
    }
    EXPECT_EQ(ends.size(), ranks > 0 ? 1u : 2u);
  }
}

/// A name that no task of the kind gives is found in the trial; one of a subset that the files lack at the first
/// measurement.
TEST_F(Select, AMetricThatTheTaskLacksIsRefusedBeforeAnyStep) {
  for (const int ranks : {0, 2}) {
    const ProgramRun run = run_expecting(
        2, train_arguments(project_, "", selected_by("dev", "acuracy")),
        {"select.figure: the task \"dev\" gives no metric \"acuracy\", did you mean \"accuracy\"?"}, ranks);
    EXPECT_EQ(run.errors.find("step 1/6"), std::string::npos) << run.errors;
    EXPECT_FALSE(fs::exists(project_.output() / "result.h5"));
    EXPECT_FALSE(fs::exists(project_.output() / "model"));
  }
  run_expecting(2, train_arguments(project_, "", selected_by("sts", "spearman.other")),
                {"the task \"sts\" has no metric \"spearman.other\"", "it has spearman, "});
}

/// Both pairs that SICK's dev rows have entail both ways: where these are dropped, no direction is left to select by.
TEST_F(Select, AMetricThatIsNoNumberIsRefusedBeforeAnyStep) {
  const std::string rest = "\tx\ty\tFLICKR\tFLICKR\tTRIAL\n";
  write_bytes(folder_ / "SICK.txt",
              "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tentailment_AB\tentailment_BA\t"
              "sentence_A_original\tsentence_B_original\tsentence_A_dataset\tsentence_B_dataset\tSemEval_set\n"
              "1\tw1 w2\tw1\tENTAILMENT\t4.5\tA_entails_B\tB_entails_A" +
                  rest + "2\tw3 w4\tw5\tNEUTRAL\t2.5\tA_neutral_B\tB_neutral_A" + rest);
  std::vector<std::string> overrides = selected_by("sick", "direction_sim");
  overrides.emplace_back("tasks.sick={kind: nli, files: SICK.txt, eval_every: 2, two_way_pairs: drop}");
  const ProgramRun run = run_expecting(2, train_arguments(project_, "", overrides),
                                       {"direction_sim of sick, is not a number: select by another"});
  EXPECT_EQ(run.errors.find("step 1/6"), std::string::npos) << run.errors;
  EXPECT_FALSE(fs::exists(project_.output() / "model"));
}

}  // namespace
}  // namespace gausscse
