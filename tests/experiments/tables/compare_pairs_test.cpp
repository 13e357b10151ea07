#include <boost/math/distributions/students_t.hpp>

#include "experiments/statistics/tests_of_significance.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/tables/compare_cells.hpp"
#include "experiments/tables/make_table.hpp"
#include "tests/experiments/study/sample_study.hpp"
#include "tests/experiments/tables/compared_losses.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TEST(CompareCells, ASeedOfSeveralTrialsCountsOnce) {
  const TemporaryFolder folder;
  std::vector<StudyTrial> trials;
  for (const char* size : {"16", "64"})
    for (const char* loss : {"a", "b"})
      trials.push_back(trial_with_items(folder.path(), {{"loss", loss}, {"size", size}}, 0,
                                        *loss == 'a' ? items(40, '1') : items(10, '1') + items(30, '0')));
  const StudyTable table = make_table(compared({"loss"}), study_of(trials), {});
  EXPECT_EQ(table.cells[0][0].tests.at(0).seeds.size(), 2u);
  EXPECT_FALSE(table.cells[0][0].tests.at(0).p) << "two settings of one seed are no two seeds";
  EXPECT_TRUE(notes_say(table, "is of one seed"));
}

TEST(CompareCells, OnlySeedsThatBothHave) {
  const TemporaryFolder folder;
  auto trials = joined(rivals(folder, 0, 3, 0), rivals(folder, 1, 0, 9));
  trials.pop_back();
  trials.push_back(other_trial({{"loss", "b"}}, 1, TrialStatus::running));
  const StudyTable table = make_table(compared({"loss"}), study_of(trials), {});
  EXPECT_EQ(table.cells[0][0].tests.at(0).sum.only_first, 3);
  EXPECT_EQ(table.cells[0][0].tests.at(0).seeds.size(), 1u);
}

TEST(CompareCells, RivalsWhoseOtherSettingsWereChosenApart) {
  const TemporaryFolder folder;
  const StudyResults study = study_of({trial_with_items(folder.path(), {{"loss", "a"}, {"size", "16"}}, 0, "110000"),
                                       trial_with_items(folder.path(), {{"loss", "b"}, {"size", "64"}}, 0, "000000")});
  EXPECT_EQ(make_table(compared({"loss"}), study, {}).cells[0][0].tests.at(0).sum.only_first, 2);
}

TEST(CompareCells, WhatIsNotDoneIsNoTrialOfTheSeed) {
  const TemporaryFolder folder;
  const StudyResults study = study_of({trial_with_items(folder.path(), {{"loss", "a"}, {"size", "16"}}, 0, "110000"),
                                       other_trial({{"loss", "a"}, {"size", "32"}}, 0, TrialStatus::running),
                                       trial_with_items(folder.path(), {{"loss", "b"}, {"size", "64"}}, 0, "000000"),
                                       other_trial({{"loss", "b"}, {"size", "32"}}, 0, TrialStatus::failed)});
  const StudyTable table = make_table(compared({"loss"}), study, {});
  ASSERT_EQ(table.cells[0][0].tests.size(), 1u) << "each cell has one done trial of the seed";
  EXPECT_EQ(table.cells[0][0].tests[0].sum.only_first, 2);
}

TEST(CompareCells, OfSeveralTrialsOfASeedThoseOfTheSameLabels) {
  const TemporaryFolder folder;
  const StudyResults study = study_of({trial_with_items(folder.path(), {{"loss", "a"}, {"size", "16"}}, 0, "110000"),
                                       trial_with_items(folder.path(), {{"loss", "a"}, {"size", "64"}}, 0, "001110"),
                                       trial_with_items(folder.path(), {{"loss", "b"}, {"size", "64"}}, 0, "000001"),
                                       trial_with_items(folder.path(), {{"loss", "b"}, {"size", "16"}}, 0, "100000")});
  const CellTest test = make_table(compared({"loss"}), study, {}).cells[0][0].tests.at(0);
  ASSERT_EQ(test.seeds.size(), 2u);
  EXPECT_EQ(test.seeds[0].only_first, 1);
  EXPECT_EQ(test.seeds[0].only_second, 0);
  EXPECT_EQ(test.seeds[1].only_first, 3);
  EXPECT_EQ(test.seeds[1].only_second, 1);
}

TEST(CompareCells, WhereOneCellHasSeveralTrialsOfASeedLabelsDecide) {
  const TemporaryFolder folder;
  const StudyTrial a = trial_with_items(folder.path(), {{"loss", "a"}, {"size", "16"}}, 0, "110000"),
                   b16 = trial_with_items(folder.path(), {{"loss", "b"}, {"size", "16"}}, 0, "100000"),
                   b64 = trial_with_items(folder.path(), {{"loss", "b"}, {"size", "64"}}, 0, "000011"),
                   b32 = trial_with_items(folder.path(), {{"loss", "b"}, {"size", "32"}}, 0, "000111");
  for (const std::vector<StudyTrial>& trials : {std::vector{a, b16, b64}, std::vector{b64, b16, a}}) {
    const StudyTable table = make_table(compared({"loss"}), study_of(trials), {});
    const bool a_first = table.row_labels[0][0] == "a";
    const CellTest& test = table.cells[a_first ? 0 : 1][0].tests.at(0);
    ASSERT_EQ(test.seeds.size(), 1u) << "of a the trial of 16, so of b that of 16 alone";
    EXPECT_EQ(test.sum.only_first, 1);
    EXPECT_EQ(test.sum.only_second, 0);
  }
  for (const std::vector<StudyTrial>& trials : {std::vector{a, b32, b64}, std::vector{b32, b64, a}})
    EXPECT_TRUE(make_table(compared({"loss"}), study_of(trials), {}).cells[0][0].tests.empty());
}

TEST(CompareCells, OnlyWithinTheSameLabelsOnOtherAxes) {
  const TemporaryFolder folder;
  const StudyResults study =
      study_of({trial_with_items(folder.path(), {{"backbone", "x"}, {"loss", "a"}}, 0, "110000"),
                trial_with_items(folder.path(), {{"backbone", "y"}, {"loss", "b"}}, 0, "000000")});
  const StudyTable table = make_table(compared({"backbone", "loss"}), study, {});
  for (const auto& row : table.cells) EXPECT_TRUE(row[0].tests.empty());
  EXPECT_FALSE(notes_say(table, "McNemar"));
}

TEST(CompareCells, ColumnsMayBeCompared) {
  const TemporaryFolder folder;
  TableSettings settings = compared({});
  settings.columns = {"loss"};
  const StudyTable table = make_table(settings, study_of(rivals(folder, 0, 6, 0)), {});
  EXPECT_EQ(table.cells[0][0].tests.at(0).rival, "b");
  EXPECT_EQ(table.cells[0][1].tests.at(0).rival, "a");
}

TEST(CompareCells, DirectionsButNoOtherMetrics) {
  const TemporaryFolder folder;
  // Even items are entailments: 2 of the 4 that only `a` has right.
  const StudyResults study = study_of({trial_with_items(folder.path(), {{"loss", "a"}}, 0, "111100"),
                                       trial_with_items(folder.path(), {{"loss", "b"}}, 0, "000000")});
  EXPECT_EQ(make_table(compared({"loss"}, "snli.direction_sim"), study, {}).cells[0][0].tests.at(0).sum.only_first, 2);
  EXPECT_EQ(make_table(compared({"loss"}, "snli.direction_var"), study, {}).cells[0][0].tests.at(0).sum.only_second, 2);
  EXPECT_TRUE(make_table(compared({"loss"}, "snli.pairs"), study, {}).cells[0][0].tests.empty());
  TableSettings settings = compared({"loss"}, "snli.accuracy");
  for (const char* metric : {"snli.auprc", "snli.pairs", "snli.spearman"})
    settings.metrics.push_back({metric, "", "", ""});
  const std::string note = "--interval bootstrap also tests snli.auprc, snli.spearman.";
  EXPECT_TRUE(notes_say(make_table(settings, study, {}), note));
  EXPECT_FALSE(notes_say(make_table(settings, study, {.interval = setting::CellInterval::bootstrap}), "also tests"));
  const TableOptions plain, drawn{.interval = setting::CellInterval::bootstrap};
  EXPECT_TRUE(can_be_tested("snli.accuracy", plain) && can_be_tested("x.direction_var", plain));
  EXPECT_FALSE(can_be_tested("snli.auprc", plain) || can_be_tested("sts.spearman", plain));
  EXPECT_TRUE(can_be_tested("snli.auprc", drawn) && can_be_tested("sts.symmetric_spearman_mean", drawn));
  EXPECT_TRUE(can_be_tested("geometry.adjusted_self_similarity", drawn));
  for (const TableOptions& options : {plain, drawn})
    EXPECT_FALSE(can_be_tested("average.nli.accuracy", options) || can_be_tested("accuracy", options) ||
                 can_be_tested("snli.threshold", options));
}

TEST(CompareCells, NothingIsReadWhereNothingIsCompared) {
  const TemporaryFolder folder;
  auto trials = rivals(folder, 0, 6, 0);
  for (const StudyTrial& trial : trials) std::filesystem::remove(trial.folder / study_layout::result);
  const StudyTable table =
      make_table(table_of({"loss"}), study_of(trials), {.interval = setting::CellInterval::wilson});
  EXPECT_TRUE(table.cells[0][0].tests.empty());
  EXPECT_FALSE(notes_say(table, "Not tested"));
}

TEST(CompareCells, ReportsResultsThatCannotBeRead) {
  const TemporaryFolder folder;
  auto trials = rivals(folder, 0, 6, 0);
  write_bytes(trials[1].folder / study_layout::result, "no result");
  trials[1].run.reset();
  TrialItems items;
  for (const char* metric : {"snli.accuracy", "snli.direction_sim"}) {
    const StudyTable table = make_table(compared({"loss"}, metric), study_of(trials), {}, items);
    EXPECT_EQ(table.cells[1][0].count, 1);
    EXPECT_TRUE(table.cells[0][0].tests.empty());
    EXPECT_TRUE(notes_say(table, "Not tested: " + (trials[1].folder / study_layout::result).string()));
  }
}

}  // namespace
}  // namespace gausscse
