#include "experiments/tables/backbone_rows.hpp"

#include <nlohmann/json.hpp>

#include "experiments/tables/make_table.hpp"
#include "experiments/tables/table_formats.hpp"
#include "tests/experiments/tables/made_up_study.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Texts = std::vector<std::vector<std::string>>;

/// Returns a trial whose backbone has another accuracy, and no metric of directions.
StudyTrial trial_of(const Coordinates& coordinates, double accuracy, double of_backbone, std::int64_t seed = 0) {
  StudyTrial trial = done_trial(coordinates, seed, {{"accuracy", accuracy}, {"direction_sim", 0.5}});
  trial.kept.backbone = {{"snli", "nli", false, {{"accuracy", of_backbone}}, {}, ""}};
  return trial;
}

TableSettings accuracy_and_direction(const std::vector<std::string>& rows) {
  TableSettings settings = table_of(rows);
  settings.metrics.push_back({"snli.direction_sim", "", "", ""});
  return settings;
}

std::vector<std::vector<bool>> marks_of(const StudyTable& table) {
  std::vector<std::vector<bool>> marks;
  for (const std::vector<TableCell>& row : table.cells) {
    marks.emplace_back();
    for (const TableCell& cell : row) marks.back().push_back(cell.best);
  }
  return marks;
}

TEST(BackboneRows, OneBackboneIsTheLastRow) {
  const StudyTable table = make_table(accuracy_and_direction({"loss", "size"}),
                                      study_of({trial_of({{"loss", "a"}, {"size", "16"}}, 0.7, 0.625),
                                                trial_of({{"loss", "a"}, {"size", "16"}}, 0.8, 0.625, 1),
                                                trial_of({{"loss", "b"}, {"size", "16"}}, 0.6, 0.625)}),
                                      {.interval = setting::CellInterval::t});
  EXPECT_EQ(table.backbones, 1u);
  EXPECT_EQ(table.row_labels, (Texts{{"a", "16"}, {"b", "16"}, {"backbone", ""}}));
  EXPECT_EQ(texts_of(table), (Texts{{"75.00", "50.00"}, {"60.00", "50.00"}, {"62.50", "-"}}));
  const TableCell& of_backbone = table.cells.at(2).at(0);
  EXPECT_EQ(of_backbone.value, 0.625);
  EXPECT_EQ(of_backbone.count, 1) << "it is one measurement, whatever the number of trials";
  EXPECT_FALSE(of_backbone.low);
  EXPECT_EQ(table.cells.at(2).at(1).missing, 0);
  EXPECT_EQ(table.cells.at(0).at(0).backbone, "62.50");
  EXPECT_EQ(marks_of(table), (std::vector<std::vector<bool>>{{true, false}, {false, false}, {false, false}}));
  EXPECT_TRUE(notes_say(table, "backbone: the encoder before the training"));
  EXPECT_TRUE(notes_say(table, "2 of 4 cells have none")) << "of trials";
}

/// A mark says that a training helped: where a backbone is better it has the mark itself.
TEST(BackboneRows, ABetterBackboneTakesTheMark) {
  const auto marks = [](double of_backbone, const std::string& compare = "") {
    TableSettings settings = table_of({"loss"});
    settings.compare = compare;
    return marks_of(make_table(
        settings, study_of({trial_of({{"loss", "a"}}, 0.7, of_backbone), trial_of({{"loss", "b"}}, 0.6, of_backbone)}),
        {}));
  };
  using Marks = std::vector<std::vector<bool>>;
  for (const char* compare : {"", "loss"}) {
    EXPECT_EQ(marks(0.65, compare), (Marks{{true}, {false}, {false}}));
    EXPECT_EQ(marks(0.7, compare), (Marks{{true}, {false}, {true}}));
    EXPECT_EQ(marks(0.75, compare), (Marks{{false}, {false}, {true}}));
  }
}

TEST(BackboneRows, HaveTheCalibratorsOfTheBackbone) {
  StudyTrial trial = done_trial({{"loss", "a"}}, 0, {{"logistic.auprc", 0.5}, {"logistic.ece", 0.03125}});
  trial.kept.tasks[0].metrics[1].unit = Unit::number;
  trial.kept.backbone = trial.kept.tasks;
  trial.kept.backbone[0].metrics[0].value = 0.25;
  trial.kept.backbone[0].metrics[1].value = 0.0625;
  TableSettings settings = table_of({"loss"}, "snli.logistic.auprc");
  settings.metrics.push_back({"snli.logistic.ece", "ECE", "", ""});
  const StudyTable table = make_table(settings, study_of({trial}), {});
  EXPECT_EQ(texts_of(table), (Texts{{"50.00", "0.0312"}, {"25.00", "0.0625"}}));
  EXPECT_FALSE(notes_say(table, "No done trial has the metric"));
}

/// A share of errors has its best value below, and a baseline has none, so that none is marked.
TEST(BackboneRows, NoShareOfErrorsAndNoBaselineIsMarked) {
  for (const std::string metric : {"logistic.error_5", "auprc_length"}) {
    const StudyTable table = make_table(
        table_of({"loss"}, "snli." + metric),
        study_of({done_trial({{"loss", "a"}}, 0, {{metric, 0.25}}), done_trial({{"loss", "b"}}, 0, {{metric, 0.125}})}),
        {});
    EXPECT_EQ(texts_of(table), (Texts{{"25.00"}, {"12.50"}}));
    EXPECT_EQ(marks_of(table), (std::vector<std::vector<bool>>{{false}, {false}})) << metric;
  }
}

/// Two encoders with two losses each: each encoder has a row, and only its own trials are measured by it.
TEST(BackboneRows, SeveralBackbonesAreNamedByTheAxisThatDistinguishesThem) {
  const StudyResults study = study_of({trial_of({{"loss", "a"}, {"encoder", "bert"}}, 0.5, 0.6),
                                       trial_of({{"loss", "b"}, {"encoder", "bert"}}, 0.4, 0.6),
                                       trial_of({{"loss", "a"}, {"encoder", "minilm"}}, 0.8, 0.7)});
  TableSettings settings = table_of({"loss", "encoder"});
  settings.compare = "loss";
  const StudyTable table = make_table(settings, study, {});
  EXPECT_EQ(table.row_labels,
            (Texts{{"a", "bert"}, {"a", "minilm"}, {"b", "bert"}, {"backbone bert", ""}, {"backbone minilm", ""}}));
  EXPECT_EQ(texts_of(table), (Texts{{"50.00"}, {"80.00"}, {"40.00"}, {"60.00"}, {"70.00"}}));
  // The losses of bert do not reach their encoder; minilm's has no rival.
  EXPECT_EQ(marks_of(table), (std::vector<std::vector<bool>>{{false}, {false}, {false}, {false}, {false}}));
  settings = table_of({"loss"});
  settings.columns = {"encoder"};
  const StudyTable columns = make_table(settings, study, {});
  EXPECT_EQ(columns.row_labels, (Texts{{"a"}, {"b"}, {"backbone"}})) << "a column has one of them";
  EXPECT_EQ(texts_of(columns), (Texts{{"50.00", "80.00"}, {"40.00", "-"}, {"60.00", "70.00"}}));
  EXPECT_EQ(marks_of(columns), (std::vector<std::vector<bool>>{{false, false}, {false, false}, {true, false}}));
}

TEST(BackboneRows, NoAxisAloneDistinguishesThem) {
  const StudyTable table =
      make_table(table_of({"loss"}),
                 study_of({trial_of({{"loss", "a"}, {"pooling", "max"}, {"tokens", "16"}}, 0.5, 0.1),
                           trial_of({{"loss", "a"}, {"pooling", "max"}, {"tokens", "32"}}, 0.5, 0.2),
                           trial_of({{"loss", "a"}, {"pooling", "mean"}, {"tokens", "16"}}, 0.5, 0.3)}),
                 {});
  EXPECT_EQ(table.row_labels, (Texts{{"a"}, {"backbone max 16"}, {"backbone max 32"}, {"backbone mean 16"}}));
  EXPECT_EQ(texts_of(table), (Texts{{"50.00"}, {"10.00"}, {"20.00"}, {"30.00"}}));
}

TEST(BackboneRows, AMeanOverTasksHasTheMeanOfTheBackbones) {
  StudyTrial trial = trial_of({{"loss", "a"}}, 0.5, 0.25);
  for (auto* tasks : {&trial.kept.tasks, &trial.kept.backbone}) {
    tasks->push_back(tasks->front());
    tasks->back().task = "sick";
    tasks->back().metrics.front().value *= 2;
  }
  const TableSettings settings = table_of({"loss"}, "mean(snli.accuracy, sick.accuracy)");
  EXPECT_EQ(texts_of(make_table(settings, study_of({trial}), {})), (Texts{{"75.00"}, {"37.50"}}));
}

TEST(BackboneRows, ThereIsNoneWithoutItsMetrics) {
  StudyTrial trial = done_trial({{"loss", "a"}}, 0, {{"accuracy", 0.5}});
  EXPECT_EQ(make_table(table_of({"loss"}), study_of({trial}), {}).backbones, 0u);
  // A table without labels of rows has none to call it by: a note has its values.
  const StudyTable table = make_table(table_of({}), study_of({trial_of({{"loss", "a"}}, 0.5, 0.75)}), {});
  EXPECT_EQ(table.backbones, 0u);
  EXPECT_TRUE(notes_say(table, "The backbone, its pooled vectors by cosine: snli.accuracy 75.00."));
}

TEST(BackboneRows, AreInEveryFormat) {
  const std::vector<StudyTable> tables{
      make_table(accuracy_and_direction({"loss"}),
                 study_of({trial_of({{"loss", "a"}}, 0.5, 0.75), trial_of({{"loss", "b"}}, 0.25, 0.75)}), {})};
  EXPECT_TRUE(says(table_text(tables[0]), "backbone           *75.00                     -\n"));
  EXPECT_TRUE(says(table_markdown(tables[0]), "| backbone | **75.00** | - |\n"));
  EXPECT_TRUE(says(table_latex(tables[0]), "backbone & \\textbf{75.00} & - \\\\\n"));
  const std::string csv = tables_csv(tables);
  EXPECT_TRUE(
      says(csv, "\r\nnli,final,a,snli.accuracy,snli.accuracy,fraction,mean,0.5,,1,0,0,0,,,,,50.00,0=0.5,,0,0\r\n"));
  EXPECT_TRUE(says(
      csv, "\r\nnli,final,backbone,snli.accuracy,snli.accuracy,fraction,mean,0.75,,1,0,1,0,,,,,75.00,0=0.75,,0,1\r\n"));
  const nlohmann::json json = nlohmann::json::parse(tables_json(tables)).at("tables").at(0);
  EXPECT_EQ(json.at("rows"), (nlohmann::json{{"a"}, {"b"}}));
  EXPECT_EQ(json.at("cells").size(), 2u);
  ASSERT_EQ(json.at("backbones").size(), 1u);
  EXPECT_EQ(json.at("backbones")[0].at("label"), "backbone");
  EXPECT_EQ(json.at("backbones")[0].at("cells")[0].at("value"), 0.75);
  EXPECT_EQ(json.at("backbones")[0].at("cells")[0].at("best"), true);
  EXPECT_EQ(json.at("backbones")[0].at("cells")[1].at("value"), nullptr);
}

}  // namespace
}  // namespace gausscse
