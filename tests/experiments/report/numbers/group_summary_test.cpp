#include "experiments/report/numbers/group_summary.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {

namespace {

using Values = std::vector<double>;

RunResult small_result(double shift) {
  RunResult result;
  result.training.step = {0, 1};
  result.training.loss = {4 + shift, 2 + shift};
  result.curves = {{"dev",
                    {0, 10},
                    {{"pairs", Unit::count, {7, 7}},
                     {"auprc", Unit::fraction, {0.5 + shift, 0.75 + shift}},
                     {"spearman.part", Unit::fraction, {0, 1}}}}};
  Measurement tokens{"tokens",
                     "geometry",
                     false,
                     {{"norm", 9, Unit::number},
                      {"norm.0", 3 + shift, Unit::number},
                      {"norm.1", 9, Unit::number},
                      {"informativity.1", 0.9, Unit::number},
                      {"rogue.reaching.0.1", 2, Unit::count}},
                     {},
                     ""};
  Measurement dev{"dev", "nli", true, {{"pairs", 7, Unit::count}, {"accuracy", 0.5 + shift}, {"auprc", std::nan("")}},
                  {},    ""};
  Measurement untrained = tokens;
  untrained.metrics = {{"norm", 30, Unit::number}, {"norm.0", 20 + shift, Unit::number}, {"norm.1", 30, Unit::number}};
  result.states = {{"best", 10, {dev, tokens}}, {"last", 12, {}}, {"untrained", 0, {untrained}}};
  return result;
}

TEST(GroupSummary, AddsSeedsUp) {
  GroupSummary summary{100};
  EXPECT_TRUE(summary.add(small_result(0), std::nullopt).empty());
  summary.add(small_result(0.25), std::nullopt);
  EXPECT_EQ(summary.seeds, 2);
  EXPECT_EQ(summary.loss.lines().mean, (Values{4.125, 2.125}));
  ASSERT_EQ(summary.curves.size(), 1u);  // no counts, no parts
  EXPECT_EQ(summary.curves[0].task, "dev");
  EXPECT_EQ(summary.curves[0].metric, "auprc");
  EXPECT_EQ(summary.curves[0].unit, Unit::fraction);
  EXPECT_EQ(summary.curves[0].band.lines().x, (Values{0, 10}));
  EXPECT_EQ(summary.curves[0].band.lines().low, (Values{0.5, 0.75}));
  EXPECT_EQ(summary.curves[0].band.lines().high, (Values{0.75, 1}));
  ASSERT_EQ(summary.geometry.size(), 1u);
  const GeometrySummary& geometry = summary.geometry[0];
  EXPECT_EQ(geometry.task, "tokens");
  ASSERT_EQ(geometry.layers.size(), 1u);
  EXPECT_EQ(geometry.layers[0].metric, "norm");
  EXPECT_EQ(geometry.layers[0].after.lines().x, (Values{0, 1}));
  EXPECT_EQ(geometry.layers[0].after.lines().mean, (Values{3.125, 9}));
  EXPECT_EQ(geometry.layers[0].before.lines().x, (Values{0, 1}));
  EXPECT_EQ(geometry.layers[0].before.lines().mean, (Values{20.125, 30}));
  EXPECT_FALSE(summary.bounds) << "nothing is known of the objective";
  ASSERT_EQ(summary.metrics.size(), 2u);
  EXPECT_EQ(summary.metrics[0].metric, "accuracy");
  EXPECT_EQ(summary.metrics[0].kind, "nli");
  EXPECT_DOUBLE_EQ(summary.metrics[0].mean, 0.625);
  EXPECT_EQ(summary.metrics[0].seeds, 2);
  EXPECT_EQ(summary.metrics[1].metric, "norm");
}

TEST(GroupSummary, TellsWhatALossOfCosinesCanComeTo) {
  Trial trial;
  trial.objective.kind = ObjectiveKind::cosine_contrastive;
  trial.objective.hard_negatives = false;
  trial.objective.temperature = 0.5;
  trial.training.batch_size = 3;
  GroupSummary summary{100};
  summary.add(small_result(0), trial);
  ASSERT_TRUE(summary.bounds);
  EXPECT_NEAR(summary.bounds->upper, std::log(1 + 2 * std::exp(-2)), 1e-15);
  EXPECT_NEAR(summary.bounds->lower, std::log(1 + 2 * std::exp(-4)), 1e-15);
}

TEST(GroupSummary, TellsOfColumnsThatDoNotFit) {
  RunResult result = small_result(0);
  result.states[0].tasks[0].columns = {{"probability", std::vector<double>{0.5}},
                                       {"label", std::vector<std::uint8_t>{}}};
  GroupSummary summary{100};
  const std::vector<std::string> problems = summary.add(result, std::nullopt);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find("1 probabilities for 0 pairs"), std::string::npos) << problems[0];
}

TEST(GroupSummary, TellsWhatItLooksAt) {
  EXPECT_TRUE(is_drawn_state("untrained"));
  for (const char* state : {"last", "backbone", "best", "step_7"}) EXPECT_FALSE(is_drawn_state(state)) << state;
  for (const char* column : {"probability", "label", "calibrated_on"}) EXPECT_TRUE(is_drawn_column("nli", column));
  EXPECT_FALSE(is_drawn_column("geometry", "sentence_vector") || is_drawn_column("nli", "sim_hypothesis_premise") ||
               is_drawn_column("sts", "label"));
  EXPECT_TRUE(is_drawn_metric("auprc", Unit::fraction) && is_drawn_metric("norm", Unit::number));
  EXPECT_FALSE(is_drawn_metric("pairs", Unit::count) || is_drawn_metric("norm.1", Unit::number));
}

/// A task's own key goes over that of the trial; without a configuration such pairs count.
TEST(GroupSummary, CountsPairsWithoutALabelAsTheirTaskDoes) {
  RunResult result = small_result(0);
  result.states[0].tasks[0].columns = {{"probability", std::vector<double>{0.25, 0.75, 0.5}},
                                       {"label", std::vector<std::uint8_t>{1, 0, 3}}};
  const auto pairs = [&](const std::optional<Trial>& trial) {
    GroupSummary summary{100};
    EXPECT_TRUE(summary.add(result, trial).empty());
    return summary.probabilities.at(0).reliability().size();
  };
  EXPECT_EQ(pairs(std::nullopt), 3u);
  using setting::NoGoldLabel;
  for (const NoGoldLabel of_trial : {NoGoldLabel::drop, NoGoldLabel::non_entailment})
    for (const std::optional<NoGoldLabel> of_task :
         {std::optional<NoGoldLabel>(), std::optional(NoGoldLabel::drop), std::optional(NoGoldLabel::non_entailment)}) {
      Trial trial;
      trial.evaluation.no_gold_label = of_trial;
      // The first and the last one are of other tasks.
      for (const char* name : {"other", "dev", "another"}) {
        const bool is_dev = std::string(name) == "dev";
        NliTaskSettings nli;
        const NoGoldLabel counts = of_task.value_or(of_trial);
        nli.no_gold_label =
            is_dev ? of_task
                   : std::optional(counts == NoGoldLabel::drop ? NoGoldLabel::non_entailment : NoGoldLabel::drop);
        trial.tasks.push_back({.name = name, .of_kind = nli});
      }
      EXPECT_EQ(pairs(trial), of_task.value_or(of_trial) == NoGoldLabel::drop ? 2u : 3u);
    }
}

TEST(GroupSummary, LooksAtMetricsAloneWhereItIsNotShown) {
  GroupSummary summary{100, false};
  EXPECT_TRUE(summary.add(small_result(0), std::nullopt).empty());
  EXPECT_EQ(summary.metrics.size(), 2u);
  EXPECT_TRUE(summary.loss.empty());
  EXPECT_TRUE(summary.curves.empty());
  EXPECT_TRUE(summary.probabilities.empty());
  EXPECT_TRUE(summary.geometry.empty());
}

}  // namespace

}  // namespace gausscse
