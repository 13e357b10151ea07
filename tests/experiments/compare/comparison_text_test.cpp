#include "experiments/compare/comparison_text.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "tests/experiments/compare/compared_study.hpp"
#include "tests/experiments/statistics/bootstrap_difference.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

ComparedTrial trial_of(const std::string& title, Measurement task, std::optional<std::int64_t> seed) {
  ComparedTrial trial;
  trial.title = title;
  trial.seed = seed;
  trial.kept = {.state = "best", .step = 1, .tasks = {std::move(task)}};
  trial.configuration = concat("seed: ", seed.value_or(-1), "\n");
  return trial;
}

/// Three metrics of 40 pairs, of which `wrong` are not right.
Measurement measured_pairs(const std::set<std::size_t>& wrong) {
  Measurement task = with_wrong("snli", wrong, 40);
  task.metrics.resize(3);
  task.metrics.push_back({"accuracy.part", 0.5});
  return task;
}

Comparison single_results() {
  Measurement b = measured_pairs({1});
  b.metrics[2].value = 0.625;
  b.metrics.push_back({"other", 2.5, Unit::number});
  return compare_groups({"a.h5", {trial_of("a.h5", measured_pairs({0, 1, 2, 3}), 1)}, {}},
                        {"b.h5", {trial_of("b.h5", b, std::nullopt)}, {}});
}

Comparison groups() {
  return compare_groups({"r:x=a",
                         {trial_of("a seed 0", measured_pairs({0, 1}), 0), trial_of("a seed 1", measured_pairs({}), 1)},
                         {"a seed 2 is left out: it is failed"}},
                        {"r:x=b",
                         {trial_of("b seed 0", measured_pairs({2, 3, 4, 5, 6, 7}), 0),
                          trial_of("b seed 1", measured_pairs({0, 1, 2, 3, 4, 5}), 1)},
                         {}});
}

/// Returns the columns of the comparison's table in the lines that begin with this metric, divided by one blank.
std::string line_of(const Comparison& comparison, const std::string& metric) {
  std::istringstream text(comparison_text(comparison));
  std::string found = metric + " ";
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with(metric + " ")) continue;
    EXPECT_LE(code_points(line), 100u) << line;
    std::istringstream words(line.substr(metric.size()));
    for (std::string word; words >> word;) found += word + " ";
  }
  return found;
}

TEST(ComparisonText, MarksResultsOfUntrainedStates) {
  ComparedTrial untrained = trial_of("b.h5", measured_pairs({1}), 1);
  untrained.untrained = true;
  untrained.kept.step = 0;
  const Comparison comparison =
      compare_groups({"a.h5", {trial_of("a.h5", measured_pairs({0, 1}), 1)}, {}}, {"b.h5", {untrained}, {}});
  EXPECT_TRUE(says(line_of(comparison, "snli.accuracy"), "% 95.00 97.50 ‡ +2.50 ")) << "no untrained state is the best";
  EXPECT_TRUE(says(comparison_text(comparison), "1 of 2 done trials kept the untrained state"));
  EXPECT_EQ(nlohmann::json::parse(comparison_json(comparison))["b"]["trials"][0]["untrained"], true);
}

TEST(ComparisonText, HasBackbonesInAColumnOrTwo) {
  const auto compared = [](std::optional<double> a, std::optional<double> b) {
    const auto side = [](const char* name, const std::optional<double>& accuracy) {
      ComparedGroup group{name, {trial_of(name, measured_pairs({1}), 1)}, {}};
      if (accuracy) group.trials[0].kept.backbone = {{"snli", "nli", false, {{"accuracy", *accuracy}}, {}, ""}};
      return group;
    };
    return compare_groups(side("a", a), side("b", b));
  };
  EXPECT_FALSE(says(line_of(compared({}, {}), "metric"), "backbone"));
  EXPECT_TRUE(says(line_of(compared(0.625, 0.625), "metric"), "metric A B backbone B - A "));
  EXPECT_TRUE(says(line_of(compared(0.625, 0.625), "snli.accuracy"), "% 97.50 97.50 62.50 0.00 "));
  EXPECT_TRUE(says(line_of(compared(0.5, 0.625), "metric"), "metric A B backbone A backbone B B - A "));
  EXPECT_TRUE(says(line_of(compared(0.5, 0.625), "snli.accuracy"), "% 97.50 97.50 50.00 62.50 0.00 "));
  const auto json = nlohmann::json::parse(comparison_json(compared(0.625, {})))["figures"];
  EXPECT_EQ(json[1]["backbone"], (nlohmann::json{{"a", 0.625}, {"b", nullptr}}));
  EXPECT_FALSE(json[0].contains("backbone"));
}

TEST(ComparisonText, HasSingleResultsSideBySide) {
  // B alone has three items right; a draw of 40 has none of them with the chance (37/40)^40.
  std::vector<double> differences(40, 0);
  for (const std::size_t item : {0, 2, 3}) differences[item] = 1;
  const BootstrapResult drawn = bootstrap_difference(differences, std::vector<double>(40, 0), {});
  EXPECT_NEAR(drawn.p, 0.0938, 5e-5);
  EXPECT_NEAR(drawn.p, 2 * std::pow(37.0 / 40, 40), 0.01);
  EXPECT_NEAR(drawn.interval.high, 0.175, 1e-12);
  const std::string text = comparison_text(single_results());
  EXPECT_TRUE(
      text.starts_with("A: a.h5\n"
                       "B: b.h5\n"
                       "metric                    A       B    B - A  only B right  only A right  McNemar's p of "
                       "each seed\n"
                       "snli.pairs               40      40        0             -             -                 "
                       "        -\n"
                       "snli.accuracy %       90.00  *97.50    +7.50             3             0                 "
                       "   0.2500\n"
                       "snli.threshold       0.5000  0.6250  +0.1250             -             -                 "
                       "        -\n"
                       "snli.other       - (0 of 1)  2.5000        -             -             -                 "
                       "        -\n"
                       "metric           difference by bootstrap  p over items\n"
                       "snli.pairs                             -             -\n"
                       "snli.accuracy %            [0.00, 17.50]        0.0938\n"
                       "snli.threshold                         -             -\n"
                       "snli.other                             -             -\n"
                       "*: the best of the labels of group, as printed.\n"))
      << text;
  EXPECT_TRUE(says(text, "1 of 1 test of the table is of one seed and can mark nothing")) << text;
  EXPECT_TRUE(
      text.ends_with("configurations:\n"
                     "  seed\n"
                     "    A: 1\n"
                     "    B: -1\n"
                     "programs, machines and data: no difference\n"));
}

TEST(ComparisonText, HasDirectionsWithoutHelpFromLength) {
  // Even pairs entail. The lengths of the first twelve are equal; A has six of their entailments wrong, and those
  // of the pairs 12 and 14, whose premises are longer.
  const auto measured = [](const std::set<std::size_t>& wrong, double right_of_equal) {
    Measurement task = with_wrong("snli", wrong, 40);
    std::vector<std::int64_t> premise(40, 9);
    for (std::size_t i = 12; i < 40; ++i) premise[i] = 10;
    task.columns.push_back({"premise_characters", premise});
    task.columns.push_back({"hypothesis_characters", std::vector<std::int64_t>(40, 9)});
    task.metrics.push_back({"directed_pairs.equal_length", 6, Unit::count});
    task.metrics.push_back({"direction_sim.equal_length", right_of_equal / 6});
    task.metrics.push_back({"directed_pairs.premise_longer", 14, Unit::count});
    task.metrics.push_back({"direction_sim.premise_longer", 0.5});
    task.metrics.push_back({"direction_sim.premise_shorter", std::nan("")});
    return task;
  };
  const Comparison comparison = compare_groups({"a", {trial_of("a", measured({0, 2, 4, 6, 8, 10, 12, 14}, 0), 1)}, {}},
                                               {"b", {trial_of("b", measured({}, 6), 1)}, {}});
  // Every draw of the six pairs has B right and A wrong: p = 2 / 10,001. McNemar's p is 2 / 2^6.
  EXPECT_EQ(line_of(comparison, "snli.direction_sim.equal_length"),
            "snli.direction_sim.equal_length % 0.00 *100.00 +100.00 6 0 % 1: 0.0312 [100.00, 100.00] % 0.0002 ");
  EXPECT_TRUE(says(line_of(comparison, "snli.directed_pairs.equal_length"), "length 6 6 0 "));
  EXPECT_TRUE(says(line_of(comparison, "snli.direction_sim.premise_shorter"), "shorter % - (0 of 1) - (0 of 1) - "));
  EXPECT_FALSE(says(comparison_text(comparison), "premise_longer"));
}

TEST(ComparisonText, HasGroupsWithTheirSpread) {
  // With seed 0 A alone is right on 6 items, B on 2; with seed 1 A on 6: 12 against 2. Means over seeds of B less A: -1
  // of four items, -1/2 of two, 0 of the rest.
  std::vector<double> differences(40, 0);
  for (const std::size_t item : {2, 3, 4, 5}) differences[item] = -1;
  for (const std::size_t item : {6, 7}) differences[item] = -0.5;
  const BootstrapResult drawn = bootstrap_difference(differences, std::vector<double>(40, 0), {});
  EXPECT_NEAR(drawn.interval.low, -0.2375, 1e-12);
  EXPECT_NEAR(drawn.interval.high, -0.0375, 1e-12);
  EXPECT_NEAR(drawn.p, 0.0036, 5e-5);
  const std::string text = comparison_text(groups());
  EXPECT_TRUE(
      text.starts_with("A: r:x=a\n"
                       "   a seed 0\n"
                       "   a seed 1\n"
                       "   a seed 2 is left out: it is failed\n"
                       "B: r:x=b\n"
                       "   b seed 0\n"
                       "   b seed 1\n"
                       "metric "))
      << text;
  EXPECT_TRUE(says(line_of(groups(), "metric"), " p over items p over seeds p differs "));
  // Welch's p is that of values 0.95, 1 and 0.85, 0.85.
  EXPECT_EQ(line_of(groups(), "snli.accuracy"),
            "snli.accuracy % *97.50 ±3.54 85.00 ±0.00 -12.50 2 12 % 0: 0.2891, 1: 0.0312 [-23.75, -3.75] 0.0036 0.1257 "
            "% 0.1257 no ");
  EXPECT_EQ(line_of(groups(), "snli.pairs"), "snli.pairs 40 ±0.00 40 ±0.00 0 - - - - - 1.0000 - - ");
  EXPECT_TRUE(says(text, "configurations: no difference\nprograms, machines and data: no difference\n"));
}

TEST(ComparisonText, IsJsonToo) {
  const nlohmann::json single = nlohmann::json::parse(comparison_json(single_results()));
  EXPECT_EQ(single.at("format"), "gausscse-comparison/1");
  EXPECT_EQ(single.at("a"), nlohmann::json::parse(R"({"name": "a.h5", "notes": [],
    "trials": [{"title": "a.h5", "seed": 1}]})"));
  EXPECT_EQ(single.at("b").at("trials")[0].at("seed"), nullptr);
  ASSERT_EQ(single.at("figures").size(), 5u) << "parts, too";
  EXPECT_EQ(single.at("figures")[1], nlohmann::json::parse(R"({"task": "snli", "figure": "accuracy",
    "unit": "fraction", "a": {"mean": 0.9, "deviation": null, "n": 1, "values": [0.9]},
    "b": {"mean": 0.975, "deviation": null, "n": 1, "values": [0.975]}, "difference": 0.07499999999999996,
    "bootstrap": {"low": 0.0, "high": 0.175, "p": 0.09379062093790622},
    "mcnemar": {"only_a": 0, "only_b": 3, "p": 0.25}})"));
  EXPECT_EQ(single.at("figures")[4].at("difference"), nullptr);
  EXPECT_EQ(single.at("configuration"), nlohmann::json::parse(R"([{"name": "seed", "a": ["1"], "b": ["-1"]}])"));
  EXPECT_EQ(single.at("provenance"), nlohmann::json::array());
  EXPECT_EQ(single.at("notes"), single_results().table.notes);

  const nlohmann::json of_groups = nlohmann::json::parse(comparison_json(groups()));
  EXPECT_EQ(of_groups.at("a").at("notes")[0], "a seed 2 is left out: it is failed");
  const nlohmann::json& accuracy = of_groups.at("figures")[1];
  EXPECT_EQ(accuracy.at("a").at("values"), (std::vector<double>{0.95, 1}));
  EXPECT_EQ(accuracy.at("welch").at("degrees"), 1.0);
  EXPECT_EQ(accuracy.at("mcnemar"), nlohmann::json::parse(R"({"only_a": 12, "only_b": 2, "p": 0.012939453125,
    "seeds": [{"seed": 0, "only_a": 6, "only_b": 2, "p": 0.2890625}, {"seed": 1, "only_a": 6, "only_b": 0,
    "p": 0.03125}]})"));
}

}  // namespace
}  // namespace gausscse
