#include "experiments/tables/make_table.hpp"
#include "tests/experiments/tables/made_up_study.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Texts = std::vector<std::vector<std::string>>;

/// A done trial of tasks of two kinds, one of them for development, with the values of their accuracies, and a backbone
/// of half of these.
StudyTrial trial_of_tasks() {
  StudyTrial trial = done_trial({{"loss", "ent"}}, 0, {{"accuracy", 0.6484}, {"auprc", 0.25}});
  const auto add = [&](const char* task, const char* kind, double accuracy, bool development = false) {
    trial.kept.tasks.push_back({task, kind, development, {{"accuracy", accuracy}}, {}, ""});
  };
  add("mnli", "nli", 0.6111);
  add("sick", "nli", 0.6010);
  add("labels", "nli_labels", 0.9);
  add("dev", "nli", 0.1, true);
  trial.kept.backbone = trial.kept.tasks;
  for (Measurement& task : trial.kept.backbone)
    for (Metric& metric : task.metrics) metric.value /= 2;
  return trial;
}

/// Returns the cells of a table with these columns, rounded down as in the papers.
Texts cells_of(const std::vector<std::string>& columns, const StudyTrial& trial = trial_of_tasks()) {
  TableSettings settings = table_of({"loss"});
  settings.metrics.clear();
  settings.cut = true;
  for (const std::string& column : columns) settings.metrics.push_back({column, "", "", ""});
  const StudyResults study = study_of({trial});
  replace_averages(settings, study);
  const StudyTable table = make_table(settings, study, {});
  for (std::size_t c = 0; c < columns.size(); ++c) EXPECT_EQ(table.column_labels[c].back(), columns[c]);
  return texts_of(table);
}

TEST(TableAverages, AreOverTheColumnsOfTheirKindAndMetric) {
  EXPECT_EQ(cells_of({"snli.accuracy", "mnli.accuracy", "sick.accuracy", "average.nli.accuracy"})[0],
            (std::vector<std::string>{"64.84", "61.11", "60.10", "62.01"}));
  EXPECT_EQ(cells_of({"average.nli.accuracy", "snli.accuracy", "sick.accuracy"})[0],
            (std::vector<std::string>{"62.47", "64.84", "60.10"}))
      << "not over mnli, which the table does not list";
  EXPECT_EQ(
      cells_of({"snli.accuracy", "mnli.accuracy", "labels.accuracy", "dev.accuracy", "average.nli.accuracy"})[0][4],
      "62.97")
      << "neither over another kind nor over the development";
}

TEST(TableAverages, OfTheBackboneAreOverTheSameTasks) {
  const Texts cells =
      cells_of({"snli.accuracy", "sick.accuracy", "average.nli.accuracy", "backbone.average.nli.accuracy"});
  EXPECT_EQ(cells[0], (std::vector<std::string>{"64.84", "60.10", "62.47", "31.23"}));
  EXPECT_EQ(cells[1][2], "31.23");
}

TEST(TableAverages, OfFewerThanTwoColumnsAreNone) {
  EXPECT_EQ(cells_of({"snli.accuracy", "average.nli.accuracy"})[0][1], "-");
  EXPECT_EQ(cells_of({"snli.accuracy", "dev.accuracy", "average.nli.accuracy"})[0][2], "-");
  EXPECT_EQ(cells_of({"snli.auprc", "mnli.accuracy", "average.nli.accuracy"})[0][2], "-");
  EXPECT_EQ(cells_of({"snli.accuracy", "snli.accuracy", "average.nli.accuracy"})[0][2], "-") << "one task, twice";
}

TEST(TableAverages, KeepTheirTitles) {
  TableSettings settings = table_of({"loss"});
  settings.metrics = {
      {"snli.accuracy", "", "", ""}, {"mnli.accuracy", "", "", ""}, {"average.nli.accuracy", "Avg.", "", ""}};
  replace_averages(settings, study_of({trial_of_tasks()}));
  EXPECT_EQ(settings.metrics[2], (TableMetric{"mean(snli.accuracy, mnli.accuracy)", "Avg.", "", ""}));
}

}  // namespace
}  // namespace gausscse
