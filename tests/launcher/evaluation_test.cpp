#include <nlohmann/json.hpp>

#include "tests/launcher/metrics.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
/// Returns the first of 0, 0.001, ..., 1 at which most pairs of a task are right.
double best_threshold_of(const StateResult& state, const char* task) {
  const std::vector<float>& similarity = column_in(state, task, "sim_hypothesis_premise");
  const std::vector<std::uint8_t>& label = labels_in(state, task);
  double best = 0;
  std::size_t most = 0;
  for (int k = 0; k <= 1000; ++k) {
    std::size_t right = 0;
    for (std::size_t i = 0; i < label.size(); ++i)
      right += (static_cast<double>(similarity[i]) >= k / 1000.0) == (label[i] == 0);
    if (k > 0 && right <= most) continue;
    most = right;
    best = k / 1000.0;
  }
  return best;
}

const std::vector<std::string> own_dev = {"tasks.tiny_dev={kind: nli, files: test.jsonl}",
                                          "tasks.tiny.threshold=tiny_dev"};

using Evaluation = TinyProjectTest;

TEST_F(Evaluation, ThresholdsAreThoseOfAnotherTaskOrANumber) {
  const RunResult by_dev = train_to_result(project_, "dev", 0);
  const RunResult own = train_to_result(project_, "own", 0, own_dev);
  const RunResult given = train_to_result(project_, "given", 0, {"tasks.tiny.threshold=0.125"});
  ASSERT_EQ(own.states.back().state, backbone_state);
  for (std::size_t i = 0; i + 1 < own.states.size(); ++i) {
    const double of_dev = metric_in(by_dev.states[i], "dev", "threshold");
    const double expected = best_threshold_of(own.states[i], "tiny");
    EXPECT_EQ(of_dev, best_threshold_of(by_dev.states[i], "dev"));
    EXPECT_EQ(metric_in(by_dev.states[i], "tiny", "threshold"), of_dev);
    EXPECT_EQ(metric_in(own.states[i], "dev", "threshold"), of_dev);
    ASSERT_NE(expected, of_dev) << "else this shows nothing";
    EXPECT_EQ(metric_in(own.states[i], "tiny_dev", "threshold"), expected);
    EXPECT_EQ(metric_in(own.states[i], "tiny", "threshold"), expected);
    EXPECT_GT(metric_in(own.states[i], "tiny", "accuracy"), metric_in(by_dev.states[i], "tiny", "accuracy"));
    EXPECT_EQ(metric_in(given.states[i], "tiny", "threshold"), 0.125);
    EXPECT_TRUE(measurement_in(own.states[i], "tiny_dev").development);
  }
  EXPECT_EQ(own.provenance.data_hashes.size(), by_dev.provenance.data_hashes.size() + 1);

  run_expecting(2, train_arguments(project_, "none", {"tasks.tiny.threshold=tiny_dev"}),
                {"tasks.tiny.threshold: \"tiny_dev\" is neither a number nor another NLI task"});
}

TEST_F(Evaluation, LengthsOfFilesNeedNoModel) {
  const std::string sick = path("SICK.txt"), json = path("lengths.json");
  write_bytes(sick,
              "sentence_A\tsentence_B\tentailment_label\tentailment_AB\tentailment_BA\tSemEval_set\n"
              "a dog runs\ta dog\tENTAILMENT\tA_entails_B\tB_entails_A\tTEST\n"
              "a cat\ta cat sits\tENTAILMENT\tA_entails_B\tB_neutral_A\tTEST\n"
              "a dog\ta cat\tNEUTRAL\tA_neutral_B\tB_neutral_A\tTRIAL\n");
  const auto sets = [&](const std::vector<std::string>& options) {
    const ProgramRun run = run_expecting(0, with({"lengths", sick, sick, "--json", json}, options));
    EXPECT_TRUE(says(run.output, "set       pairs  no gold label  larger class %"));
    nlohmann::json document = nlohmann::json::parse(read_whole_file(json, 1 << 20));
    fs::remove(json);
    EXPECT_EQ(document.at("sets").size(), 2u);
    return document.at("sets")[1];
  };
  EXPECT_EQ(sets({}).at("direction_length"), 0.5);
  EXPECT_EQ(sets({}).at("positives"), 1.0);
  EXPECT_EQ(sets({"--one-way"}).at("direction_length"), 0.0);
  EXPECT_EQ(sets({"--rows", "dev"}).at("positives"), 0.0);
  EXPECT_TRUE(says(run_program({"lengths", sick, "--json", sick}).errors, "--json"));
  run_expecting(2, {"lengths", path("none.txt")});
}

TEST_F(Evaluation, TheAverageOfTwoSetsOfStsIsPrinted) {
  const fs::path json = folder_ / "figures.json";
  const ProgramRun run = run_expecting(
      0, with(train_arguments(project_, "out",
                              {"tasks.two={kind: nli, files: dev.jsonl, threshold: dev}", "training.max_steps=1",
                               "tasks.a={kind: sts, files: sts.csv}", "tasks.b={kind: sts, files: sts.csv}"}),
              {"--json", json.string()}));
  EXPECT_TRUE(says(run.output, "\naverage of 2 "));
  const nlohmann::json averages = nlohmann::json::parse(read_whole_file(json, 1 << 20)).at("average");
  ASSERT_EQ(averages.size(), 1u);
  EXPECT_EQ(averages.at("sts").at("spearman"), tasks_of_report(json).at("a").at("spearman"));
  EXPECT_FALSE(averages.at("sts").contains("pairs"));
}

TEST_F(Evaluation, ABestStateThatIsTheUntrainedOneIsAWarning) {
  // A rate at which nothing changes, so that no later state is strictly better.
  std::vector<std::string> arguments = train_arguments(project_, "out", {"training.learning_rate=1.0e-30"});
  run_expecting(0, arguments, {"the best state is the untrained one"});
}

TEST_F(Evaluation, TwoWayPairsCannotBeDroppedFromSicksSemEvalFiles) {
  write_bytes(folder_ / "SICK_test_annotated.txt",
              "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
              "1\tw1 w2\tw1\t4.0\tENTAILMENT\n");
  const ProgramRun refused = run_expecting(
      2,
      train_arguments(project_, "out", {"tasks.tiny.files=SICK_test_annotated.txt", "evaluation.two_way_pairs=drop"}));
  for (const char* words : {"SICK_test_annotated.txt: two_way_pairs is drop", "SICK.txt"})
    EXPECT_TRUE(says(refused.errors, words));
  EXPECT_FALSE(fs::exists(folder_ / "cache")) << "it is refused before the training data are read";
}

/// Through `eval`, of a tiny model that knows none of the words: the length of sentences needs no model.
TEST_F(Evaluation, GivesTheLengthBaselinesOfRealCorpora) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  train_to_result(project_, "out", 0, {"training.max_steps=1"});
  const auto eval = [&](const char* two_way_pairs, const std::vector<std::string>& sets) {
    const fs::path json = folder_ / "figures.json";
    std::vector<std::string> arguments = {"eval",
                                          (project_.output("out") / "model").string(),
                                          "--two-way-pairs",
                                          two_way_pairs,
                                          "--json",
                                          json.string(),
                                          "--overwrite"};
    for (const std::string& set : sets) {
      const std::size_t equals = set.find('=');
      arguments.insert(arguments.end(),
                       {"--test", set.substr(0, equals + 1) + (real_data() / set.substr(equals + 1)).string()});
    }
    run_expecting(0, arguments);
    return tasks_of_report(json);
  };
  const auto expect = [](const nlohmann::json& metrics, int pairs, int directed_pairs, double percent) {
    EXPECT_EQ(metrics.at("pairs"), pairs);
    EXPECT_EQ(metrics.at("directed_pairs"), directed_pairs);
    EXPECT_EQ(std::round(1e4 * metrics.at("direction_length.ties_wrong").get<double>()) / 100, percent);
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
