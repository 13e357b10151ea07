#include "results/result_file.hpp"
#include "tests/launcher/metrics.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
// Effects of keys that the program shows; tests/training has those on a training.

using TrialKeys = TinyProjectTest;

TEST_F(TrialKeys, SelectDecidesWhichStateIsSavedAndShown) {
  const auto dev_auprc_in = [](const fs::path& json) {
    return tasks_of_report(json).at("dev").at("auprc").get<double>();
  };
  const fs::path evaluated = folder_ / "evaluated.json", shown = folder_ / "shown.json";
  for (const std::string keep : {"best", "last"}) {
    std::vector<std::string> overrides{"training.precision=fp32", "training.learning_rate=0.02",
                                       "tasks.dev.eval_every=1"};
    if (keep == "last") overrides.insert(overrides.end(), without_select.begin(), without_select.end());
    run_expecting(0, with(train_arguments(project_, keep, overrides), {"--json", shown.string(), "--overwrite"}));
    const RunResult result = read_result(project_.output(keep) / "result.h5");
    const std::vector<double>& auprc = line_in(result, "dev", "auprc");
    const double highest = *std::max_element(auprc.begin(), auprc.end());
    ASSERT_GT(highest, auprc.back() + 0.01);
    ASSERT_EQ(result.states.size(), keep == "best" ? 3u : 2u)
        << "without select there is the last state, and the backbone";
    EXPECT_EQ(result.states[0].state, keep);
    run_expecting(0, {"eval", (project_.output(keep) / "model").string(), "--dev", project_.dev().string(), "--json",
                      evaluated.string(), "--overwrite"});
    const double expected = keep == "best" ? highest : auprc.back();
    EXPECT_EQ(dev_auprc_in(shown), expected) << keep;
    EXPECT_NEAR(dev_auprc_in(evaluated), expected, 1e-6) << keep;
  }
}

/// With -v: the pieces of a share, and the collectives of all steps; with -q: the metrics alone.
TEST(Train, TellsDetailsWhereAskedAndNothingWhereQuiet) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const auto train = [&](const char* flag) {
    std::vector<std::string> arguments =
        train_arguments(project, std::string("out").append(flag), {"training.micro_batch=3"});
    if (*flag != '\0') arguments.emplace_back(flag);
    const ProgramRun run = run_expecting(0, arguments);
    return run;
  };
  const ProgramRun details = train("-v"), usual = train(""), quiet = train("-q");
  const auto told = [](const ProgramRun& run, const char* text) { return run.errors.find(text) != std::string::npos; };
  const char* const pieces =
      "debug: a step embeds this rank's local batch of 8 examples in 3 micro-batches of at most 3\n";
  for (const char* text : {pieces, "debug: a step with micro-batches of 3 examples takes about ",
                           " MiB are available to the 1 ranks of its host", "debug: collectives: ", "all_reduce_sum 12",
                           "reduce_scatter_sum 6"}) {
    EXPECT_TRUE(told(details, text)) << text << " in: " << details.errors;
    EXPECT_FALSE(told(usual, text)) << text << " in: " << usual.errors;
  }
  for (const char* text : {"info: training data: 120 pairs or rows read", "info: step 6/6  ", "  loss "})
    EXPECT_TRUE(told(usual, text)) << text << " in: " << usual.errors;
  EXPECT_EQ(quiet.errors, "");
  EXPECT_TRUE(says(quiet.output, "tiny"));
}

/// By the collectives of the steps, and by the losses, which are the same but for rounding.
TEST_F(TrialKeys, ExchangeIsTheWayCandidatesTake) {
  std::vector<double> gathered;
  for (const std::string exchange : {"gather", "auto", "ring"}) {
    SCOPED_TRACE(exchange);
    std::vector<std::string> arguments =
        train_arguments(project_, exchange, {"training.exchange=" + exchange, "training.precision=fp32"});
    arguments.emplace_back("-v");
    const ProgramRun run = run_expecting(0, arguments, {}, 2);
    const bool ring = exchange == "ring";
    // Rows go from rank to rank once to be seen and once to be differentiated, gradients once, and home.
    EXPECT_EQ(run.errors.find("ring_shift 24") != std::string::npos, ring) << run.errors;
    EXPECT_EQ(run.errors.find("reduce_scatter_sum 6") != std::string::npos, !ring) << run.errors;
    EXPECT_EQ(run.errors.find("candidates travel around the ring of 2 ranks") != std::string::npos, ring);
    EXPECT_TRUE(says(run.errors, "a step with micro-batches of 4 examples"));
    EXPECT_TRUE(says(run.errors, "are available to the 2 ranks of its host"));
    const RunResult result = read_result(project_.output(exchange) / "result.h5");
    if (exchange == "gather") gathered = result.training.loss;
    ASSERT_EQ(result.training.loss.size(), gathered.size());
    for (std::size_t i = 0; i < gathered.size(); ++i) EXPECT_NEAR(result.training.loss[i], gathered[i], 1e-4);
  }
}

TEST_F(TrialKeys, PrintConfigPrintsAFileThatGivesTheSameTrial) {
  std::vector<std::string> arguments = train_arguments(project_, "", {"training.learning_rate=0.25"});
  arguments.push_back("--print-config");
  const ProgramRun printed = run_expecting(0, arguments);
  EXPECT_TRUE(says(printed.output, "learning_rate: 0.25"));
  EXPECT_TRUE(says(printed.output, "weight_decay: 0.01"));
  write_bytes(folder_ / "printed.yaml", printed.output);
  const ProgramRun again = run_program({"train", path("printed.yaml"), "--print-config"});
  EXPECT_EQ(again.output, printed.output) << again.errors;
  EXPECT_FALSE(fs::exists(project_.output()));
}

}  // namespace
}  // namespace gausscse
