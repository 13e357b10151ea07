#include "experiments/trial/task_file.hpp"

#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"

namespace gausscse {
namespace {

using testing_support::refusal_of;
using testing_support::says;
using Paths = std::vector<std::filesystem::path>;

std::vector<TaskSettings> parse(const std::string& yaml) {
  return parse_tasks(yaml, "tasks.yaml", "/base");
}

std::string refusal(const std::string& yaml) {
  return refusal_of([&] { parse(yaml); });
}

TEST(TaskFile, ReadsEveryKey) {
  const auto tasks = parse(R"(tasks:
  sts13: {kind: sts, files: [sts/sts13, /elsewhere/sts-test.csv], year: 13, collapse_white_space: false}
  plain:
    files: sick.txt
    kind: sts
  tokens: {kind: geometry, files: [lines.txt], pads: true, samples: 7, draws: 0, seed: 11}
)");
  ASSERT_EQ(tasks.size(), 3u);
  EXPECT_EQ(tasks[0].name, "sts13");
  const auto& sts13 = std::get<StsTaskSettings>(tasks[0].of_kind);
  EXPECT_EQ(sts13.files, (Paths{"/base/sts/sts13", "/elsewhere/sts-test.csv"}));
  EXPECT_EQ(sts13.year, 13);
  EXPECT_FALSE(sts13.collapse_white_space);
  EXPECT_EQ(tasks[1].name, "plain");
  const auto& plain = std::get<StsTaskSettings>(tasks[1].of_kind);
  EXPECT_EQ(plain.files, (Paths{"/base/sick.txt"}));
  EXPECT_EQ(plain.year, 0);
  EXPECT_TRUE(plain.collapse_white_space);
  const auto& tokens = std::get<GeometryTaskSettings>(tasks[2].of_kind);
  EXPECT_EQ(tokens.file, "/base/lines.txt");
  EXPECT_TRUE(tokens.pads);
  EXPECT_EQ(tokens.samples, 7);
  EXPECT_EQ(tokens.draws, 0);
  EXPECT_EQ(tokens.seed, 11);
}

TEST(TaskFile, RefusesWithThePlace) {
  const std::string sts = "tasks:\n  a: {kind: sts, files: x";
  EXPECT_EQ(refusal(sts + "}"), "accepted");
  EXPECT_TRUE(says(refusal("[1]"), "tasks.yaml: holds a list, not a map"));
  EXPECT_TRUE(says(refusal("task: {}"), "tasks.yaml:1:1: the key \"task\" is not known, did you mean \"tasks\"?"));
  EXPECT_TRUE(says(refusal("{}"), "there is no key tasks"));
  EXPECT_TRUE(says(refusal("tasks: {}"), "is not a map from names to tasks"));
  EXPECT_TRUE(says(refusal("tasks:\n  .a: {kind: sts}"), "tasks.yaml:2:3: the name of a task, \".a\", is not "));
  EXPECT_TRUE(says(refusal("tasks:\n  a: 3"), "tasks.a: \"3\" is not a map of keys"));
  EXPECT_TRUE(says(refusal("tasks:\n  a: {files: x}"), "tasks.a.kind is missing: add sts or geometry"));
  EXPECT_TRUE(says(refusal("tasks:\n  a: {kind: stss, files: x}"), "did you mean \"sts\"?"));
  EXPECT_TRUE(says(refusal("tasks:\n  a: {kind: [sts], files: x}"), "tasks.a.kind: a list is not a text"));
  EXPECT_TRUE(says(refusal("tasks:\n  a: {kind: sts}"), "tasks.a.files is missing"));
  EXPECT_TRUE(says(refusal("tasks:\n  a: {kind: sts, files: []}"), "tasks.a.files: the list is empty"));
  EXPECT_TRUE(says(refusal(sts + ", yaer: 13}"), "\"tasks.a.yaer\" is not known, did you mean \"year\"?"));
  EXPECT_TRUE(says(refusal(sts + ", year: 17}"), "tasks.a.year: 17 is not from 12 to 16"));
  EXPECT_TRUE(says(refusal(sts + ", pads: true}"), "\"tasks.a.pads\" is not known"));
  EXPECT_TRUE(says(refusal(sts + ", collapse_white_space: 1}"), "tasks.a.collapse_white_space: "));
  EXPECT_TRUE(says(refusal("tasks:\n  a: {kind: geometry, files: [x, y]}"), "a geometry task takes one file"));
  EXPECT_TRUE(says(refusal("tasks:\n  a: {kind: geometry, files: x, samples: 1}"), "1 is not from 2 to 100000"));
  // All of them at once.
  const std::string two = refusal("tasks:\n  a: {kind: sts}\n  b: {kind: no, files: x}");
  EXPECT_TRUE(says(two, "tasks.a.files is missing"));
  EXPECT_TRUE(says(two, "tasks.b.kind: \"no\" is not known"));
}

}  // namespace
}  // namespace gausscse
