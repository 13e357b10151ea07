#include "config/trial/task_map.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Words = std::vector<std::string>;

/// Returns the part of docs/tasks.md below the heading of a kind.
std::string page_of_kind(const std::string& kind) {
  std::stringstream text;
  text << std::ifstream(golden("../../docs/tasks.md")).rdbuf();
  const std::string page = text.str(), heading = "\n## " + kind + "\n";
  const std::size_t begin = page.find(heading);
  if (begin == std::string::npos) return {};
  const std::size_t end = page.find("\n## ", begin + heading.size());
  return page.substr(begin, end == std::string::npos ? end : end - begin);
}

TaskSettings task_of_kind(std::string_view kind) {
  return parse_tasks(concat("tasks: {t: {kind: ", kind, ", files: f}}"), "tasks", "/base").at(0);
}

TEST(TaskKinds, AreThoseOfTheDocumentation) {
  EXPECT_EQ(words_of<setting::TaskKind>(), (Words{"nli", "sts", "geometry", "nli_labels", "transfer", "retrieval"}));
  EXPECT_EQ(std::variant_size_v<SettingsOfKind>, names<setting::TaskKind>.size());
  std::size_t keys = 0;
  for (const auto& [kind, word] : names<setting::TaskKind>) {
    SCOPED_TRACE(word);
    const std::string page = page_of_kind(std::string(word));
    ASSERT_FALSE(page.empty()) << "docs/tasks.md has no section with the name of the kind";
    for (const Key<TaskSettings>& key : task_keys(kind)) {
      EXPECT_FALSE(key.meaning.empty()) << key.name;
      if (key.name == "kind" || key.name == "eval_every") continue;
      EXPECT_NE(page.find("`" + key.name + "`"), std::string::npos) << key.name;
      ++keys;
    }
    for (const std::string& name : metric_names_of(default_task("t", kind), false).whole)
      if (name.find('.') == std::string::npos) {
        EXPECT_NE(page.find("`" + name + "`"), std::string::npos) << name;
      }
  }
  EXPECT_EQ(keys, 51u) << "13 of nli, 6 of sts, 7 of geometry, 8 of nli_labels, 4 of transfer, 10 of retrieval";
}

TEST(TaskKinds, HaveTheKeysThatAllTasksHaveAroundTheirOwn) {
  for (const auto& [kind, word] : names<setting::TaskKind>) {
    SCOPED_TRACE(word);
    const Keys<TaskSettings>& keys = task_keys(kind);
    EXPECT_EQ(keys.front().name, "kind");
    EXPECT_EQ(keys[1].name, "files");
    EXPECT_EQ(keys[1].required, !word.starts_with("nli")) << "pairs may be held out of the training files";
    EXPECT_EQ(keys.back().name, "eval_every");
    std::set<std::string> names;
    for (const Key<TaskSettings>& key : keys) EXPECT_TRUE(names.insert(key.name).second) << key.name;
  }
}

/// A task reads the files of its key `files` and nothing else, and files that are put there in their place are read
/// instead.
TEST(TaskKinds, ReadThePathsOfTheKeyFiles) {
  for (const auto& [kind, word] : names<setting::TaskKind>) {
    SCOPED_TRACE(word);
    TaskSettings task = task_of_kind(word);
    EXPECT_EQ(kind_of(task), kind);
    EXPECT_EQ(files_of(task), std::vector<std::filesystem::path>{"/base/f"});
    TaskSettings defaults = default_task("t", kind);
    EXPECT_NE(task, defaults);
    for (std::filesystem::path* path : paths_of(task)) *path = "/elsewhere";
    EXPECT_EQ(files_of(task), std::vector<std::filesystem::path>{"/elsewhere"});
    EXPECT_NE(to_text(task).find("\"/elsewhere\""), std::string::npos) << to_text(task);
    EXPECT_EQ(to_text(task).find("/base"), std::string::npos) << to_text(task);
  }
}

TEST(TaskKinds, HaveMapsOfMetricsThatTheyGive) {
  for (const auto& [kind, word] : names<setting::TaskKind>)
    for (const std::string_view metric : mapped_metrics_of(word))
      EXPECT_TRUE(metric_names_of(default_task("t", kind), true).may_have(metric)) << word << " " << metric;
  using Metrics = std::vector<std::string_view>;
  EXPECT_EQ(mapped_metrics_of("nli"), (Metrics{"accuracy", "auprc"}));
  EXPECT_EQ(mapped_metrics_of("sts"), Metrics{"spearman"});
  EXPECT_EQ(mapped_metrics_of("geometry"), Metrics{"anisotropy"});
  EXPECT_EQ(mapped_metrics_of("nli_labels"), Metrics{});
  EXPECT_EQ(mapped_metrics_of("transfer"), Metrics{});
  EXPECT_EQ(mapped_metrics_of("retrieval"), (Metrics{"recall_at_1", "mrr_at_10"}));
  EXPECT_EQ(mapped_metrics_of("a kind of another version"), Metrics{});
}

TEST(TaskKinds, TransferAloneChoosesFilesOfAFolderThatIsMissing) {
  for (const auto& [kind, word] : names<setting::TaskKind>)
    EXPECT_EQ(files_of_folder(task_of_kind(word)).has_value(), word == "transfer") << word;
}

}  // namespace
}  // namespace gausscse
