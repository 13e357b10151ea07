#include "experiments/compare/comparison_text.hpp"

#include <nlohmann/json.hpp>

#include "tests/experiments/compare/compared_study.hpp"
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

TEST(ComparisonText, MarksResultsOfUntrainedStates) {
  Comparison comparison = single_results();
  comparison.b.trials[0].untrained = true;
  std::string text = comparison_text(comparison);
  EXPECT_TRUE(says(text, "B: b.h5\n   ‡ 1 of 1 kept the untrained state: none of their steps gave a better one\n"));
  EXPECT_TRUE(says(text, " 97.50‡ "));
  EXPECT_FALSE(says(text, "90.00‡"));
  EXPECT_EQ(nlohmann::json::parse(comparison_json(comparison))["b"]["trials"][0]["untrained"], true);
  comparison = groups();
  comparison.a.trials[1].untrained = true;
  text = comparison_text(comparison);
  EXPECT_TRUE(says(text, "   a seed 1\n   ‡ 1 of 2 kept the untrained state"));
  EXPECT_TRUE(says(text, "97.50‡"));
}

TEST(ComparisonText, HasBackbonesInAColumnOrTwo) {
  for (Comparison comparison : {single_results(), groups()}) {
    EXPECT_FALSE(says(comparison_text(comparison), "backbone"));
    comparison.metrics[1].backbone_a = comparison.metrics[1].backbone_b = 0.625;
    std::string text = comparison_text(comparison);
    EXPECT_TRUE(says(text, "B - A  backbone  "));
    EXPECT_FALSE(says(text, "backbone B"));
    EXPECT_TRUE(says(text, "     62.50  "));
    comparison.metrics[1].backbone_b.reset();
    text = comparison_text(comparison);
    EXPECT_TRUE(says(text, "B - A  backbone A  backbone B  "));
    EXPECT_TRUE(says(text, "       62.50           -  "));
    const auto json = nlohmann::json::parse(comparison_json(comparison))["figures"];
    EXPECT_EQ(json[1]["backbone"], (nlohmann::json{{"a", 0.625}, {"b", nullptr}}));
    EXPECT_FALSE(json[0].contains("backbone"));
  }
}

TEST(ComparisonText, HasSingleResultsSideBySide) {
  // B alone has three items right; a draw of 40 has none of them with the chance (37/40)^40.
  std::vector<double> differences(40, 0);
  for (const std::size_t item : {0, 2, 3}) differences[item] = 1;
  const BootstrapResult drawn = bootstrap_difference(differences, std::vector<double>(40, 0), {});
  EXPECT_NEAR(drawn.p, 0.0938, 5e-5);
  EXPECT_NEAR(drawn.p, 2 * std::pow(37.0 / 40, 40), 0.01);
  EXPECT_NEAR(drawn.interval.high, 0.175, 1e-12);
  EXPECT_EQ(comparison_text(single_results()),
            "A: a.h5\n"
            "B: b.h5\n"
            "snli             A       B    B - A   95 % of B - A  p over items  McNemar p  only A  only B\n"
            "pairs           40      40        0               -             -          -       -       -\n"
            "accuracy %   90.00   97.50    +7.50  [0.00, +17.50]        0.0938     0.2500       0       3\n"
            "threshold   0.5000  0.6250  +0.1250               -             -          -       -       -\n"
            "other            -  2.5000        -               -             -          -       -       -\n"
            "configurations:\n"
            "  seed\n"
            "    A: 1\n"
            "    B: -1\n"
            "programs, machines and data: no difference\n");
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
  const std::string text =
      comparison_text(compare_groups({"a", {trial_of("a", measured({0, 2, 4, 6, 8, 10, 12, 14}, 0), 1)}, {}},
                                     {"b", {trial_of("b", measured({}, 6), 1)}, {}}));
  // Every draw of the six pairs has B right and A wrong: p = 2 / 10,001. McNemar's p is 2 / 2^6.
  EXPECT_TRUE(says(text,
                   "direction_sim.equal_length %       0.00  100.00  +100.00  [+100.00, +100.00]        0.0002     "
                   "0.0312       0       6\n"))
      << text;
  EXPECT_TRUE(says(text, "directed_pairs.equal_length           6       6        0"));
  EXPECT_TRUE(says(text, "direction_sim.premise_shorter %       -       -        -"));
  EXPECT_FALSE(says(text, "premise_longer"));
}

TEST(ComparisonText, HasSmallChancesToFourDecimals) {
  const auto text_of_alone = [](std::size_t pairs) {
    std::set<std::size_t> wrong;
    for (std::size_t i = 0; i < pairs; ++i) wrong.insert(i);
    return comparison_text(compare_groups({"a", {trial_of("a", measured_pairs(wrong), 1)}, {}},
                                          {"b", {trial_of("b", measured_pairs({}), 1)}, {}}));
  };
  EXPECT_TRUE(says(text_of_alone(14), "0.0001       0      14\n")) << "2 / 2^14 is 0.00012";
  EXPECT_FALSE(says(text_of_alone(14), "<"));
  EXPECT_TRUE(says(text_of_alone(15), "<0.0001       0      15\n")) << "2 / 2^15 is 0.00006";
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
  EXPECT_EQ(comparison_text(groups()),
            "A: r:x=a\n"
            "   a seed 0\n"
            "   a seed 1\n"
            "   a seed 2 is left out: it is failed\n"
            "B: r:x=b\n"
            "   b seed 0\n"
            "   b seed 1\n"
            "snli             A      sd  n       B      sd  n   B - A  Welch p    95 % of B - A  p over items  only A  "
            "only B\n"
            "pairs           40       0  2      40       0  2       0   1.0000                -             -       -  "
            "     -\n"
            "accuracy %   97.50    3.54  2   85.00    0.00  2  -12.50   0.1257  [-23.75, -3.75]        0.0036      12  "
            "     2\n"
            "threshold   0.5000  0.0000  2  0.5000  0.0000  2  0.0000   1.0000                -             -       -  "
            "     -\n"
            "configurations: no difference\n"
            "programs, machines and data: no difference\n");
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
  EXPECT_EQ(single.at("notes"), nlohmann::json::array());

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
