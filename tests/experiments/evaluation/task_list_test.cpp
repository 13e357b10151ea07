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
