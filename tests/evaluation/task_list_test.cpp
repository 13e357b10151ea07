#include "evaluation/task_list.hpp"

#include "evaluation/nli/nli_labels_task.hpp"
#include "evaluation/nli/nli_task.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/evaluation/task/model_to_read_for.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

std::string snli_line(const char* label, const char* premise, const char* hypothesis) {
  return concat(R"({"gold_label": ")", label, R"(", "sentence1": ")", premise, R"(", "sentence2": ")", hypothesis,
                "\"}\n");
}

TEST(TaskList, ReportsWhatAnNliTaskRead) {
  const TemporaryFolder folder;
  write_bytes(folder / "snli.jsonl", snli_line("entailment", "a dog runs", "a dog") +
                                         snli_line("-", "a dog runs", "a cat") +
                                         snli_line("neutral", "a dog runs", "a dog barks far away") +
                                         snli_line("contradiction", "a cat", "no cat"));
  const ByteTokenizer tokenizer;
  NliTaskSettings settings;
  settings.file = folder / "snli.jsonl";
  settings.threshold = "0.5";
  const std::vector<TaskSettings> listed{{"snli", 0, settings}};
  const TaskList tasks = make_tasks(listed, model_to_read_for(tokenizer, 64, 16), {});
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].pairs, 4u);
  EXPECT_EQ(tasks[0].notes, (std::vector<std::string>{"snli: 4 pairs, 1 without gold label",
                                                      "snli: 20.0 % of 5 sentences are cut at 16 tokens"}));
  EXPECT_EQ(tasks[0].warnings,
            std::vector<std::string>{"snli: 1 sentence has more than 16 tokens and is cut (20.0 %): their ends are "
                                     "lost; raise max_tokens, as the encoder takes 64 tokens"});
}

TEST(TaskList, ReportsWhatATaskOfLabelsReadAndLeftOut) {
  const TemporaryFolder folder;
  write_bytes(folder / "snli.jsonl", snli_line("entailment", "a dog runs", "a dog") + "no pair\n" +
                                         snli_line("neutral", "a dog runs", "a dog barks far away"));
  const ByteTokenizer tokenizer;
  NliLabelsTaskSettings settings;
  settings.file = folder / "snli.jsonl";
  const std::vector<TaskSettings> listed{{"labels", 0, settings}};
  const TaskList tasks =
      make_tasks(listed, model_to_read_for(tokenizer, 64, 16, {.classifier = ClassifierActivation::none}),
                 {.bad_lines = BadLines::skip});
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].notes, (std::vector<std::string>{"labels: 2 pairs, 0 without gold label",
                                                      "labels: 33.3 % of 3 sentences are cut at 16 tokens"}));
  ASSERT_EQ(tasks[0].warnings.size(), 3u);
  EXPECT_EQ(tasks[0].warnings[0].find("labels: 1 sentence has more than 16 tokens and is cut (33.3 %)"), 0u);
  EXPECT_EQ(tasks[0].warnings[1], "labels: 1 of 3 lines is left out");
  EXPECT_NE(tasks[0].warnings[2].find("snli.jsonl:2"), std::string::npos) << tasks[0].warnings[2];
}

TEST(TaskList, SickCountsOnceInAverages) {
  const TemporaryFolder folder;
  const std::string header = "pair_ID\tsentence_A\tsentence_B\t";
  write_bytes(folder / "SICK.txt",
              header +
                  "entailment_label\trelatedness_score\tentailment_AB\tentailment_BA\tsentence_A_original\t"
                  "sentence_B_original\tsentence_A_dataset\tsentence_B_dataset\tSemEval_set\n"
                  "1\ta dog runs\ta dog\tENTAILMENT\t4\tA_entails_B\tB_neutral_A\tx\ty\tz\tw\tTEST\n");
  write_bytes(folder / "annotated.txt", header +
                                            "relatedness_score\tentailment_judgment\n"
                                            "1\ta dog runs\ta dog\t4\tENTAILMENT\n");
  write_bytes(folder / "snli.jsonl", snli_line("entailment", "a dog runs", "a dog"));
  const auto task = [&](const char* name, const char* file, std::int64_t eval_every = 0) {
    NliTaskSettings settings;
    settings.file = folder / file;
    settings.threshold = "0.5";
    settings.rows = setting::SickRows::test;
    return TaskSettings{name, eval_every, settings};
  };
  const std::vector<TaskSettings> listed{
      task("while_training", "SICK.txt", 5), task("annotated", "annotated.txt"), task("snli", "snli.jsonl"),
      task("snli_too", "snli.jsonl"),        task("full", "SICK.txt"),           task("again", "SICK.txt")};
  const ByteTokenizer tokenizer;
  const TaskList tasks = make_tasks(listed, model_to_read_for(tokenizer, 64, 16), {});
  std::vector<bool> left_out;
  for (const ListedTask& each : tasks) left_out.push_back(each.development);
  EXPECT_EQ(left_out, (std::vector<bool>{true, false, false, false, true, true}));
  EXPECT_EQ(tasks[4].notes.back(), "full: SICK again, as in annotated, so it counts in no average");
  for (const std::string& note : tasks[1].notes) EXPECT_EQ(note.find("SICK again"), std::string::npos) << note;
}

/// A task of each kind, each of whose files has one bad line among good ones, and the numbers of the good ones.
struct TaskWithABadLine {
  std::string kind;
  decltype(TaskSettings::of_kind) settings;
  std::string note, sentences;
};

std::vector<TaskWithABadLine> tasks_with_a_bad_line(const TemporaryFolder& folder) {
  write_bytes(folder / "nli.jsonl", snli_line("entailment", "a", "b") + "no pair\n" + snli_line("neutral", "a", "c"));
  NliTaskSettings nli;
  nli.file = folder / "nli.jsonl";
  NliLabelsTaskSettings labels;
  labels.file = folder / "nli.jsonl";
  const std::string row = "main\tMSRvid\t2012\t1\t2.5\tOne\tTwo\n";
  write_bytes(folder / "sts.csv", row + "no pair\n" + row);
  StsTaskSettings sts;
  sts.files = {folder / "sts.csv"};
  write_bytes(folder / "text.txt", "a b\n\xFF\nc d\n");
  GeometryTaskSettings geometry;
  geometry.file = folder / "text.txt";
  std::filesystem::create_directories(folder / "SST/binary");
  for (const char* split : {"train", "dev", "test"})
    write_bytes(folder / concat("SST/binary/sentiment-", split), concat("good ", split, "\t1\nbad\t0\n"));
  write_bytes(folder / "SST/binary/sentiment-dev", "good dev\t1\nno label\nbad\t0\n");
  TransferTaskSettings transfer;
  transfer.folder = folder.path();
  transfer.tasks = {TransferDataset::sst2};
  RetrievalTaskSettings retrieval;
  retrieval.path = folder / "nli.jsonl";
  return {{"nli", nli, "2 pairs, 0 without gold label", "3 sentences are cut at 16 tokens"},
          {"nli_labels", labels, "2 pairs, 0 without gold label", "3 sentences are cut at 16 tokens"},
          {"sts", sts, "2 pairs, 2 sentences", "2 sentences are cut at 16 tokens"},
          {"geometry", geometry, "2 sentences", "2 sentences are cut at 64 tokens"},
          {"transfer", transfer, "4 sentences of 1 tasks", "4 sentences are cut at 16 tokens"},
          {"retrieval", retrieval, "1 queries, 1 documents", "2 sentences are cut at 16 tokens"}};
}

TEST(TaskList, BadLinesAreLeftOutAndToldInTasksOfAllKinds) {
  const TemporaryFolder folder;
  const ByteTokenizer tokenizer;
  const std::vector<TaskWithABadLine> cases = tasks_with_a_bad_line(folder);
  EXPECT_EQ(cases.size(), names<setting::TaskKind>.size()) << "each kind of task has a case";
  for (const TaskWithABadLine& each : cases) {
    SCOPED_TRACE(each.kind);
    const std::vector<TaskSettings> listed{{"task", 0, each.settings}};
    EXPECT_EQ(name_of(kind_of(listed.front())), each.kind);
    const SentenceModel model = model_to_read_for(tokenizer, 64, 16, {.classifier = ClassifierActivation::none});
    const TaskList tasks = make_tasks(listed, model, {.bad_lines = BadLines::skip});
    EXPECT_EQ(tasks.at(0).notes, (std::vector<std::string>{"task: " + each.note, "task: 0.0 % of " + each.sentences}));
    ASSERT_EQ(tasks[0].warnings.size(), 2u);
    EXPECT_EQ(tasks[0].warnings[0].find("task: 1 of "), 0u) << tasks[0].warnings[0];
    EXPECT_HAS(tasks[0].warnings[1], ":2: ");
    EXPECT_THROW(make_tasks(listed, model, {.bad_lines = BadLines::error}), BadLine);
  }
}

TEST(TaskList, ScoredPairsAreReadByAUsersNames) {
  const TemporaryFolder folder;
  write_bytes(folder / "s.csv", "gold,right,left,score\n1,b,a,5\n2,d,c,4\n");
  const ByteTokenizer tokenizer;
  StsTaskSettings sts;
  sts.files = {folder / "s.csv"};
  const SentenceModel model = model_to_read_for(tokenizer, 64, 64, {.classifier = ClassifierActivation::none});
  const std::vector<TaskSettings> listed{{"s", 0, sts}};
  const CorpusLayout names{.premise = "left", .hypothesis = "right", .score = "gold"};
  EXPECT_HAS(make_tasks(listed, model, {.layout = names}).at(0).notes.at(0), "2 pairs, 4 sentences");
  EXPECT_THROW(make_tasks(listed, model, {}), InputError);
  sts.layout = names;
  EXPECT_HAS(
      make_tasks(std::vector<TaskSettings>{{"s", 0, sts}}, model, {.layout = {.premise = "no"}}).at(0).notes.at(0),
      "2 pairs, 4 sentences");
}

/// The names of a task come before those of the trial, column by column; labels are the task's or the trial's.
TEST(TaskList, ATasksOwnNamesComeFirst) {
  const TemporaryFolder folder;
  write_bytes(folder / "n.csv", "evidence,claim,verdict,label\na,b,yes,no\nc,d,no,no\ne,f,yes,no\n");
  const ByteTokenizer tokenizer;
  const SentenceModel model = model_to_read_for(tokenizer, 64, 64, {.classifier = ClassifierActivation::none});
  NliLabelsTaskSettings labels;
  NliTaskSettings nli;
  nli.file = labels.file = folder / "n.csv";
  nli.layout = labels.layout = {.label = "verdict", .entailment = "yes", .contradiction = "no"};
  const CorpusLayout of_trial{
      .premise = "evidence", .hypothesis = "claim", .label = "label", .entailment = "no", .neutral = "yes"};
  const std::vector<TaskSettings> listed{{"n", 0, nli}, {"l", 0, labels}};
  const TaskList tasks = make_tasks(listed, model, {.layout = of_trial});
  EXPECT_HAS(tasks.at(0).notes.at(0), "3 pairs, 0 without gold label");
  EXPECT_EQ(static_cast<const NliTask&>(*tasks[0].task).pairs().label, (std::vector<std::uint8_t>{0, 2, 0}));
  EXPECT_EQ(static_cast<const NliLabelsTask&>(*tasks[1].task).pairs().label, (std::vector<std::uint8_t>{0, 2, 0}));

  labels.layout.contradiction = "yes";
  EXPECT_HAS(input_error([&] {
               make_tasks(std::vector<TaskSettings>{{"l", 0, labels}}, model, {.layout = of_trial});
             }),
             "n.csv: the label \"yes\" stands for two labels: give each its own value");
}

TEST(TaskList, SetsOfTwoLabelsAreMeasuredByTheTaskNliAlone) {
  const TemporaryFolder folder;
  write_bytes(folder / "hans.jsonl", snli_line("entailment", "a dog runs", "a dog") +
                                         snli_line("non-entailment", "a cat sees a dog", "a dog sees a cat") +
                                         snli_line("non-entailment", "a cat", "a dog"));
  const ByteTokenizer tokenizer;
  NliTaskSettings nli;
  nli.file = folder / "hans.jsonl";
  const SentenceModel model = model_to_read_for(tokenizer, 64, 64, {.classifier = ClassifierActivation::none});
  const TaskList tasks = make_tasks(std::vector<TaskSettings>{{"hans", 0, nli}}, model, {});
  ASSERT_FALSE(tasks.at(0).notes.empty());
  EXPECT_EQ(tasks[0].notes[0],
            "hans: 3 pairs, 0 without gold label; labels of two ways: 2 pairs count as no entailment");
  NliLabelsTaskSettings labels;
  labels.file = folder / "hans.jsonl";
  EXPECT_HAS(input_error([&] {
               make_tasks(std::vector<TaskSettings>{{"labels", 0, labels}}, model, {});
             }),
             "does not separate neutral from contradiction");
}

/// Others than the sentences that a model embeds, which end at `max_tokens`.
TEST(TaskList, SentencesWhoseTokensAreLookedAtEndWhereTheEncoderDoes) {
  const TemporaryFolder folder;
  write_bytes(folder / "text.txt", "a dog that barks far away\na cat\n");
  const ByteTokenizer tokenizer;
  GeometryTaskSettings settings;
  settings.file = folder / "text.txt";
  const std::vector<TaskSettings> listed{{"tokens", 0, settings}};
  const auto warnings_with = [&](std::size_t positions) {
    return make_tasks(listed, model_to_read_for(tokenizer, positions, 4), {}).at(0).warnings;
  };
  EXPECT_TRUE(warnings_with(64).empty());
  EXPECT_EQ(warnings_with(16),
            std::vector<std::string>{"tokens: 1 sentence has more than 16 tokens and is cut (50.0 %): their ends are "
                                     "lost; the encoder takes no more tokens"});
}

}  // namespace
}  // namespace gausscse
