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

}  // namespace
}  // namespace gausscse
