#include <nlohmann/json.hpp>

#include "tests/launcher/metrics.hpp"
#include "tests/launcher/nli_reference.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
constexpr std::size_t pairs_of_a_set = 300;
/// Rounding may move one pair over a threshold.
constexpr double one_pair = 1.5 / pairs_of_a_set;

bool by_similarity(const ReferencePair& pair) {
  return pair.forward > pair.backward;
}

bool by_variance(const ReferencePair& pair) {
  return pair.premise_log_std > pair.hypothesis_log_std;
}

bool by_length(const ReferencePair& pair) {
  return pair.premise.size() > pair.hypothesis.size();
}

class Eval : public TinyProjectTest {
 protected:
  Eval() : model_(path("saved")) {
    save_tiny_model(project_, model_, {});
    for (auto* set : {&dev_, &test_}) {
      *set = tiny_pairs(pairs_of_a_set, set == &dev_ ? 21 : 31);
      score_pairs(model_, *set);
      label_pairs(*set);
    }
    saved_threshold_ = similarity_quantile(test_, 0.3);
    save({});
  }
  void save(TinyModel model) {
    model.threshold = saved_threshold_;
    save_tiny_model(project_, model_, model);
  }

  /// Returns the tasks of the report, which is left in `report_`.
  json evaluate(const std::vector<std::string>& flags, int ranks = 0) {
    const fs::path report = folder_ / "report.json";
    run_ = run_program(with({"eval", model_, "--json", report.string(), "--overwrite"}, flags), ranks);
    EXPECT_EQ(run_.exit_code, 0) << run_.errors;
    report_ = json::parse(read_whole_file(report, 1 << 20));
    return report_.at("tasks");
  }

  static void compare(const json& metrics, const std::vector<ReferencePair>& set, double threshold) {
    EXPECT_EQ(metrics.at("pairs"), set.size());
    EXPECT_EQ(metrics.at("threshold").get<double>(), threshold);
    EXPECT_NEAR(metrics.at("accuracy").get<double>(), reference_accuracy(set, threshold), one_pair);
    EXPECT_NEAR(metrics.at("auprc").get<double>(), reference_auprc(set, distinct_similarities(set)), 1e-3);
    using Tells = bool (*)(const ReferencePair&);
    for (const auto& [name, tells] : {std::pair<const char*, Tells>{"direction_sim", by_similarity},
                                      {"direction_var", by_variance},
                                      {"direction_length.ties_wrong", by_length}})
      EXPECT_NEAR(metrics.at(name).get<double>(), reference_direction(set, true, tells), 2 * one_pair) << name;
  }

  /// Returns the metrics that do not depend on which pairs a calibration was fitted on.
  static json without_calibration(json metrics) {
    for (const std::string calibration :
         {"platt.", "logistic.", "isotonic.", "direction_sim.answered_", "direction_sim.error_"})
      for (auto metric = metrics.begin(); metric != metrics.end();)
        metric = metric.key().rfind(calibration, 0) == 0 ? metrics.erase(metric) : std::next(metric);
    return metrics;
  }

  std::string model_;
  std::vector<ReferencePair> dev_, test_;
  double saved_threshold_ = 0;
  json report_;
  ProgramRun run_;
};

TEST_F(Eval, MetricsAreThoseOfTheirDefinitionsForAnyRanks) {
  const std::string dev = file("dev.jsonl", snli_lines(dev_)), test = file("test.jsonl", snli_lines(test_));
  json one;
  for (const int ranks : {0, 2, 3}) {
    SCOPED_TRACE(concat(ranks, " ranks"));
    const json tasks = evaluate({"--dev", dev, "--test", "one=" + test, "--test", "two=" + dev}, ranks);
    if (one.is_null()) one = tasks;
    EXPECT_EQ(tasks, one);
  }
  const double threshold = one.at("dev").at("threshold");
  EXPECT_NEAR(reference_accuracy(dev_, threshold), reference_accuracy(dev_, reference_threshold(dev_)), one_pair);
  compare(one.at("dev"), dev_, threshold);
  compare(one.at("one"), test_, threshold);
  EXPECT_EQ(without_calibration(one.at("two")), without_calibration(one.at("dev")));
  EXPECT_NE(one.at("two"), one.at("dev")) << "dev's calibrators are measured on the pairs that they were not fitted on";
  EXPECT_EQ(report_.at("state"), "last");
  EXPECT_EQ(report_.at("step"), 17);
  EXPECT_FALSE(report_.contains("average")) << "two sets of nli have nothing in common";
  EXPECT_EQ(run_.output.rfind("last state, after 17 steps\n", 0), 0u) << run_.output;
}

TEST_F(Eval, ReadsColumnsAndLabelsUnderAUsersNames) {
  const std::map<std::string, std::string> words{
      {"entailment", "yes"}, {"neutral", "maybe"}, {"contradiction", "no"}, {"-", ""}};
  for (std::size_t i = 0; i < test_.size(); i += 17) test_[i].label = "-";
  std::string odd = "verdict;claim;evidence\n";
  for (const ReferencePair& pair : test_)
    odd += concat(words.at(pair.label), ";", pair.hypothesis, ";", pair.premise, "\n");
  const std::vector<std::string> names{"--columns", "premise=evidence,hypothesis=claim,label=verdict", "--labels",
                                       "entailment=yes,neutral=maybe,contradiction=no,none="};
  const json known = evaluate({"--test", "x=" + file("test.jsonl", snli_lines(test_))});
  EXPECT_EQ(evaluate(with({"--test", "x=" + file("odd.csv", odd)}, names)), known);
  run_expecting(0, with({"lengths", path("odd.csv"), "--json", path("odd.json")}, names));
  run_expecting(0, {"lengths", path("test.jsonl"), "--json", path("known.json")});
  const auto lengths = [&](const std::string& name) {
    json set = json::parse(read_whole_file(path(name), 1 << 20)).at("sets").at(0);
    for (const char* own : {"file", "name"}) set.erase(own);
    return set;
  };
  EXPECT_EQ(lengths("odd.json"), lengths("known.json"));
  run_expecting(2, {"lengths", path("odd.csv"), "--columns", "premis=x"},
                {"does not begin with one of hypothesis, label, premise", "did you mean \"premise\"?"});
}

TEST_F(Eval, WithoutADevSetTheSavedThresholdCountsAndNoDevIsShown) {
  const std::string test = file("test.jsonl", snli_lines(test_));
  const json tasks = evaluate({"--test", "mine=" + test});
  compare(tasks.at("mine"), test_, saved_threshold_);
  EXPECT_GT(std::abs(reference_accuracy(test_, saved_threshold_) - reference_accuracy(test_, 0.5)), 2 * one_pair);
  EXPECT_FALSE(tasks.contains("dev"));
  EXPECT_EQ(run_.output.find("dev"), std::string::npos) << run_.output;
  EXPECT_TRUE(says(run_.output, "mine"));
}

TEST_F(Eval, KnowsThresholdStateAndStepOfTheTraining) {
  for (const std::string keep : {"best", "last"}) {
    std::vector<std::string> overrides{"training.precision=fp32", "training.learning_rate=0.02",
                                       "tasks.dev.eval_every=1"};
    if (keep == "last") overrides.insert(overrides.end(), without_select.begin(), without_select.end());
    const RunResult result = train_to_result(project_, keep, 0, overrides);
    const StateResult& expected = result.states.at(0);
    EXPECT_EQ(expected.step == 6, keep == "last") << "else this shows nothing";
    const double threshold = metric_in(expected, "dev", "threshold");
    ASSERT_GT(std::abs(threshold - 0.5), 0.01);
    model_ = (project_.output(keep) / "model").string();
    const json tasks = evaluate({"--test", "tiny=" + project_.test().string()}, 2);
    EXPECT_EQ(report_.at("state"), keep);
    EXPECT_EQ(report_.at("step"), expected.step);
    EXPECT_EQ(tasks.at("tiny").at("threshold").get<double>(), threshold);
    EXPECT_NEAR(tasks.at("tiny").at("accuracy").get<double>(), metric_in(expected, "tiny", "accuracy"), 0.03);
  }
}

TEST_F(Eval, ADevSetOfItsOwnGivesATestSetItsThreshold) {
  const std::string dev = file("dev.jsonl", snli_lines(dev_)), test = file("test.jsonl", snli_lines(test_));
  const auto threshold_of = [&](const std::string& set) {
    return evaluate({"--dev", set}).at("dev").at("threshold").get<double>();
  };
  const double of_dev = threshold_of(dev), of_test = threshold_of(test);
  ASSERT_NE(of_dev, of_test);
  const json tasks = evaluate({"--dev", dev, "--test", "one=" + dev, "--own-dev", "one=" + test, "--test",
                               "two=" + test, "--own-dev", "two=" + dev, "--test", "three=" + test},
                              2);
  EXPECT_EQ(tasks.at("dev").at("threshold").get<double>(), of_dev);
  EXPECT_TRUE(says(run_.output, "\none_dev ")) << "it is printed, too";
  compare(tasks.at("one_dev"), test_, of_test);
  compare(tasks.at("one"), dev_, of_test);
  compare(tasks.at("two_dev"), dev_, of_dev);
  compare(tasks.at("two"), test_, of_dev);
  EXPECT_EQ(tasks.at("three"), tasks.at("two")) << "dev's threshold is that of all others";
}

TEST_F(Eval, AuprcIsSummedAsAskedFor) {
  const std::string test = file("test.jsonl", snli_lines(test_));
  const auto auprc = [&](const std::vector<std::string>& flags) {
    return evaluate(with({"--test", "mine=" + test}, flags)).at("mine").at("auprc").get<double>();
  };
  // Similarities in few steps of 0.001, so that the two ways differ.
  const double exact = reference_auprc(test_, distinct_similarities(test_));
  const double swept = reference_auprc(test_, sweep_thresholds());
  ASSERT_GT(std::abs(exact - swept), 1e-5);
  const double tolerance = std::abs(exact - swept) / 4;
  EXPECT_NEAR(auprc({}), exact, tolerance);
  EXPECT_NEAR(auprc({"--auprc", "sweep"}), swept, tolerance);
  save({.scoring = {.auprc = setting::Auprc::sweep}});
  EXPECT_NEAR(auprc({}), swept, tolerance);
  EXPECT_NEAR(auprc({"--auprc", "trapezoid"}), exact, tolerance);
}

TEST_F(Eval, TwoWayPairsAreKeptOrDroppedFromDirectionAlone) {
  for (std::size_t i = 0; i < pairs_of_a_set; ++i)
    test_[i].both_ways = test_[i].label == "entailment" && test_[i].forward < test_[i].backward;
  const std::string sick = file("SICK.txt", sick_lines(test_));
  const auto metrics = [&](const std::vector<std::string>& flags) {
    return evaluate(with({"--test", "sick=" + sick}, flags)).at("sick");
  };
  const double kept = reference_direction(test_, true, by_similarity);
  ASSERT_LT(kept, 0.9);
  const json by_default = metrics({}), dropped = metrics({"--two-way-pairs", "drop"});
  EXPECT_NEAR(by_default.at("direction_sim").get<double>(), kept, 2 * one_pair);
  EXPECT_EQ(dropped.at("direction_sim"), 1.0);
  EXPECT_EQ(dropped.at("pairs"), pairs_of_a_set);
  EXPECT_EQ(dropped.at("accuracy"), by_default.at("accuracy"));
  EXPECT_EQ(dropped.at("auprc"), by_default.at("auprc"));
  save({.scoring = {.two_way_pairs = setting::TwoWayPairs::drop}});
  EXPECT_EQ(metrics({}), dropped);
  EXPECT_EQ(metrics({"--two-way-pairs", "keep"}), by_default);
}

TEST_F(Eval, ASetWithoutANameHasThatOfItsFile) {
  const std::string test = file("test-00000-of-00001.jsonl", snli_lines(test_));
  const json named = evaluate({"--test", "test=" + test}), unnamed = evaluate({"--test", test});
  EXPECT_EQ(unnamed, named);
  EXPECT_TRUE(unnamed.contains("test"));
}

TEST_F(Eval, ReportsCutSentencesAndBadLines) {
  const std::string test = file("test.jsonl", snli_lines(test_) + "{oops\n");
  run_expecting(2, {"eval", model_, "--test", "mine=" + test}, {"test.jsonl:301"});
  evaluate({"--test", "mine=" + test, "--skip-bad-lines"}, 2);
  EXPECT_TRUE(says(run_.errors, "mine: 12 sentences have more than 16 tokens and are cut"));
  EXPECT_TRUE(says(run_.errors, "mine: 1 of 301 lines is left out"));
  EXPECT_TRUE(says(run_.errors, "test.jsonl:301"));
}

TEST_F(Eval, RefusesWhatItCannotDo) {
  const std::string test = file("test.jsonl", snli_lines(test_));
  const auto refusal = [&](const std::vector<std::string>& flags) {
    return run_expecting(2, with({"eval", model_}, flags)).errors;
  };
  EXPECT_TRUE(says(refusal({}), "--test NAME=FILE"));
  EXPECT_TRUE(says(refusal({"--test", "a=" + test, "--own-dev", test}), "names no test set: give NAME=FILE"));
  EXPECT_TRUE(says(refusal({"--test", test, "--test", test}), "two sets are called \"test\""));
  EXPECT_TRUE(says(refusal({"--test", "a=" + test, "--test", "a=" + test}), "\"a\""));
  EXPECT_TRUE(says(refusal({"--dev", test, "--test", "dev=" + test}), "two sets are called \"dev\""));
  EXPECT_TRUE(says(refusal({"--test", "a=" + test, "--own-dev", "b=" + test}), "--own-dev names no set of --test"));
  EXPECT_TRUE(says(refusal({"--test", "a=" + test, "--own-dev", "a=" + test, "--own-dev", "a=" + test}), "\"a_dev\""));
  EXPECT_TRUE(says(refusal({"--test", "a/b=" + test}), "the name is not"));
  const std::vector<std::vector<std::string>> with_dots{{"--test", "a.b=x"},
                                                        {"--test", "a=" + test, "--own-dev", "a.b=x"}};
  for (const std::vector<std::string>& dotted : with_dots)
    EXPECT_TRUE(says(refusal(dotted), dotted[dotted.size() - 2] +
                                          " \"a.b=x\": the name is not 1 to 64 letters, digits, " +
                                          "dashes and underscores (a dot would end it in --set tasks.NAME.KEY=VALUE)"));
  EXPECT_TRUE(says(refusal({"--test", "a=" + test, "--json", test}), "the set a"));
  EXPECT_EQ(read_whole_file(test, 1 << 20), snli_lines(test_));
  EXPECT_TRUE(says(refusal({"--test", "a=" + test, "--json", path("none/x.json")}), "--json"));
}

}  // namespace
}  // namespace gausscse
