#include "experiments/tables/make_table.hpp"

#include "experiments/tables/trial_items.hpp"
#include "results/json_report.hpp"
#include "tests/experiments/study/planted_files.hpp"
#include "tests/experiments/tables/made_up_study.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Texts = std::vector<std::vector<std::string>>;

testing::AssertionResult says_all(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    if (const testing::AssertionResult found = says(message, part); !found) return found;
  return testing::AssertionSuccess();
}

/// Two backbones and two losses, not in alphabetical order; two seeds.
StudyResults small_study() {
  std::vector<StudyTrial> trials;
  double accuracy = 0.50;
  for (const char* backbone : {"roberta", "bert"})
    for (const char* loss : {"ent", "con"})
      for (const std::int64_t seed : {0, 1}) {
        trials.push_back(done_trial({{"backbone", backbone}, {"loss", loss}}, seed,
                                    {{"accuracy", accuracy}, {"auprc", accuracy / 2}}));
        accuracy += 0.01;
      }
  return study_of(std::move(trials));
}

TEST(MakeTable, RowsComeAsLabelsFirstAppear) {
  const StudyTable table = make_table(table_of({"backbone", "loss"}), small_study(), {});
  EXPECT_EQ(table.row_axes, (std::vector<std::string>{"backbone", "loss"}));
  EXPECT_EQ(table.row_labels, (Texts{{"roberta", "ent"}, {"roberta", "con"}, {"bert", "ent"}, {"bert", "con"}}));
  EXPECT_EQ(table.column_labels, (Texts{{"snli.accuracy"}}));
  EXPECT_EQ(texts_of(table), (Texts{{"50.50"}, {"52.50"}, {"54.50"}, {"56.50"}}));
  EXPECT_EQ(table.stage, "final");
}

TEST(MakeTable, RowsInAnotherOrderOfAxesAreGroupedByTheFirst) {
  const StudyTable table = make_table(table_of({"loss", "backbone"}), small_study(), {});
  EXPECT_EQ(table.row_labels, (Texts{{"ent", "roberta"}, {"ent", "bert"}, {"con", "roberta"}, {"con", "bert"}}));
  EXPECT_EQ(texts_of(table), (Texts{{"50.50"}, {"54.50"}, {"52.50"}, {"56.50"}}));
}

TEST(MakeTable, ColumnsAreLabelsWithAllMetrics) {
  TableSettings settings = table_of({"backbone"});
  settings.columns = {"loss"};
  settings.metrics = {{"snli.accuracy", "acc.", "", ""}, {"snli.auprc", "", "", ""}};
  const StudyTable table = make_table(settings, small_study(), {});
  EXPECT_EQ(table.column_labels,
            (Texts{{"ent", "acc."}, {"ent", "snli.auprc"}, {"con", "acc."}, {"con", "snli.auprc"}}));
  EXPECT_EQ(texts_of(table), (Texts{{"50.50", "25.25", "52.50", "26.25"}, {"54.50", "27.25", "56.50", "28.25"}}));
  EXPECT_EQ(table.column_metrics[3], "snli.auprc");
}

TEST(MakeTable, OtherAxesAndSeedsAreTakenTogether) {
  const StudyResults study = small_study();
  const StudyTable table = make_table(table_of({"backbone"}), study, {});
  EXPECT_EQ(texts_of(table), (Texts{{"51.50"}, {"55.50"}}));
  const TableCell& cell = table.cells[0][0];
  EXPECT_EQ(cell.count, 4);
  // Of .50, .51, .52, .53: squares of +-1.5 and +-0.5 hundredths over 3.
  EXPECT_NEAR(cell.deviation, 0.01 * std::sqrt(5.0 / 3), 1e-12);
  ASSERT_EQ(cell.values.size(), 4u);
  EXPECT_EQ(cell.values[1].seed, 1);
  EXPECT_EQ(cell.values[1].value, 0.51);
  EXPECT_EQ(cell.values[2].identity, study.trials[2].planned.identity);
  EXPECT_EQ(make_table(table_of({}), small_study(), {}).cells.size(), 1u);
}

TEST(MakeTable, Aggregations) {
  const StudyResults study = study_of({done_trial({{"loss", "ent"}}, 0, {{"accuracy", 0.9}}),
                                       done_trial({{"loss", "ent"}}, 1, {{"accuracy", 0.1}}),
                                       done_trial({{"loss", "ent"}}, 2, {{"accuracy", 0.2}})});
  TableSettings settings = table_of({"loss"});
  EXPECT_EQ(texts_of(make_table(settings, study, {})), (Texts{{"40.00"}}));
  settings.aggregation = setting::Aggregation::median;
  EXPECT_EQ(texts_of(make_table(settings, study, {})), (Texts{{"20.00"}}));
  EXPECT_TRUE(notes_say(make_table(settings, study, {}), "Medians"));
  settings.aggregation = setting::Aggregation::highest;
  EXPECT_EQ(texts_of(make_table(settings, study, {})), (Texts{{"90.00"}}));
}

TEST(MakeTable, CutsWhereItIsAsked) {
  const StudyResults study = study_of({done_trial({{"loss", "ent"}}, 0, {{"accuracy", 0.62016666}})});
  TableSettings settings = table_of({"loss"});
  EXPECT_EQ(texts_of(make_table(settings, study, {})), (Texts{{"62.02"}}));
  EXPECT_FALSE(notes_say(make_table(settings, study, {}), "cut"));
  settings.cut = true;
  EXPECT_EQ(texts_of(make_table(settings, study, {})), (Texts{{"62.01"}}));
  EXPECT_TRUE(notes_say(make_table(settings, study, {}), "cut after two decimals"));
}

TEST(MakeTable, BestOfAColumnByWhatIsPrinted) {
  const StudyResults study = study_of({done_trial({{"loss", "a"}}, 0, {{"accuracy", 0.700001}}),
                                       done_trial({{"loss", "b"}}, 0, {{"accuracy", 0.700002}}),
                                       done_trial({{"loss", "c"}}, 0, {{"accuracy", 0.69}}),
                                       other_trial({{"loss", "d"}}, 0, TrialStatus::planned)});
  const StudyTable table = make_table(table_of({"loss"}), study, {});
  EXPECT_TRUE(table.cells[0][0].best);
  EXPECT_TRUE(table.cells[1][0].best);
  EXPECT_FALSE(table.cells[2][0].best);
  EXPECT_FALSE(table.cells[3][0].best);
}

TEST(MakeTable, NoneOfRivalsThatAllPrintTheSameIsTheBest) {
  const StudyTable table = make_table(table_of({"loss"}),
                                      study_of({done_trial({{"loss", "a"}}, 0, {{"accuracy", 0.700001}}),
                                                done_trial({{"loss", "b"}}, 0, {{"accuracy", 0.700002}}),
                                                done_trial({{"loss", "c"}}, 0, {{"accuracy", 0.7}}),
                                                other_trial({{"loss", "d"}}, 0, TrialStatus::planned)}),
                                      {});
  for (const std::vector<TableCell>& row : table.cells) EXPECT_FALSE(row[0].best);
}

/// Returns a trial of eight steps that kept its state after `step` of them.
StudyTrial kept_at(StudyTrial trial, std::int64_t step) {
  trial.kept.state = "best";
  trial.kept.step = step;
  trial.run.emplace().steps = 8;
  return trial;
}

TEST(MakeTable, NoValueOfAnUntrainedStateIsTheBest) {
  const auto best_of = [](double untrained) {
    const StudyTable table = make_table(table_of({"loss"}),
                                        study_of({kept_at(done_trial({{"loss", "a"}}, 0, {{"accuracy", untrained}}), 0),
                                                  kept_at(done_trial({{"loss", "a"}}, 1, {{"accuracy", untrained}}), 4),
                                                  kept_at(done_trial({{"loss", "b"}}, 0, {{"accuracy", 0.7}}), 8),
                                                  kept_at(done_trial({{"loss", "c"}}, 0, {{"accuracy", 0.6}}), 8)}),
                                        {});
    std::vector<bool> best;
    for (const std::vector<TableCell>& row : table.cells) best.push_back(row[0].best);
    return best;
  };
  EXPECT_EQ(best_of(0.5), (std::vector{false, true, false}));
  EXPECT_EQ(best_of(0.7), (std::vector{false, true, false}));
  // No trained state is the best where an untrained one is better.
  EXPECT_EQ(best_of(0.8), (std::vector{false, false, false}));
}

TEST(MakeTable, CountsUntrainedStates) {
  const StudyTable table = make_table(table_of({"loss"}),
                                      study_of({kept_at(done_trial({{"loss", "a"}}, 0, {{"accuracy", 0.7}}), 0),
                                                kept_at(done_trial({{"loss", "a"}}, 1, {{"accuracy", 0.7}}), 4),
                                                kept_at(done_trial({{"loss", "a"}}, 2, {{"accuracy", 0.7}}), 0),
                                                kept_at(done_trial({{"loss", "b"}}, 0, {{"accuracy", 0.8}}), 8)}),
                                      {});
  EXPECT_EQ(table.cells[0][0].untrained, 2);
  EXPECT_EQ(table.cells[1][0].untrained, 0);
  EXPECT_TRUE(notes_say(table, "2 of 4 done trials kept the untrained state: none of their steps gave a better one."));
  EXPECT_FALSE(notes_say(
      make_table(table_of({"loss"}), study_of({kept_at(done_trial({{"loss", "b"}}, 0, {{"accuracy", 0.8}}), 8)}), {}),
      "untrained"));
}

TEST(MakeTable, BestAmongRivalsOnTheComparedAxis) {
  TableSettings settings = table_of({"backbone", "loss"});
  settings.compare = "loss";
  const StudyTable rows = make_table(settings, small_study(), {});
  EXPECT_FALSE(rows.cells[0][0].best);
  EXPECT_TRUE(rows.cells[1][0].best);
  EXPECT_TRUE(rows.cells[3][0].best);
  settings = table_of({"backbone"});
  settings.columns = {"loss"};
  settings.compare = "loss";
  settings.metrics.push_back({"snli.auprc", "snli.accuracy", "", ""});  // of one title, and yet no rival
  const StudyTable columns = make_table(settings, small_study(), {});
  for (const std::vector<TableCell>& row : columns.cells) {
    EXPECT_FALSE(row[0].best || row[1].best);
    EXPECT_TRUE(row[2].best && row[3].best);
  }
  settings.compare = "";
  EXPECT_FALSE(make_table(settings, small_study(), {}).cells[0][2].best);
}

TEST(MakeTable, AloneOrNoShareIsNotTheBest) {
  const StudyResults study = study_of({done_trial({{"loss", "a"}}, 0, {{"accuracy", 0.7}, {"pairs", 10}}),
                                       done_trial({{"loss", "b"}}, 0, {{"pairs", 12}})});
  TableSettings settings = table_of({"loss"});
  settings.metrics.push_back({"snli.pairs", "", "", ""});
  const StudyTable table = make_table(settings, study, {});
  EXPECT_FALSE(table.cells[0][0].best);
  EXPECT_FALSE(table.cells[1][1].best);
  EXPECT_EQ(table.cells[1][1].text, "12");
  EXPECT_EQ(table.column_units[1], Unit::count);
}

TEST(MakeTable, SaysWhatIsMissing) {
  std::vector<StudyTrial> trials = small_study().trials;
  trials[0] = other_trial({{"backbone", "roberta"}, {"loss", "ent"}}, 0, TrialStatus::failed);
  trials[0].failure = FailureRecord{.reason = "exit code 2", .error = "", .lines = {}, .host = "", .ended = ""};
  trials[1] = other_trial({{"backbone", "roberta"}, {"loss", "ent"}}, 1, TrialStatus::running);
  trials[7] = done_trial({{"backbone", "bert"}, {"loss", "con"}}, 1, {{"accuracy", std::nan("")}});
  const StudyTable table = make_table(table_of({"backbone", "loss"}), study_of(trials), {});
  EXPECT_EQ(table.cells[0][0].text, "-");
  EXPECT_TRUE(std::isnan(table.cells[0][0].value));
  EXPECT_EQ(table.cells[0][0].missing, 2);
  EXPECT_EQ(table.cells[3][0].count, 1);
  EXPECT_EQ(table.cells[3][0].missing, 1);
  EXPECT_TRUE(std::isnan(table.cells[3][0].deviation));
  EXPECT_TRUE(notes_say(table,
                        "2 of 8 trials of the stage final are not done: final roberta ent seed 0 (failed: exit code "
                        "2); final roberta ent seed 1 (running)."));
}

TEST(MakeTable, NamesSomeOfManyMissingTrials) {
  std::vector<StudyTrial> trials;
  for (std::int64_t seed = 0; seed < 7; ++seed)
    trials.push_back(other_trial({{"loss", "ent"}}, seed, TrialStatus::planned));
  const StudyTable table = make_table(table_of({"loss"}), study_of(trials), {});
  EXPECT_TRUE(notes_say(table, "final ent seed 4 (planned); and 2 others."));
  EXPECT_FALSE(notes_say(table, "No done trial has the metric")) << "there is no done trial";
  EXPECT_FALSE(notes_say(table, "seed 5"));
}

TEST(MakeTable, TrialsWithoutALabelStandInNoRow) {
  StudyTrial chosen = done_trial({{"loss", "ent"}, {"size", "16"}}, 0, {{"accuracy", 0.5}});
  chosen.planned.stage = "choose";
  const StudyResults waiting = study_of({chosen, other_trial({{"loss", "ent"}}, 0, TrialStatus::waiting)});
  const StudyTable table = make_table(table_of({"loss", "size"}), waiting, {});
  EXPECT_TRUE(table.cells.empty());
  EXPECT_TRUE(notes_say(table, "1 trial is in no row or column"));
}

TEST(MakeTable, TakesTheStageThatIsAsked) {
  std::vector<StudyTrial> trials = small_study().trials;
  for (std::size_t i = 0; i < 4; ++i) trials[i].planned.stage = "choose";
  TableSettings settings = table_of({"backbone"});
  EXPECT_EQ(texts_of(make_table(settings, study_of(trials), {})), (Texts{{"55.50"}}));
  settings.stage = "choose";
  EXPECT_EQ(texts_of(make_table(settings, study_of(trials), {})), (Texts{{"51.50"}}));
  settings.stage = "chose";
  EXPECT_TRUE(
      says_all(refusal_of([&] { make_table(settings, study_of(trials), {}); }), {"chose", "did you mean \"choose\""}));
}

TEST(MakeTable, RefusesUnknownAxes) {
  EXPECT_TRUE(says_all(refusal_of([&] { make_table(table_of({"backbones"}), small_study(), {}); }),
                       {"\"nli\"", "rows", "\"backbones\"", "did you mean \"backbone\""}));
  TableSettings settings = table_of({"loss"});
  settings.columns = {"back"};
  EXPECT_TRUE(says_all(refusal_of([&] { make_table(settings, small_study(), {}); }), {"columns", "\"back\""}));
  settings.columns = {};
  settings.compare = "backbone";
  EXPECT_TRUE(
      says_all(refusal_of([&] { make_table(settings, small_study(), {}); }), {"compares", "\"backbone\"", "mix"}));
}

TEST(MakeTable, ReportsMetricsThatNoTrialHas) {
  const StudyTable table = make_table(table_of({"loss"}, "snli.acuracy"), small_study(), {});
  EXPECT_TRUE(notes_say(table, "No done trial has the metric \"snli.acuracy\", did you mean \"snli.accuracy\"?"));
  std::vector<StudyTrial> trials = small_study().trials;
  trials[2] = done_trial(trials[2].planned.coordinates, 0, {{"accuracy", 0.5}});
  EXPECT_TRUE(notes_say(make_table(table_of({"loss"}, "snli.auprc"), study_of(trials), {}),
                        "The metric \"snli.auprc\" is not in 1 of 8 done trials."));
}

TEST(MakeTable, FewSeedsShowNothingInASignTest) {
  std::vector<StudyTrial> trials;
  for (std::int64_t seed = 0; seed < 5; ++seed)
    trials.push_back(done_trial({{"loss", "ent"}}, seed, {{"accuracy", 0.5}}));
  EXPECT_TRUE(notes_say(make_table(table_of({"loss"}), study_of(trials), {}),
                        "Five seeds cannot give a sign test below p = 0.0625."));
  trials.push_back(done_trial({{"loss", "ent"}}, 5, {{"accuracy", 0.5}}));
  EXPECT_FALSE(notes_say(make_table(table_of({"loss"}), study_of(trials), {}), "sign test"));
}

TEST(MakeTable, HasRowsOfReportsBeforeThoseOfTrials) {
  const TemporaryFolder folder;
  StudyResults study = small_study();
  study.folder = folder.path();
  TableSettings settings = table_of({"loss"});
  settings.columns = {"backbone"};
  settings.compare = "loss";
  settings.reports = {{"words.json", {{"loss", "none"}, {"backbone", "bert"}}}};
  const StudyTable waiting = make_table(settings, study, {});
  EXPECT_EQ(waiting.row_labels, (Texts{{"none"}, {"ent"}, {"con"}}));
  EXPECT_EQ(texts_of(waiting)[0], (std::vector<std::string>{"-", "-"}));
  EXPECT_EQ(texts_of(waiting)[1], (std::vector<std::string>{"54.50", "50.50"}));
  EXPECT_TRUE(notes_say(waiting,
                        "1 of 9 trials of the stage final is not done: final none bert seed 0 (waiting for "
                        "reports/words.json)."));
  StateResult measured;
  measured.tasks = {{"snli", "nli", false, {{"accuracy", 0.75}}, {}, ""}};
  std::filesystem::create_directories(folder / "reports");
  write_bytes(folder / "reports" / "words.json", json_report(measured));
  const StudyTable table = make_table(settings, study, {});
  EXPECT_EQ(texts_of(table)[0], (std::vector<std::string>{"75.00", "-"}));
  EXPECT_TRUE(table.cells[0][0].best);
  EXPECT_TRUE(table.cells[0][0].tests.empty());
  EXPECT_FALSE(notes_say(table, "not done"));
  EXPECT_FALSE(notes_say(table, "Not tested"));
  EXPECT_FALSE(notes_say(table, "no hash"));
  std::string changed = json_report(measured);
  changed.replace(changed.find("0.75"), 4, "0.95");
  write_bytes(folder / "reports" / "words.json", changed);
  EXPECT_TRUE(says_all(refusal_of([&] { make_table(settings, study, {}); }), {"words.json: damaged"}));
  changed.replace(changed.find("\"check\""), 7, "\"other\"");
  write_bytes(folder / "reports" / "words.json", changed);
  EXPECT_TRUE(notes_say(make_table(settings, study, {}), "reports/words.json has no hash of its values"));
  expect_planted_named(folder / "reports" / "words.json",
                       [&] { return refusal_of([&] { make_table(settings, study, {}); }); });
  settings.reports[0].labels.pop_back();
  EXPECT_TRUE(says_all(refusal_of([&] { make_table(settings, study, {}); }), {"words.json", "backbone"}));
  settings.reports[0].labels.emplace_back("backbone", "bert");
  write_bytes(folder / "reports" / "words.json", "{}");
  EXPECT_TRUE(says_all(refusal_of([&] { make_table(settings, study, {}); }), {"words.json"}));
}

TEST(DefaultTable, HasAllMetricsThatAreNoDetails) {
  std::vector<StudyTrial> trials{done_trial({{"loss", "ent"}, {"size", "16"}}, 0, {{"accuracy", 0.5}, {"a.part", 0.5}}),
                                 done_trial({{"loss", "con"}, {"size", "16"}}, 0, {{"accuracy", 0.5}, {"auprc", 0.4}})};
  trials[1].kept.tasks.push_back({"mnli", "nli", false, {{"accuracy", 0.7}}, {}, ""});
  StudyTrial early = done_trial({{"early", "x"}}, 0, {{"other", 0.5}});
  early.planned.stage = "choose";
  trials.insert(trials.begin(), early);
  // A later stage has no done trial.
  trials.push_back(other_trial({{"late", "x"}}, 0, TrialStatus::waiting));
  trials.back().planned.stage = "wide";
  const TableSettings settings = default_table(study_of(trials));
  EXPECT_EQ(settings.stage, "final");
  EXPECT_EQ(settings.rows, (std::vector<std::string>{"loss", "size"}));
  std::vector<std::string> metrics;
  for (const TableMetric& metric : settings.metrics) metrics.push_back(metric.metric);
  EXPECT_EQ(metrics, (std::vector<std::string>{"snli.accuracy", "snli.auprc", "mnli.accuracy"}));
  EXPECT_EQ(texts_of(make_table(settings, study_of(trials), {}))[1],
            (std::vector<std::string>{"50.00", "40.00", "70.00"}));
}

TEST(DefaultTable, OfAStudyWithoutTrials) {
  const StudyTable table = make_table(default_table(study_of({})), study_of({}), {});
  EXPECT_TRUE(table.cells.empty());
  EXPECT_TRUE(notes_say(table, "no trials"));
}

}  // namespace
}  // namespace gausscse
