#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "experiments/results/result_file.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using testing_support::ProgramRun;
using testing_support::run_program;
using testing_support::TemporaryFolder;
using testing_support::TinyProject;
using testing_support::train_arguments;
using testing_support::train_to_result;
using testing_support::write_bytes;

/// A run in which every key below has something to act on; a later override takes the place of an earlier one.
std::vector<std::string> sensitive_run_with(const std::string& override_text) {
  return {"training.precision=fp32", "training.weight_decay=0.1", "training.warmup_ratio=0.5", override_text};
}

/// Training keys, each with a value that is not the one above or the default.
class TrialKey : public testing::TestWithParam<const char*> {
 protected:
  static const RunResult& reference() {
    static const RunResult result = [] {
      const TemporaryFolder folder;
      return train_to_result(TinyProject(folder.path()), "out", 0, sensitive_run_with("training.precision=fp32"));
    }();
    return result;
  }
};

TEST_P(TrialKey, ChangesTheLossCurve) {
  const TemporaryFolder folder;
  const RunResult result = train_to_result(TinyProject(folder.path()), "out", 0, sensitive_run_with(GetParam()));
  EXPECT_NE(result.training.loss, reference().training.loss);
}

INSTANTIATE_TEST_SUITE_P(Training, TrialKey,
                         testing::Values("recipe=paper", "loss=ent", "similarity=joint", "head.mean=linear",
                                         "training.batch_size=7", "training.learning_rate=2.0e-3",
                                         "training.temperature=0.1", "training.warmup_ratio=0.25",
                                         "training.weight_decay=0.2", "training.decay_biases_and_norms=false",
                                         "training.schedule=linear_increase", "training.max_tokens=4",
                                         "training.precision=bf16", "training.seed=1", "training.max_steps=5",
                                         "training.clip_norm=0.01", "training.dropout=0"),
                         [](const auto& given) {
                           std::string name = given.param;
                           name.resize(name.find('='));
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

TEST(TrialKeys, EpochsAndLastBatchDecideTheSteps) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  // 40 triples: 2 batches of 16, and one of 8.
  const std::vector<std::string> by_epochs{"training.max_steps=0", "training.batch_size=16"};
  const auto steps_with = [&](const std::string& output, const std::string& override_text) {
    std::vector<std::string> overrides = by_epochs;
    overrides.push_back(override_text);
    return train_to_result(project, output, 0, overrides).training.step.size();
  };
  EXPECT_EQ(steps_with("one", "training.epochs=1"), 2u);
  EXPECT_EQ(steps_with("three", "training.epochs=3"), 6u);
  EXPECT_EQ(steps_with("kept", "data.last_batch=keep"), 3u);
}

TEST(TrialKeys, EvalEveryDecidesTheDevCurve) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  using Steps = std::vector<std::int64_t>;
  EXPECT_EQ(train_to_result(project, "two", 0, {"training.eval_every=2"}).dev.step, (Steps{0, 2, 4, 6}));
  EXPECT_EQ(train_to_result(project, "four", 0, {"training.eval_every=4"}).dev.step, (Steps{0, 4, 6}));
  EXPECT_EQ(train_to_result(project, "ends", 0, {"training.eval_every=0"}).dev.step, (Steps{0, 6}));
}

TEST(TrialKeys, KeepDecidesWhichStateIsSaved) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const auto dev_auprc_of = [&](const std::string& output) {
    const fs::path json = folder / (output + ".json");
    const ProgramRun run = run_program({"eval", (project.output(output) / "model").string(), "--dev",
                                        project.dev().string(), "--json", json.string()});
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    return nlohmann::json::parse(read_whole_file(json, 1 << 20)).at("dev").at("auprc").get<double>();
  };
  const auto run_with = [&](const std::string& keep) {
    return train_to_result(
        project, keep, 0,
        {"training.precision=fp32", "training.learning_rate=0.02", "training.eval_every=1", "training.keep=" + keep});
  };
  const RunResult best = run_with("best"), last = run_with("last");
  EXPECT_EQ(best.dev.auprc, last.dev.auprc);
  const double highest = *std::max_element(best.dev.auprc.begin(), best.dev.auprc.end());
  ASSERT_GT(highest, last.dev.auprc.back() + 0.01);
  EXPECT_NEAR(dev_auprc_of("best"), highest, 1e-6);
  EXPECT_NEAR(dev_auprc_of("last"), last.dev.auprc.back(), 1e-6);
}

TEST(TrialKeys, EvaluationKeysChangeTheFigures) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  testing_support::append_unlabelled_pair(project.test());
  const auto test_with = [&](const std::string& output, const std::string& override_text) {
    return train_to_result(project, output, 0, {"training.max_steps=1", override_text}).states.at(0).tests.at(0);
  };
  const auto usual = test_with("usual", "training.max_steps=1"), sweep = test_with("sweep", "evaluation.auprc=sweep"),
             dropped = test_with("dropped", "data.no_gold_label=drop");
  EXPECT_NE(sweep.metrics.auprc, usual.metrics.auprc);
  EXPECT_EQ(dropped.metrics.pairs + 1, usual.metrics.pairs);
}

TEST(TrialKeys, PrintConfigPrintsAFileThatGivesTheSameTrial) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  std::vector<std::string> arguments = train_arguments(project, "", {"training.learning_rate=0.25"});
  arguments.push_back("--print-config");
  const ProgramRun printed = run_program(arguments);
  ASSERT_EQ(printed.exit_code, 0) << printed.errors;
  EXPECT_NE(printed.output.find("learning_rate: 0.25"), std::string::npos) << printed.output;
  EXPECT_NE(printed.output.find("weight_decay: 0.01"), std::string::npos) << printed.output;
  write_bytes(folder / "printed.yaml", printed.output);
  const ProgramRun again = run_program({"train", (folder / "printed.yaml").string(), "--print-config"});
  EXPECT_EQ(again.output, printed.output) << again.errors;
  EXPECT_FALSE(fs::exists(project.output()));
}

}  // namespace
}  // namespace gausscse
