#include "config/trial/task_map.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Tasks = std::vector<TaskSettings>;

Tasks parse_file(const std::string& yaml) {
  return parse_tasks(yaml, "tasks.yaml", "/base");
}

std::string refusal_of_file(const std::string& yaml) {
  return refusal_of([&] { parse_file(yaml); });
}

TEST(TaskFile, HasTheTasksOfATrial) {
  EXPECT_EQ(
      parse_file(R"(tasks:
  sts13: {kind: sts, files: [sts/sts13, /elsewhere/sts-test.csv], year: 13, collapse_white_space: false}
  snli: {kind: nli, files: snli.jsonl, threshold: 0.5}
  tokens: {kind: geometry, files: [lines.txt], pads: true, samples: 7, draws: 0, seed: 11}
)"),
      (Tasks{{"sts13", 0,
              StsTaskSettings{
                  .files = {"/base/sts/sts13", "/elsewhere/sts-test.csv"}, .year = 13, .collapse_white_space = false}},
             {"snli", 0, NliTaskSettings{.file = "/base/snli.jsonl", .threshold = "0.5"}},
             {"tokens", 0,
              GeometryTaskSettings{.file = "/base/lines.txt",
                                   .measured = {.pads = true, .samples = 7, .draws = 0, .seed = 11}}}}));
}

TEST(TaskFile, RefusesWithThePlace) {
  EXPECT_TRUE(says(refusal_of_file("[1]"), "tasks.yaml: holds a list, not a map"));
  EXPECT_TRUE(
      says(refusal_of_file("task: {}"), "tasks.yaml:1:1: the key \"task\" is not known, did you mean \"tasks\"?"));
  EXPECT_TRUE(says(refusal_of_file("{}"), "tasks.yaml:1:1: tasks is missing"));
  EXPECT_TRUE(says(refusal_of_file("tasks: {}"), "tasks.yaml:1:8: tasks: the map is empty"));
  EXPECT_TRUE(says(refusal_of_file("tasks:\n  a: {kind: sts, files: x, yaer: 13}"),
                   "tasks.yaml:2:28: the key \"tasks.a.yaer\" is not known, did you mean \"tasks.a.year\"?"));
  EXPECT_TRUE(
      says(refusal_of_file("tasks:\n  a.b: {kind: sts, files: x}"),
           "tasks.yaml:2:3: the name of a task, \"a.b\", is not 1 to 64 letters, digits, dashes and underscores "
           "(a dot would end it in --set tasks.NAME.KEY=VALUE)"));
  EXPECT_TRUE(
      says(refusal_of_file("tasks:\n  a: {kind: nli, files: x, threshold: dev}"), "tasks.a.threshold: \"dev\" is"));
  EXPECT_TRUE(
      says(refusal_of_file("tasks:\n  a: {kind: nli}\n  b: {kind: nli_labels}"),
           "tasks.yaml: tasks.a.files is missing: add it (a path); examples that a trial holds out are measured by "
           "its training alone"));
  const std::string two = refusal_of_file("tasks:\n  a: {kind: sts}\n  b: {kind: no, files: x}");
  EXPECT_TRUE(says(two, "tasks.a.files is missing"));
  EXPECT_TRUE(says(two, "tasks.b.kind: \"no\" is not known"));
}

TEST(TaskFile, PathsStartFromItsFolder) {
  const TemporaryFolder folder;
  write_bytes(folder / "tasks.yaml", "tasks: {a: {kind: sts, files: x}}");
  EXPECT_EQ(read_task_file(folder / "tasks.yaml"), (Tasks{{"a", 0, StsTaskSettings{.files = {folder / "x"}}}}));
  EXPECT_THROW(read_task_file(folder / "missing.yaml"), InputError);
}

}  // namespace
}  // namespace gausscse
