#include "experiments/paper_figures/paper_figures.hpp"

#include "experiments/tables/make_table.hpp"
#include "tests/experiments/tables/made_up_study.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

const std::string header_line = "source,table,task,model,loss,dataset,batch_size,learning_rate,metric,value\n";

TEST(PaperFigures, AreReadFromCsv) {
  const auto metrics =
      parse_paper_figures("# one\n" + header_line + "\n# two\nv9,1,nli,bert,ent,snli,16,1e-5,acc,74.96\r\n", "x.csv");
  ASSERT_EQ(metrics.size(), 1u);
  const std::map<std::string, std::string, std::less<>> columns{
      {"source", "v9"},    {"table", "1"},       {"task", "nli"},           {"model", "bert"}, {"loss", "ent"},
      {"dataset", "snli"}, {"batch_size", "16"}, {"learning_rate", "1e-5"}, {"metric", "acc"}};
  EXPECT_EQ(metrics[0].columns, columns);
  EXPECT_EQ(metrics[0].value, 74.96);
}

TEST(PaperFigures, RefuseOtherFiles) {
  const auto refusal = [](const std::string& text) { return refusal_of([&] { parse_paper_figures(text, "x.csv"); }); };
  EXPECT_TRUE(says(refusal("source,table\n"), "x.csv:1: begins with"));
  EXPECT_TRUE(says(refusal("# nothing\n"), "has no header"));
  EXPECT_TRUE(says(refusal(header_line + "a,b\n"), "x.csv:2: has 2 fields, not 10"));
  EXPECT_TRUE(says(refusal(header_line + "v9,1,nli,bert,ent,snli,16,1e-5,acc,74.96,\n"), "has 11 fields"));
  EXPECT_TRUE(says(refusal(header_line + "v9,1,nli,bert,ent,snli,16,1e-5,acc,7x\n"), "\"7x\" is no number"));
  EXPECT_TRUE(says(refusal(header_line + "v9,1,nli,\"bert\",ent,snli,16,1e-5,acc,7\n"), "quotation mark"));
}

TEST(PaperFigures, AreFoundByColumns) {
  const auto metrics = parse_paper_figures(header_line +
                                               "v9,1,nli,bert,ent,snli,16,1e-5,acc,1\n"
                                               "v9,1,nli,bert,ent,snli,32,1e-5,acc,2\n"
                                               "v9,1,nli,bert,ent,snli,32,3e-5,acc,3\n"
                                               "v9,2,nli,bert,ent,snli,32,3e-5,acc,4\n"
                                               "v8,1,nli,bert,ent,snli,32,3e-5,acc,5\n",
                                           "x.csv");
  const auto find = [&](const char* source, const char* table, const PaperColumns& columns) {
    return find_paper_figure(metrics, source, table, columns);
  };
  EXPECT_EQ(find("v9", "1", {{"batch_size", "16"}}), 1);
  EXPECT_EQ(find("v9", "1", {{"batch_size", "16.0"}, {"learning_rate", "0.00001"}}), 1);
  EXPECT_EQ(find("v9", "1", {{"batch_size", "32"}, {"learning_rate", "1.0e-5"}}), 2);
  EXPECT_EQ(find("v9", "2", {}), 4);
  EXPECT_EQ(find("v8", "1", {{"loss", "ent"}}), 5);
  EXPECT_EQ(find("v9", "1", {}), std::nullopt);  // several that differ
  EXPECT_EQ(find("v9", "1", {{"model", "BERT"}, {"batch_size", "16"}}), std::nullopt);
  EXPECT_EQ(find("v9", "1", {{"batch_size", "16"}, {"metric", "auprc"}}), std::nullopt);
  EXPECT_EQ(find("v9", "1", {{"batch_size", "16"}, {"dataset", "mnli"}}), std::nullopt);
  EXPECT_TRUE(says(refusal_of([&] { find("v7", "1", {{"batchsize", "16"}}); }), "did you mean \"batch_size\""));
}

TEST(PaperFigures, OfTheGaussCsePapersAreInTheProgram) {
  const PaperColumns simcse = {{"model", "bert-base"}, {"loss", "simcse"}, {"dataset", "snli"}};
  PaperColumns accuracy = simcse, auprc = simcse;
  accuracy.emplace_back("metric", "acc");
  auprc.emplace_back("metric", "auprc");
  EXPECT_EQ(find_paper_figure(paper_figures(), "v2", "3", accuracy), 74.96);
  EXPECT_EQ(find_paper_figure(paper_figures(), "v2", "3", auprc), 66.76);
  EXPECT_EQ(find_paper_figure(paper_figures(), "v2", "5",
                              {{"model", "roberta-large"}, {"batch_size", "64"}, {"learning_rate", "0.00005"}}),
            66.88);
  EXPECT_EQ(find_paper_figure(paper_figures(), "liao", "2",
                              {{"loss", "ce"}, {"dataset", "sts13"}, {"metric", "spearman_wmean"}}),
            63.41);
  EXPECT_GT(paper_figures().size(), 800u);
}

TableSettings like_table_3() {
  TableSettings settings = table_of({"backbone", "loss"});
  settings.metrics = {{"snli.accuracy", "acc.", "snli", "acc"}, {"snli.auprc", "AUPRC", "snli", "auprc"}};
  settings.cut = true;
  settings.paper = {"v2", "3", {{"model", "backbone"}, {"loss", "loss"}}};
  return settings;
}

StudyResults like_the_paper() {
  return study_of({done_trial({{"backbone", "bert-base"}, {"loss", "simcse"}}, 0, {{"accuracy", 0.75}, {"auprc", 0.6}}),
                   done_trial({{"backbone", "bert-base"}, {"loss", "ent"}}, 0, {{"accuracy", 0.7}, {"auprc", 0.61}}),
                   done_trial({{"backbone", "minilm"}, {"loss", "ent"}}, 0, {{"accuracy", 0.7}, {"auprc", 0.62}})});
}

TEST(PaperFigures, StandBesideTheCells) {
  const StudyTable table = make_table(like_table_3(), like_the_paper(), {});
  EXPECT_NEAR(table.cells[0][0].paper.value(), 0.7496, 1e-15);
  EXPECT_NEAR(table.cells[0][1].paper.value(), 0.6676, 1e-15);
  EXPECT_NEAR(table.cells[1][0].paper.value(), 0.7244, 1e-15);
  EXPECT_NEAR(table.cells[1][1].paper.value(), 0.6065, 1e-15);
  EXPECT_FALSE(table.cells[2][0].paper || table.cells[2][1].paper);
  EXPECT_TRUE(notes_say(table, "Paper: table 3 of v2, for 4 of 6 cells"));
}

TEST(PaperFigures, AreCountedForCellsWithoutAValueToo) {
  StudyResults study = like_the_paper();
  study.trials[0].kept.tasks[0].metrics.pop_back();
  study.trials[2].kept.tasks[0].metrics.pop_back();
  const StudyTable table = make_table(like_table_3(), study, {});
  ASSERT_EQ(table.cells[0][1].count, 0);
  EXPECT_NEAR(table.cells[0][1].paper.value(), 0.6676, 1e-15);
  EXPECT_TRUE(notes_say(table, "Paper: table 3 of v2, for 4 of 6 cells"));
}

TEST(PaperFigures, AreLeftOut) {
  const StudyTable table = make_table(like_table_3(), like_the_paper(), {.paper = false});
  EXPECT_FALSE(table.cells[0][0].paper);
  EXPECT_FALSE(notes_say(table, "aper"));
  TableSettings no_words = like_table_3();
  no_words.metrics = {{"snli.accuracy", "", "", ""}};
  EXPECT_FALSE(make_table(no_words, like_the_paper(), {}).cells[0][0].paper);
  TableSettings mixed = like_table_3();
  mixed.rows = {"backbone"};
  EXPECT_FALSE(make_table(mixed, like_the_paper(), {}).cells[0][0].paper);  // of two losses
}

TEST(PaperFigures, OfNumbersAreAsPrinted) {
  StudyTrial trial = done_trial({{"model", "minilm-fine-tuned"}}, 0, {});
  trial.kept.tasks[0].metrics = {{"share", 0.0078, Unit::number}};
  TableSettings settings = table_of({"model"});
  settings.metrics = {{"snli.share", "", "stsb-test-s1", "rogue.share_of_top.1"}};
  settings.paper = {"isotropy", "1", {{"model", "model"}}};
  const auto found = make_table(settings, study_of({trial}), {}).cells[0][0].paper;
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, 0.008);
}

}  // namespace
}  // namespace gausscse
