#include "experiments/report/sections/report_page.hpp"

#include "experiments/report/html/number_text.hpp"
#include "tests/experiments/report/made_up_study.hpp"
#include "tests/experiments/report/page_text.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

namespace {

MadeUpStudy small_study() {
  MadeUpStudy study;
  study.systems = {"ent", "ent+con", "simcse"};
  study.seeds = 3;
  study.steps = 40;
  study.pairs = 90;
  return study;
}

RunResult shown(const StudyTrial& trial) {
  return shown_result(trial);
}

class ReportPage : public testing::Test {
 protected:
  // Once for all that only read it.
  static void SetUpTestSuite() {
    folder_.emplace();
    write_made_up_study(folder_->path(), small_study());
    study_ = read_study(*folder_ / "results");
  }
  static void TearDownTestSuite() { folder_.reset(); }

  std::string page() const {
    const ReportData data = gather_report(study_, shown);
    TrialItems items;
    return report_page({study_,
                        data,
                        "A title",
                        {made_up_table(small_study())},
                        {"A note."},
                        find_headline(study_, data, nullptr, {}, items)});
  }

  static std::optional<TemporaryFolder> folder_;
  static StudyResults study_;
};

std::optional<TemporaryFolder> ReportPage::folder_;
StudyResults ReportPage::study_;

TEST_F(ReportPage, IsTheSameEachTime) {
  EXPECT_EQ(page(), page());
}

/// Nothing is missing in the parts of results that are read for it.
TEST_F(ReportPage, IsThatOfAllOfTheResults) {
  TrialItems items;
  const ReportData of_all = gather_report(study_, [](const StudyTrial&trial) { return full_result(trial); }),
                   of_parts = gather_report(study_, shown),
                   with_items =
                       gather_report(study_, [&](const StudyTrial&trial) { return shown_result(trial, &items); });
  const std::string all = report_page({study_, of_all, "", {}, {}});
  EXPECT_EQ(report_page({study_, of_parts, "", {}, {}}), all);
  EXPECT_EQ(report_page({study_, with_items, "", {}, {}}), all);
}

TEST_F(ReportPage, HasEverySectionAndALinkToIt) {
  const std::string text = page();
  for (const char* id :
       {"headline", "summary", "tables", "grids", "curves", "probabilities", "geometry", "configuration", "trials"}) {
    EXPECT_EQ(count_of(text, std::string("<section id=\"") + id + "\">"), 1u) << id;
    EXPECT_EQ(count_of(text, std::string("href=\"#") + id + "\""), 1u) << id;
  }
  EXPECT_TRUE(says(text, "<title>A title</title>"));
  EXPECT_TRUE(says(text, "<h1>A title</h1>"));
  EXPECT_TRUE(says(text, "<meta name=\"generator\" content=\"gausscse report\"/>"));
}

TEST_F(ReportPage, SumsTheStudyUp) {
  const std::string summary = section_of(page(), "summary");
  // 9 of choose, 9 of final, 1 of wide.
  EXPECT_TRUE(says(summary, "<dt>trials</dt>\n<dd>19</dd>"));
  EXPECT_TRUE(says(summary, "<dd>1 waiting, 1 planned, 1 running, 1 failed, 15 done</dd>"));
  double seconds = 0;
  for (const StudyTrial& trial : study_.trials)
    if (trial.run) seconds += trial.run->seconds;
  EXPECT_TRUE(says(summary, "<dd>" + duration_text(seconds) + "</dd>"));
  EXPECT_TRUE(says(summary, "<dt>core time</dt>\n<dd>" + duration_text(2 * seconds) + "</dd>"));
  EXPECT_TRUE(says(summary, "<dd>node01, node02</dd>"));
  EXPECT_TRUE(
      says(summary, "<strong>choose ent 64 5e-5 seed 0</strong>: exit code 1; the loss is not finite at step 12"));
  EXPECT_TRUE(says(summary, "3 starts, 1 min 2 s, on node02"));
  EXPECT_TRUE(says(summary, "step 11 loss 9.1\nstep 12 loss nan\n"));
  EXPECT_TRUE(says(summary, "<li>final simcse 64 3e-5 seed 2: running</li>"));
  EXPECT_TRUE(says(summary, "<li>wide ent seed 0: waits for the stage final</li>"));
  EXPECT_TRUE(says(summary, "<li>A note.</li>"));
}

TEST_F(ReportPage, PrintsTables) {
  const std::string tables = section_of(page(), "tables");
  EXPECT_TRUE(says(tables, "<th scope=\"colgroup\" colspan=\"2\">bert-base</th><th scope=\"col\">roberta-base</th>"));
  EXPECT_TRUE(says(tables,
                   "<strong>74.12</strong><span>\xE2\x80\xA0</span><small>\xC2\xB1 0.31</small>\n"
                   "<small>paper 71.23</small>"));
  EXPECT_TRUE(says(tables, "<td class=\"best\"><strong>77.12</strong><small>"));  // no test, no mark
  EXPECT_TRUE(says(tables, "<small>2 of 5 missing</small>"));
  EXPECT_TRUE(says(tables, "<td class=\"missing\"><span>-</span>"));
  EXPECT_TRUE(says(tables, "<li>1 of 25 trials is not done.</li>"));
  EXPECT_TRUE(
      says(tables,
           "<th scope=\"row\">simcse, bert-base, accuracy %</th><td class=\"words\">ent</td>"
           "<td>41</td><td>12</td><td>0.01, 0.2</td><td>[1.00, 5.00]</td><td>0.00031</td><td>0.0042</td><td>0.0042</td>"
           "<td>yes</td>"));
}

TEST_F(ReportPage, MapsTheGrid) {
  const std::string grids = section_of(page(), "grids");
  // Dev's AUPRC, which selects, comes first; rows are batch sizes, columns learning rates.
  EXPECT_LT(grids.find("AUPRC of dev"), grids.find("accuracy of dev"));
  const auto value = metric_of(study_.trials[3], "dev.auprc");  // 32, 1e-5
  ASSERT_TRUE(value);
  const std::size_t row = grids.find("<th scope=\"row\">32</th>");
  ASSERT_NE(row, std::string::npos);
  EXPECT_TRUE(says(grids.substr(row, 120), metric_value_text(value->value, Unit::fraction)));
  EXPECT_EQ(count_of(grids.substr(0, grids.find("accuracy of dev")), "<td class=\"missing\">-</td>"), 1u);
  // The stage final has a system's own settings only: no map.
  EXPECT_EQ(grids.find("Stage final"), std::string::npos);
}

TEST_F(ReportPage, MarksUntrainedStatesInTheGrid) {
  const std::string mark = "\xE2\x80\xA1";
  EXPECT_EQ(section_of(page(), "grids").find(mark), std::string::npos);
  StudyResults study = study_;
  study.trials[3].kept.step = 0;  // 32, 1e-5
  const std::string grids = section_of(report_page({study, gather_report(study, shown), "", {}, {}}), "grids");
  const std::size_t row = grids.find("<th scope=\"row\">32</th>"), end = grids.find("</tr>", row);
  const std::string cells = grids.substr(row, end - row), first = cells.substr(0, cells.find("</td>"));
  EXPECT_TRUE(first.ends_with(metric_value_text(metric_of(study.trials[3], "dev.auprc")->value, Unit::fraction) + mark))
      << first;
  EXPECT_EQ(count_of(cells, mark), 1u);
  EXPECT_TRUE(says(grids, mark + ": some trial of the cell kept the state before the first step"));
}

TEST_F(ReportPage, DrawsCurvesWithBandsOfSeeds) {
  const std::string curves = section_of(page(), "curves");
  const std::size_t last = curves.find("Stage final");
  ASSERT_NE(last, std::string::npos);
  // Each loss has its axes, as losses of different objectives cannot be compared.
  for (const char* title : {"Training loss by step: ", "accuracy of dev by step", "AUPRC of dev by step"})
    EXPECT_TRUE(says(curves.substr(last), std::string("<figcaption>") + title));
  EXPECT_EQ(count_of(curves.substr(0, last), "<figcaption>Training loss by step</figcaption>"), 1u);
  EXPECT_EQ(count_of(curves.substr(last), "<figcaption>Training loss by step: "), 3u);
  EXPECT_EQ(count_of(curves, "Losses of different objectives cannot be compared"), 1u);
  EXPECT_EQ(count_of(curves, "losses of different batch sizes cannot be compared"), 2u);
  // One legend for the five plots.
  EXPECT_EQ(count_of(curves.substr(last), "<ul class=\"legend\">"), 1u);
  // What no step changes is left out, and so are counts and geometry.
  EXPECT_EQ(curves.find("direction by length"), std::string::npos);
  EXPECT_EQ(curves.find("pairs of dev"), std::string::npos);
  EXPECT_EQ(curves.find("anisotropy"), std::string::npos);
  // Single trials have no bands; of simcse only one trial is done, the two others have a band in each of three plots.
  EXPECT_EQ(count_of(curves.substr(0, last), "class=\"band\""), 0u);
  EXPECT_EQ(count_of(curves.substr(last), "class=\"band\""), 6u);
}

TEST_F(ReportPage, DrawsGeometryByLayerAndByStep) {
  const std::string geometry = section_of(page(), "geometry");
  for (const char* title :
       {"anisotropy of tokens by layer", "self-similarity of tokens by layer", "anisotropy of tokens by step"})
    EXPECT_TRUE(says(geometry, title));
  EXPECT_EQ(geometry.find("informativity"), std::string::npos);
}

TEST_F(ReportPage, TellsWhatDiffers) {
  const std::string differences = section_of(page(), "configuration");
  EXPECT_TRUE(says(differences, ">training.batch_size</th>"));
  EXPECT_TRUE(says(differences, "<td class=\"words\">16</td><td class=\"words\">3 trials"));
  EXPECT_TRUE(says(differences, ">objective.loss</th>"));
  EXPECT_TRUE(says(differences, ">XXH3-128 of the initial weights</th>"));
  const std::size_t common = differences.find("Common to all trials");
  ASSERT_NE(common, std::string::npos);
  EXPECT_EQ(differences.find(">training.batch_size<", common), std::string::npos);
  EXPECT_TRUE(says(differences.substr(common), "<th scope=\"row\">training.precision</th>"));
  EXPECT_TRUE(says(differences.substr(common), "<th scope=\"row\">commit</th><td class=\"words\">0123abc4567</td>"));
  EXPECT_EQ(differences.find(">output<"), std::string::npos);
}

TEST_F(ReportPage, HasEachTrial) {
  const std::string trials = section_of(page(), "trials");
  EXPECT_EQ(count_of(trials, "<details class=\"trial\">"), study_.trials.size());
  const std::size_t first = trials.find("choose ent 32 3e-5 seed 0");
  ASSERT_NE(first, std::string::npos);
  const std::string one = trials.substr(first, trials.find("</details>", first) - first);
  EXPECT_TRUE(says(one, "(done)"));
  EXPECT_TRUE(says(one, "<th scope=\"row\">training.learning_rate</th><td class=\"words\">3e-5</td>"));
  EXPECT_TRUE(says(one, "best, step 30"));
  EXPECT_TRUE(says(one, "dev: pairs 90, accuracy "));
}

TEST_F(ReportPage, TellsOfResultsThatCannotBeRead) {
  const ReportData data = gather_report(study_, [](const StudyTrial& trial) -> RunResult {
    if (trial.planned.seed == 1) throw InputError("broken <b>");
    return shown_result(trial);
  });
  const std::string text = report_page({study_, data, "", {}, {}});
  EXPECT_TRUE(
      says(section_of(text, "summary"), "final ent 64 3e-5 seed 1: its result cannot be read: broken &lt;b&gt;"));
  EXPECT_TRUE(says(text, "<h1>minilm-small</h1>"));
  EXPECT_EQ(text.find("id=\"tables\""), std::string::npos);
}

TEST(ReportPageOfNothing, IsAPage) {
  StudyResults study{"/nowhere", "empty", {}};
  const ReportData data = gather_report(study, shown);
  EXPECT_TRUE(says(report_page({study, data, "", {}, {}}), "<dd>none</dd>"));
  // Trials that have not begun, and none that has.
  study.trials.resize(2);
  study.trials[1].planned.seed = 1;
  const ReportData planned = gather_report(study, shown);
  EXPECT_TRUE(says(report_page({study, planned, "", {}, {}}), "<dd>2 planned</dd>"));
}

TEST(ReportPageOfMuch, DrawsTheLastStagesFirst) {
  StudyResults study{"/nowhere", "much", {}};
  for (const char* stage : {"first", "last"}) {
    for (int i = 0; i < 30; ++i) {
      StudyTrial& trial = study.trials.emplace_back();
      trial.planned = {stage, {{"system", std::to_string(i)}}, 0, "", ""};
      trial.status = TrialStatus::done;
    }
  }
  const ReportData data = gather_report(study, [](const StudyTrial&) {
    RunResult result;
    result.training.step = {0, 1};
    result.training.loss = {2, 1};
    result.states = {{"last", 1, {}}};
    return result;
  });
  // All of the last stage, and as many of the first as there is room for.
  for (std::size_t i = 0; i < 60; ++i) EXPECT_EQ(data.shown[i], i < most_shown_groups - 30 || i >= 30) << i;
  EXPECT_TRUE(
      says(section_of(report_page({study, data, "", {}, {}}), "curves"), "20 more settings of the stage first."));
}

}  // namespace

}  // namespace gausscse
