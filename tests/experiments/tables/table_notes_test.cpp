#include "experiments/tables/table_notes.hpp"

#include <nlohmann/json.hpp>

#include "experiments/tables/make_table.hpp"
#include "experiments/tables/table_formats.hpp"
#include "tests/experiments/tables/made_up_study.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

StudyTrial kept_trial(std::int64_t seed, const std::string& state, std::int64_t step) {
  StudyTrial trial = done_trial({{"loss", "ent"}}, seed, {{"accuracy", 0.5}});
  trial.kept.state = state;
  trial.kept.step = step;
  return trial;
}

StudyTable table_of_trials(std::vector<StudyTrial> trials) {
  return make_table(table_of({"loss"}), study_of(std::move(trials)), {});
}

TEST(TableNotes, ReportWhichStateMetricsAreOf) {
  StudyTrial of_another_stage = kept_trial(9, "best", 5);
  of_another_stage.planned.stage = "choose";
  StudyTrial failed = kept_trial(3, "best", 5000);
  failed.status = TrialStatus::failed;
  const StudyTable best = table_of_trials(
      {of_another_stage, kept_trial(0, "best", 40), kept_trial(1, "best", 30), kept_trial(2, "best", 50), failed});
  ASSERT_GE(best.notes.size(), 2u);
  EXPECT_EQ(best.notes[1],
            "Metrics of 3 done trials are of the best state by the key select of the trial, after 30 to 50 steps.");
  EXPECT_FALSE(notes_say(best, "last state"));
  const StudyTable last = table_of_trials({kept_trial(0, "last", 100), kept_trial(1, "last", 100)});
  EXPECT_EQ(last.notes.at(1), "Metrics of 2 done trials are of the last state, after 100 steps.");
  const StudyTable mixed = table_of_trials({kept_trial(0, "last", 1), kept_trial(1, "best", 0)});
  EXPECT_EQ(mixed.notes.at(1),
            "Metrics of 1 done trial are of the best state by the key select of the trial, after 0 steps.");
  EXPECT_EQ(mixed.notes.at(2), "Metrics of 1 done trial are of the last state, after 1 step.");
}

TEST(TableNotes, ReportNoStateOfMetricsThatHaveNone) {
  const StudyTable table = table_of_trials({kept_trial(0, "", 0)});
  EXPECT_FALSE(notes_say(table, "state"));
}

TEST(TableNotes, CountTheCellsThatHaveNoInterval) {
  // Four losses: of three seeds, of one, of one, and of none that is done.
  std::vector<StudyTrial> trials;
  for (const std::int64_t seed : {0, 1, 2})
    trials.push_back(done_trial({{"loss", "a"}}, seed, {{"accuracy", 0.5 + 0.1 * static_cast<double>(seed)}}));
  for (const char* loss : {"b", "c"}) trials.push_back(done_trial({{"loss", loss}}, 0, {{"accuracy", 0.5}}));
  trials.push_back(other_trial({{"loss", "d"}}, 0, TrialStatus::planned));
  const StudyTable table = make_table(table_of({"loss"}), study_of(trials), {.interval = setting::CellInterval::t});
  EXPECT_TRUE(notes_say(table, "one trial has none. 2 of 3 cells have none.")) << "a planned cell has no value";
}

TEST(TableNotes, CountSeedsAndNotTrials) {
  std::vector<StudyTrial> trials;
  for (const char* size : {"16", "64"})
    for (const std::int64_t seed : {0, 1})
      trials.push_back(done_trial({{"loss", "a"}, {"size", size}}, seed, {{"accuracy", 0.5}}));
  EXPECT_TRUE(notes_say(table_of_trials(trials), "Two seeds cannot give a sign test below p = 0.5."));
  for (const std::int64_t seed : {0, 1, 2}) trials.push_back(done_trial({{"loss", "b"}}, seed, {{"accuracy", 0.5}}));
  EXPECT_TRUE(notes_say(table_of_trials(trials), "Three seeds cannot give a sign test below p = 0.25."))
      << "the cell with the most seeds counts";
}

TEST(TableNotes, CountTheTrialsThatLackAMetricInTheTablesStage) {
  std::vector<StudyTrial> trials;
  for (const std::int64_t seed : {0, 1, 2}) trials.push_back(done_trial({{"loss", "a"}}, seed, {{"accuracy", 0.5}}));
  trials.push_back(done_trial({{"loss", "a"}}, 3, {{"auprc", 0.5}}));
  trials.push_back(other_trial({{"loss", "a"}}, 4, TrialStatus::failed));
  StudyTrial of_another_stage = done_trial({{"loss", "a"}}, 5, {{"auprc", 0.5}});
  of_another_stage.planned.stage = "choose";
  trials.insert(trials.begin(), of_another_stage);
  const StudyTable table = table_of_trials(trials);
  EXPECT_TRUE(notes_say(table, "The metric \"snli.accuracy\" is not in 1 of 4 done trials."));
  EXPECT_TRUE(notes_say(table, "1 of 5 trials of the stage final is not done: final a seed 4 (failed)."));
}

/// Two tasks, with the metrics that each would have without a model. That of another stage does not count.
StudyTrial trial_with_baselines(std::int64_t seed, double majority, double positives, double by_length) {
  StudyTrial trial = done_trial({{"loss", "a"}}, seed,
                                {{"accuracy", 0.5},
                                 {"auprc", 0.5},
                                 {"direction_sim", 0.5},
                                 {"direction_var", 0.5},
                                 {"majority", majority},
                                 {"positives", positives},
                                 {"direction_length", by_length}});
  trial.kept.tasks.push_back(trial.kept.tasks[0]);
  trial.kept.tasks[1].task = "sick";
  for (Metric& metric : trial.kept.tasks[1].metrics) metric.value /= 2;
  return trial;
}

TEST(TableNotes, SayWhatMetricsOfAPartAreWithoutAModel) {
  const StudyTrial trial = done_trial({{"loss", "a"}}, 0,
                                      {{"accuracy.genre=a", 0.5},
                                       {"majority", 0.25},
                                       {"majority.genre=a", 0.75},
                                       {"direction_var.similar_length", 0.5},
                                       {"direction_length", 0.25},
                                       {"direction_length.similar_length", 0.625}});
  TableSettings settings = table_of({"loss"}, "snli.accuracy.genre=a");
  settings.metrics.push_back({"snli.direction_var.similar_length", "", "", ""});
  EXPECT_TRUE(notes_say(make_table(settings, study_of({trial}), {}),
                        "Without a model: snli.accuracy.genre=a 75.00 (the larger class); "
                        "snli.direction_var.similar_length 62.50 (the longer sentence)."));
}

TEST(TableNotes, SayWhatTheBackboneScored) {
  const auto trial = [](const char* label, double of_backbone) {
    StudyTrial done = done_trial({{"loss", label}}, 0, {{"accuracy", 0.5}, {"auprc", 0.25}, {"majority", 0.625}});
    done.kept.backbone = {{"snli", "nli", false, {{"auprc", of_backbone}}, {}, ""},
                          {"sick", "nli", false, {{"accuracy", 0.125}}, {}, ""}};
    return done;
  };
  TableSettings settings = table_of({"loss"}, "snli.auprc");
  settings.metrics.push_back({"snli.accuracy", "", "", ""});
  const StudyTrial one = trial("a", 0.75), other = trial("b", 0.875);
  settings.rows.clear();
  EXPECT_TRUE(notes_say(make_table(settings, study_of({one}), {}),
                        "The backbone, its pooled vectors by cosine: snli.auprc 75.00."));
  EXPECT_TRUE(notes_say(make_table(settings, study_of({one, other}), {}),
                        "Without a model: snli.accuracy 62.50 (the larger class). The backbone, its pooled vectors by "
                        "cosine: snli.auprc 75.00 to 87.50."));
  // It can be a column, too.
  const StudyTable table = make_table(table_of({"loss"}, "backbone.snli.auprc"), study_of({one, other}), {});
  EXPECT_EQ(table.cells.at(0).at(0).value, 0.75);
  EXPECT_EQ(table.cells.at(1).at(0).value, 0.875);
}

TEST(TableNotes, SayWhatMetricsAreWithoutAModel) {
  TableSettings settings = table_of({"loss"});
  for (const char* metric : {"snli.auprc", "sick.direction_var", "mean(snli.accuracy, sick.accuracy)",
                             "mean(snli.auprc, sick.auprc)", "snli.pairs", "snli.direction_sim"})
    settings.metrics.push_back({metric, "", "", ""});
  StudyTrial of_another_stage = trial_with_baselines(7, 0.9, 0.9, 0.9);
  of_another_stage.planned.stage = "choose";
  const auto notes = [&](const std::vector<StudyTrial>& trials) {
    return make_table(settings, study_of(trials), {}).notes;
  };
  const StudyTrial first = trial_with_baselines(0, 0.75, 0.25, 0.875);
  EXPECT_EQ(
      notes({of_another_stage, first, first}).at(1),
      "Without a model: snli.accuracy 75.00 (the larger class); snli.auprc 25.00 (the share of entailments, as by "
      "chance); sick.direction_var 43.75 (the longer sentence); mean(snli.accuracy, sick.accuracy) 56.25 (the "
      "larger class); mean(snli.auprc, sick.auprc) 18.75 (the share of entailments, as by chance); snli.direction_sim "
      "87.50 "
      "(the longer sentence).");
  settings.metrics.resize(1);
  EXPECT_EQ(
      notes({first, trial_with_baselines(1, 0.5, 0.25, 0.875), trial_with_baselines(2, 0.625, 0.25, 0.875)}).at(1),
      "Without a model: snli.accuracy 50.00 to 75.00 (the larger class).");
  settings.cut = true;
  EXPECT_EQ(notes({trial_with_baselines(0, 0.62016666, 0.25, 0.5)}).at(1),
            "Without a model: snli.accuracy 62.01 (the larger class).");
  EXPECT_FALSE(notes_say(table_of_trials({done_trial({{"loss", "a"}}, 0, {{"accuracy", 0.5}})}), "Without a model"));
}

TEST(TableNotes, SayThatTheHighestIsChosenOnTheSetItself) {
  TableSettings settings = table_of({"loss"});
  settings.aggregation = setting::Aggregation::highest;
  EXPECT_TRUE(notes_say(make_table(settings, study_of({done_trial({{"loss", "a"}}, 0, {{"accuracy", 0.5}})}), {}),
                        "chosen on the set on which it is measured"));
}

/// A choice for each backbone: the settings of its rows are not those of the other's. The axis `loss` was chosen over,
/// too, but is a row.
StudyResults study_after_a_choice() {
  std::vector<StudyTrial> trials;
  for (const char* backbone : {"bert", "roberta"})
    for (const char* loss : {"ent", "con"})
      for (const std::int64_t seed : {0, 1}) {
        const bool bert = std::string(backbone) == "bert";
        trials.push_back(done_trial({{"backbone", backbone},
                                     {"loss", loss},
                                     {"training.batch_size", bert ? "16" : "64"},
                                     {"training.learning_rate", bert ? "1e-5" : "3e-5"}},
                                    seed, {{"accuracy", 0.5}}));
      }
  return study_of(std::move(trials));
}

TableSettings table_after_a_choice(const std::vector<std::string>& rows) {
  TableSettings settings = table_of(rows);
  settings.choice = {"choose", "dev.auprc", {"training.batch_size", "training.learning_rate", "loss"}};
  return settings;
}

TEST(TableNotes, NameTheSettingsThatAnEarlierStageChose) {
  const std::string chosen = "Chosen in the stage choose by dev.auprc: ";
  const std::string of_bert = "training.batch_size 16, training.learning_rate 1e-5",
                    of_roberta = "training.batch_size 64, training.learning_rate 3e-5";
  const StudyTable rows = make_table(table_after_a_choice({"backbone", "loss"}), study_after_a_choice(), {});
  EXPECT_TRUE(notes_say(
      rows, concat(chosen, of_bert, " for bert ent, bert con; ", of_roberta, " for roberta ent, roberta con.")));
  TableSettings settings = table_after_a_choice({"loss"});
  settings.columns = {"backbone"};
  const StudyTable columns = make_table(settings, study_after_a_choice(), {});
  EXPECT_TRUE(notes_say(
      columns, concat(chosen, of_bert, " for ent bert, con bert; ", of_roberta, " for ent roberta, con roberta.")));
  const StudyTable means = make_table(table_after_a_choice({"loss"}), study_after_a_choice(), {});
  EXPECT_TRUE(notes_say(means, concat(chosen, "training.batch_size 16, 64, training.learning_rate 1e-5, 3e-5.")))
      << "cells over both backbones, and all rows alike";
  StudyResults one_waits = study_after_a_choice();
  for (StudyTrial& trial : one_waits.trials)
    if (trial.planned.coordinates[0].second == "bert") trial.planned.coordinates.resize(2);
  EXPECT_TRUE(notes_say(make_table(table_after_a_choice({"backbone", "loss"}), one_waits, {}),
                        concat(chosen, of_roberta, " for roberta ent, roberta con.")));
  EXPECT_FALSE(notes_say(make_table(table_of({"loss"}), study_after_a_choice(), {}), "Chosen"));
  settings.columns = {"training.batch_size", "training.learning_rate"};
  EXPECT_FALSE(notes_say(make_table(settings, study_after_a_choice(), {}), "Chosen")) << "the table shows them";
}

TEST(TableNotes, NameTheChosenSettingsInEveryFormat) {
  const std::vector<StudyTable> tables{make_table(table_after_a_choice({"backbone"}), study_after_a_choice(), {})};
  for (const TableFormat format : {TableFormat::text, TableFormat::markdown, TableFormat::latex, TableFormat::json})
    for (const char* part : {"size 64", "rate 3e-"})
      EXPECT_TRUE(says(format_tables(tables, format), part)) << name_of(format);
  EXPECT_EQ(nlohmann::json::parse(tables_json(tables))["tables"][0]["cells"][1][0]["chosen"],
            (nlohmann::json{{"training.batch_size", "64"}, {"training.learning_rate", "3e-5"}, {"loss", "ent, con"}}));
  const std::string csv = tables_csv(tables);
  EXPECT_TRUE(
      csv.starts_with("table,stage,axis.backbone,axis.training.batch_size,axis.training.learning_rate,"
                      "axis.loss,figure,"));
  EXPECT_TRUE(says(csv, "\r\nnli,final,roberta,64,3e-5,\"ent, con\",snli.accuracy,"));
}

}  // namespace
}  // namespace gausscse
