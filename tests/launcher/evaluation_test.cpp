#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using testing_support::ProgramRun;
using testing_support::real_data;
using testing_support::run_program;
using testing_support::says;
using testing_support::TemporaryFolder;
using testing_support::TinyProject;
using testing_support::train_arguments;
using testing_support::train_to_result;
using testing_support::write_bytes;

/// The first of 0, 0.001, ..., 1 at which most pairs are told right.
double best_threshold_of(const NliScores& scores) {
  double best = 0;
  std::size_t most = 0;
  for (int k = 0; k <= 1000; ++k) {
    std::size_t right = 0;
    for (std::size_t i = 0; i < scores.label.size(); ++i)
      right += (static_cast<double>(scores.sim_hypothesis_premise[i]) >= k / 1000.0) == (scores.label[i] == 0);
    if (k > 0 && right <= most) continue;
    most = right;
    best = k / 1000.0;
  }
  return best;
}

TEST(Evaluation, ThresholdsAreThoseOfDevOrOfTheSetsOwnDev) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const RunResult by_dev = train_to_result(project, "dev", 0, {"data.own_dev={tiny: test.jsonl}"});
  const RunResult own =
      train_to_result(project, "own", 0, {"evaluation.threshold=own_dev", "data.own_dev={tiny: test.jsonl}"});
  for (std::size_t i = 0; i < own.states.size(); ++i) {
    const TestResult& test = own.states[i].tests.at(0);
    const double expected = best_threshold_of(test.scores);
    EXPECT_EQ(by_dev.states[i].tests.at(0).metrics.threshold, by_dev.states[i].dev->threshold);
    EXPECT_EQ(own.states[i].dev->threshold, by_dev.states[i].dev->threshold);
    ASSERT_NE(expected, own.states[i].dev->threshold) << "else this shows nothing";
    EXPECT_EQ(test.metrics.threshold, expected);
    EXPECT_GT(test.metrics.accuracy, by_dev.states[i].tests.at(0).metrics.accuracy);
  }
  EXPECT_EQ(own.provenance.data_hashes.size(), by_dev.provenance.data_hashes.size() + 1);

  const ProgramRun without = run_program(train_arguments(project, "none", {"evaluation.threshold=own_dev"}));
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_TRUE(says(without.errors, "data.own_dev has no set for the test set \"tiny\""));
}

TEST(Evaluation, EvalTakesOwnDevSetsAsTheTrainingDid) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const RunResult trained =
      train_to_result(project, "out", 0, {"evaluation.threshold=own_dev", "data.own_dev={tiny: test.jsonl}"});
  const fs::path json = folder / "figures.json";
  const std::string tiny = "tiny=" + project.test().string();
  const auto eval = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> arguments = {
        "eval", (project.output("out") / "model").string(), "--test", tiny, "--json", json.string()};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return run_program(arguments, 2);
  };
  const auto threshold = [&] {
    return nlohmann::json::parse(read_whole_file(json, 1 << 20)).at("test").at("tiny").at("threshold").get<double>();
  };
  const ProgramRun own = eval({"--own-dev", tiny});
  EXPECT_EQ(own.exit_code, 0) << own.errors;
  EXPECT_EQ(threshold(), trained.states.at(0).tests.at(0).metrics.threshold);
  const ProgramRun of_dev = eval({"--threshold", "snli_dev"});
  EXPECT_EQ(of_dev.exit_code, 0) << of_dev.errors;
  EXPECT_EQ(threshold(), trained.states.at(0).dev->threshold);
  EXPECT_TRUE(says(eval({}).errors, "the test set \"tiny\" has 0 dev sets of its own"));
  EXPECT_TRUE(says(eval({"--own-dev", tiny, "--own-dev", "tny=x"}).errors, "bears the name of no test set"));
  EXPECT_TRUE(says(eval({"--own-dev", tiny, "--threshold", "snli_dev"}).errors, "add --threshold own_dev"));
}

TEST(Evaluation, TheAverageOfTwoSetsIsPrinted) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const fs::path json = folder / "figures.json";
  std::vector<std::string> arguments =
      train_arguments(project, "out", {"data.test={one: test.jsonl, two: dev.jsonl}", "training.max_steps=1"});
  arguments.insert(arguments.end(), {"--json", json.string()});
  const ProgramRun run = run_program(arguments);
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_TRUE(says(run.output, "average"));
  const nlohmann::json figures = nlohmann::json::parse(read_whole_file(json, 1 << 20));
  for (const char* figure : {"accuracy", "auprc", "direction_sim", "direction_var", "direction_length"}) {
    const double one = figures.at("test").at("one").at(figure), two = figures.at("test").at("two").at(figure);
    EXPECT_DOUBLE_EQ(figures.at("average").at(figure).get<double>(), (one + two) / 2) << figure;
  }
}

TEST(Evaluation, ABestStateThatIsTheUntrainedOneIsAWarning) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  // A rate at which nothing changes, so that no later state is strictly better.
  std::vector<std::string> arguments = train_arguments(project, "out", {"training.learning_rate=1.0e-30"});
  const ProgramRun untrained = run_program(arguments);
  ASSERT_EQ(untrained.exit_code, 0) << untrained.errors;
  EXPECT_TRUE(says(untrained.errors, "the best state is the untrained one"));
}

TEST(Evaluation, TwoWayPairsCannotBeDroppedFromSicksSemEvalFiles) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  write_bytes(folder / "SICK_test_annotated.txt",
              "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
              "1\tw1 w2\tw1\t4.0\tENTAILMENT\n");
  const ProgramRun refused = run_program(
      train_arguments(project, "out", {"data.test={sick: SICK_test_annotated.txt}", "evaluation.two_way_pairs=drop"}));
  EXPECT_EQ(refused.exit_code, 2);
  for (const char* words : {"SICK_test_annotated.txt: two_way_pairs is drop", "SICK.txt"})
    EXPECT_TRUE(says(refused.errors, words));
  EXPECT_FALSE(fs::exists(folder / "cache")) << "it is refused before the training data are read";
}

/// Through `eval`, of a tiny model that knows none of the words: the length of sentences needs no model.
TEST(Evaluation, GivesTheLengthBaselinesOfRealCorpora) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  train_to_result(project, "out", 0, {"training.max_steps=1"});
  const auto eval = [&](const char* two_way_pairs, const std::vector<std::string>& sets) {
    const fs::path json = folder / "figures.json";
    std::vector<std::string> arguments = {
        "eval", (project.output("out") / "model").string(), "--two-way-pairs", two_way_pairs, "--json", json.string()};
    for (const std::string& set : sets) {
      const std::size_t equals = set.find('=');
      arguments.insert(arguments.end(),
                       {"--test", set.substr(0, equals + 1) + (real_data() / set.substr(equals + 1)).string()});
    }
    const ProgramRun run = run_program(arguments);
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    return nlohmann::json::parse(read_whole_file(json, 1 << 20)).at("test");
  };
  const auto expect = [](const nlohmann::json& figures, int pairs, int directed_pairs, double percent) {
    EXPECT_EQ(figures.at("pairs"), pairs);
    EXPECT_EQ(figures.at("directed_pairs"), directed_pairs);
    EXPECT_EQ(std::round(1e4 * figures.at("direction_length").get<double>()) / 100, percent);
  };
  const nlohmann::json drop = eval("drop", {"snli=snli_1.0-subset/snli_1.0_test.jsonl", "sick_full=SICK/SICK.txt"});
  expect(drop.at("snli"), 9824, 3368, 92.64);
  expect(drop.at("sick_full"), 4906, 794, 69.14);
  const nlohmann::json keep = eval("keep", {"sick=SICK/SICK_test_annotated.txt", "sick_full=SICK/SICK.txt"});
  expect(keep.at("sick"), 4927, 1414, 60.11);
  expect(keep.at("sick_full"), 4906, 1404, 60.26);
}

}  // namespace
}  // namespace gausscse
