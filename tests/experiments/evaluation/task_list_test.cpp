#include "experiments/evaluation/task_list.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

using namespace testing_support;

std::string snli_line(const char* label, const char* premise, const char* hypothesis) {
  return concat(R"({"gold_label": ")", label, R"(", "sentence1": ")", premise, R"(", "sentence2": ")", hypothesis,
                "\"}\n");
}

TEST(TaskList, TellsWhatAnNliTaskRead) {
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
  const TaskList tasks = make_tasks(listed, {.tokenizer = tokenizer, .positions = 64, .max_tokens = 16});
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].pairs, 4u);
  EXPECT_EQ(tasks[0].notes, std::vector<std::string>{"snli: 4 pairs, 1 without gold label"});
  EXPECT_EQ(tasks[0].warnings, std::vector<std::string>{"snli: 1 sentences have more than 16 tokens and are cut"});
}

TEST(TaskList, TellsWhatATaskOfLabelsReadAndLeftOut) {
  const TemporaryFolder folder;
  write_bytes(folder / "snli.jsonl", snli_line("entailment", "a dog runs", "a dog") + "no pair\n" +
                                         snli_line("neutral", "a dog runs", "a dog barks far away"));
  const ByteTokenizer tokenizer;
  NliLabelsTaskSettings settings;
  settings.file = folder / "snli.jsonl";
  const std::vector<TaskSettings> listed{{"labels", 0, settings}};
  const TaskList tasks = make_tasks(listed, {.tokenizer = tokenizer,
                                             .positions = 64,
                                             .max_tokens = 16,
                                             .bad_lines = BadLines::skip,
                                             .classifier = ClassifierActivation::none});
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].notes, std::vector<std::string>{"labels: 2 pairs, 0 without gold label"});
  ASSERT_EQ(tasks[0].warnings.size(), 3u);
  EXPECT_EQ(tasks[0].warnings[0], "labels: 1 sentences have more than 16 tokens and are cut");
  EXPECT_EQ(tasks[0].warnings[1], "labels: 1 bad lines are left out");
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
  const TaskList tasks = make_tasks(listed, {.tokenizer = tokenizer, .positions = 64, .max_tokens = 16});
  std::vector<bool> left_out;
  for (const ListedTask& each : tasks) left_out.push_back(each.development);
  EXPECT_EQ(left_out, (std::vector<bool>{true, false, false, false, true, true}));
  EXPECT_EQ(tasks[4].notes.back(), "full: SICK again, as in annotated, so that it counts in no average");
  EXPECT_EQ(tasks[1].notes.size(), 1u);
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
    return make_tasks(listed, {.tokenizer = tokenizer, .positions = positions, .max_tokens = 4}).at(0).warnings;
  };
  EXPECT_TRUE(warnings_with(64).empty());
  EXPECT_EQ(warnings_with(16), std::vector<std::string>{"tokens: 1 sentences have more than 16 tokens and are cut"});
}

}  // namespace
}  // namespace gausscse
