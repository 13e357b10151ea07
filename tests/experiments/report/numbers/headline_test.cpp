#include "experiments/report/numbers/headline.hpp"

#include "tests/experiments/tables/made_up_study.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

namespace {

using Labels = std::vector<std::string>;

StudyTrial kept_after(StudyTrial trial, std::int64_t step) {
  trial.kept.state = "best";
  trial.kept.step = step;
  trial.run.emplace().steps = 8;
  return trial;
}

std::optional<Headline> headline_of(const StudyResults& study, const TableSettings* table, const std::string& selected,
                                    const TableOptions& options = {}) {
  ReportData data;
  data.groups = groups_of(study.trials);
  data.selected = selected;
  TrialItems items;
  return find_headline(study, data, table, options, items);
}

/// Three losses, of which `b` has the best AUPRC and `c` the best accuracy; each of three seeds.
StudyResults three_losses() {
  std::vector<StudyTrial> trials;
  for (int seed = 0; seed < 3; ++seed) {
    const double shift = 0.01 * seed;
    trials.push_back(done_trial({{"loss", "a"}}, seed, {{"accuracy", 0.60 + shift}, {"auprc", 0.50}}));
    trials.push_back(done_trial({{"loss", "b"}}, seed, {{"accuracy", 0.70 + shift}, {"auprc", 0.60}}));
    trials.push_back(done_trial({{"loss", "c"}}, seed, {{"accuracy", 0.80 + shift}, {"auprc", 0.55}}));
  }
  return study_of(std::move(trials));
}

TEST(Headline, HasTheBestSettingByTheFirstMetricOfTheTable) {
  const TableSettings table = table_of({"loss"});
  const std::optional<Headline> headline = headline_of(three_losses(), &table, "");
  ASSERT_TRUE(headline);
  EXPECT_EQ(headline->stage, "final");
  EXPECT_EQ(headline->settings, 3u);
  EXPECT_EQ(headline->best, Labels{"c"});
  EXPECT_EQ(headline->trials, 3);
  EXPECT_EQ(headline->untrained, 0);
  ASSERT_EQ(headline->metrics.size(), 1u);
  const HeadlineMetric& accuracy = headline->metrics[0];
  EXPECT_EQ(accuracy.name, "snli.accuracy");
  EXPECT_EQ(accuracy.cell.text, "81.00");
  // 0.80, 0.81, 0.82 deviate by 0.01; Student's quantile for two degrees of freedom is 4.302653.
  EXPECT_EQ(accuracy.interval, setting::CellInterval::t);
  EXPECT_NEAR(accuracy.cell.low.value(), 0.81 - 4.302653 * 0.01 / std::sqrt(3), 1e-7);
  EXPECT_NEAR(accuracy.cell.high.value(), 0.81 + 4.302653 * 0.01 / std::sqrt(3), 1e-7);
}

/// Without items Welch's test decides: t = 0.1 / sqrt(2 * 0.0001 / 3) of four degrees of freedom.
TEST(Headline, HasTheNextSettingAndWhetherItDiffers) {
  const TableSettings table = table_of({"loss"});
  const std::optional<Headline> headline = headline_of(three_losses(), &table, "");
  ASSERT_TRUE(headline && headline->second);
  EXPECT_EQ(headline->second->label, "b");
  EXPECT_NEAR(headline->second->difference, 0.1, 1e-12);
  EXPECT_NEAR(headline->second->p.value(), 0.0002552167494419235, 1e-12);
  StudyResults one_seed = three_losses();
  std::erase_if(one_seed.trials, [](const StudyTrial& trial) { return trial.planned.seed != 0; });
  const std::optional<Headline> single = headline_of(one_seed, &table, "");
  ASSERT_TRUE(single && single->second);
  EXPECT_FALSE(single->second->p);
  StudyResults equal = three_losses();
  std::erase_if(equal.trials, [](const StudyTrial& trial) { return trial.planned.coordinates[0].second != "a"; });
  EXPECT_FALSE(headline_of(equal, &table, "")->second);
}

/// Two seeds agree exactly, so Welch's p is 0; a third of the items differ by chance, and items decide.
TEST(Headline, TestsTheNextSettingOnItemsToo) {
  const TemporaryFolder folder;
  std::vector<StudyTrial> trials;
  const auto add = [&](const char* loss, std::int64_t seed, const std::string& right) {
    trials.push_back(trial_with_items(folder.path(), {{"loss", loss}}, seed, right));
  };
  const std::string alike(20, '1');
  for (const std::int64_t seed : {0, 1}) {
    add("a", seed, alike + "1110011100");
    add("b", seed, alike + "0001110011");
  }
  const TableSettings table = table_of({"loss"});
  const std::optional<Headline> headline = headline_of(study_of(std::move(trials)), &table, "");
  ASSERT_TRUE(headline && headline->second);
  EXPECT_EQ(headline->second->label, "b");
  EXPECT_NEAR(headline->second->difference, 1.0 / 30, 1e-12);
  EXPECT_GT(headline->second->p.value(), 0.3) << "six items against five";
  EXPECT_LT(headline->second->p.value(), 1);
}

/// The backbone of the best setting, not that of another one.
TEST(Headline, HasTheMetricsOfTheSettingsBackbone) {
  StudyResults study = three_losses();
  for (StudyTrial& trial : study.trials) {
    const bool is_best = trial.planned.coordinates[0].second == "c";
    trial.kept.backbone = {{"snli", "nli", false, {{"accuracy", is_best ? 0.6875 : 0.9}}, {}, ""}};
  }
  TableSettings table = table_of({"loss"});
  table.metrics.push_back({"snli.auprc", "", "", ""});
  const std::optional<Headline> headline = headline_of(study, &table, "");
  ASSERT_TRUE(headline);
  ASSERT_EQ(headline->metrics.size(), 2u);
  EXPECT_EQ(headline->metrics[0].cell.backbone, "68.75");
  EXPECT_EQ(headline->metrics[1].cell.backbone, "");
}

TEST(Headline, PrefersTheMetricThatChose) {
  TableSettings table = table_of({"loss"});
  // The metric that chose the states comes first.
  std::optional<Headline> headline = headline_of(three_losses(), &table, "snli.auprc");
  ASSERT_TRUE(headline);
  EXPECT_EQ(headline->best, Labels{"b"});
  ASSERT_EQ(headline->metrics.size(), 2u);
  EXPECT_EQ(headline->metrics[0].name, "snli.auprc");
  EXPECT_EQ(headline->metrics[0].cell.text, "60.00");
  EXPECT_EQ(headline->metrics[1].cell.text, "71.00");
  for (const HeadlineMetric& metric : headline->metrics) EXPECT_EQ(metric.interval, setting::CellInterval::t);
  // The metric by which a stage was chosen comes before it.
  table.choice.metric = "snli.accuracy";
  headline = headline_of(three_losses(), &table, "snli.auprc");
  ASSERT_TRUE(headline);
  EXPECT_EQ(headline->best, Labels{"c"});
  // One that no trial has chooses nothing; without a table the metrics are those that grids show.
  headline = headline_of(three_losses(), nullptr, "dev.auprc");
  ASSERT_TRUE(headline);
  EXPECT_EQ(headline->best, Labels{"c"});
  ASSERT_EQ(headline->metrics.size(), 2u);
  EXPECT_EQ(headline->metrics[1].name, "snli.auprc");
}

TEST(Headline, HasAllThatPrintTheSame) {
  const StudyResults study = study_of({done_trial({{"loss", "a"}}, 0, {{"accuracy", 0.640001}}),
                                       done_trial({{"loss", "b"}}, 0, {{"accuracy", 0.640002}}),
                                       done_trial({{"loss", "c"}}, 0, {{"accuracy", 0.5}}),
                                       other_trial({{"loss", "d"}}, 0, TrialStatus::failed)});
  const std::optional<Headline> headline = headline_of(study, nullptr, "");
  ASSERT_TRUE(headline);
  EXPECT_EQ(headline->best, (Labels{"a", "b"}));
  EXPECT_EQ(headline->settings, 3u);
}

TEST(Headline, CountsUntrainedStatesOfTheBest) {
  const StudyResults study = study_of({kept_after(done_trial({{"loss", "a"}}, 0, {{"accuracy", 0.7}}), 0),
                                       kept_after(done_trial({{"loss", "a"}}, 1, {{"accuracy", 0.7}}), 4),
                                       kept_after(done_trial({{"loss", "b"}}, 0, {{"accuracy", 0.6}}), 0)});
  const std::optional<Headline> headline = headline_of(study, nullptr, "");
  ASSERT_TRUE(headline);
  EXPECT_EQ(headline->best, Labels{"a"});
  EXPECT_EQ(headline->trials, 2);
  EXPECT_EQ(headline->untrained, 1);
}

/// Wilson's interval of 70 right ones of 100, after z = 1.959964.
TEST(Headline, HasAnIntervalOverItemsOfTwoTrials) {
  const StudyResults study =
      study_of({done_trial({{"loss", "a"}}, 0, {{"accuracy", 0.8}, {"auprc", 0.6}, {"pairs", 100}}),
                done_trial({{"loss", "a"}}, 1, {{"accuracy", 0.6}, {"auprc", 0.6}, {"pairs", 100}})});
  const std::optional<Headline> headline = headline_of(study, nullptr, "");
  ASSERT_TRUE(headline);
  ASSERT_EQ(headline->metrics.size(), 2u);
  const HeadlineMetric& accuracy = headline->metrics[0];
  EXPECT_EQ(accuracy.interval, setting::CellInterval::wilson);
  const double z2 = 1.959964 * 1.959964, middle = (0.7 + z2 / 200) / (1 + z2 / 100),
               half = 1.959964 * std::sqrt(0.7 * 0.3 / 100 + z2 / 40000) / (1 + z2 / 100);
  EXPECT_NEAR(accuracy.cell.low.value(), middle - half, 1e-6);
  EXPECT_NEAR(accuracy.cell.high.value(), middle + half, 1e-6);
  // The result file, which has the items of an AUPRC, is not there.
  EXPECT_EQ(headline->metrics[1].interval, setting::CellInterval::none);
  EXPECT_FALSE(headline->metrics[1].cell.low);
  // Student's is there for those who ask for it.
  const std::optional<Headline> wide = headline_of(study, nullptr, "", {.interval = setting::CellInterval::t});
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->metrics[0].interval, setting::CellInterval::t);
  EXPECT_LT(wide->metrics[0].cell.low.value(), 0);
}

TEST(Headline, IsOfTheLastStageThatHasMetrics) {
  StudyTrial early = done_trial({{"loss", "a"}}, 0, {{"accuracy", 0.9}}),
             late = other_trial({{"loss", "a"}}, 0, TrialStatus::running);
  early.planned.stage = "choose";
  TableSettings table = table_of({"loss"});
  std::optional<Headline> headline = headline_of(study_of({early, late}), &table, "");
  ASSERT_TRUE(headline);
  EXPECT_EQ(headline->stage, "choose");
  const StudyTrial done = done_trial({{"loss", "a"}}, 0, {{"accuracy", 0.8}});
  headline = headline_of(study_of({early, done}), nullptr, "");
  ASSERT_TRUE(headline);
  EXPECT_EQ(headline->stage, "final");
  EXPECT_EQ(headline->metrics.at(0).cell.text, "80.00");
  // The stage of the first table comes before the last.
  table.stage = "choose";
  headline = headline_of(study_of({early, done}), &table, "");
  ASSERT_TRUE(headline);
  EXPECT_EQ(headline->stage, "choose");
  EXPECT_FALSE(headline_of(study_of({late}), &table, ""));
}

}  // namespace

}  // namespace gausscse
