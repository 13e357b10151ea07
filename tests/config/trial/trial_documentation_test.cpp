#include "config/schema/key_aliases.hpp"
#include "config/trial/task_map.hpp"
#include "config/trial/trial.hpp"
#include "config/trial/trial_reference.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

fs::path documentation(const std::string& name) {
  return golden("../../docs/" + name).lexically_normal();
}

std::string text_of(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Returns the texts between "```yaml" and "```" in a Markdown text.
std::vector<std::string> yaml_blocks(const std::string& markdown) {
  const std::string begin = "```yaml\n", end = "```\n";
  std::vector<std::string> blocks;
  for (std::size_t at = markdown.find(begin); at != std::string::npos; at = markdown.find(begin, at)) {
    at += begin.size();
    const std::size_t last = markdown.find(end, at);
    blocks.push_back(markdown.substr(at, last - at));
    at = last;
  }
  return blocks;
}

TEST(TrialDocumentation, HasTheReference) {
  EXPECT_NE(text_of(documentation("trial_keys.md")).find(trial_reference()), std::string::npos)
      << "docs/trial_keys.md lacks these tables, put them there:\n"
      << trial_reference();
}

TEST(TrialDocumentation, TrialsAndTasksInItAreRight) {
  std::size_t trials = 0, task_maps = 0;
  for (const char* page : {"trial.md", "recipes.md", "training.md", "tasks.md", "coming-from.md"}) {
    for (const std::string& block : yaml_blocks(text_of(documentation(page)))) {
      if (block.starts_with("format:")) {
        EXPECT_NO_THROW(parse_trial(block, page, "/base")) << block;
        ++trials;
      } else {
        EXPECT_NO_THROW(parse_tasks(block, page, "/base")) << block;
        ++task_maps;
      }
    }
  }
  EXPECT_GE(trials, 3u);
  EXPECT_GE(task_maps, 2u);
}

/// Returns the rows of the first table below `heading`, without its two lines of titles.
std::set<std::string> table_rows(const std::string& markdown, const std::string& heading) {
  std::istringstream lines(markdown.substr(std::min(markdown.find(heading + "\n"), markdown.size())));
  std::set<std::string> rows;
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("|")) {
      if (++count > 2) rows.insert(line);
    } else if (count > 0) {
      break;
    }
  }
  return rows;
}

/// The page lists exactly the words that the trial reader suggests keys for, with these keys and remarks.
TEST(TrialDocumentation, WordsOfOtherProgramsAreThoseOfTheSuggestions) {
  const std::string page = text_of(documentation("coming-from.md")), keys = trial_reference();
  std::set<std::string> suggested;
  for (const KeyAlias& word : key_aliases()) {
    std::string row = "| `" + std::string(word.word) + "` | `" + std::string(word.key) + "` |";
    row += word.remark.empty() ? " |" : " " + std::string(word.remark) + " |";
    suggested.insert(row);
    const std::string key = "| `" + std::string(word.key);
    EXPECT_TRUE(keys.find(key + "` |") != std::string::npos || keys.find(key + ".") != std::string::npos) << row;
  }
  EXPECT_EQ(suggested.size(), key_aliases().size());
  EXPECT_EQ(table_rows(page, "## Words with another name"), suggested);
  const std::set<std::string> without_key = table_rows(page, "## Words without a key");
  EXPECT_GE(without_key.size(), 10u);
  for (const KeyAlias& word : key_aliases())
    for (const std::string& row : without_key)
      EXPECT_EQ(row.find("`" + std::string(word.word) + "`"), std::string::npos) << row;
}

TEST(TrialDocumentation, ExamplesAreRight) {
  std::size_t trials = 0, task_files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(documentation("examples"))) {
    const fs::path& path = entry.path();
    SCOPED_TRACE(path);
    ASSERT_EQ(path.extension(), ".yaml");
    if (text_of(path).find("format: gausscse-trial/") == std::string::npos) {
      EXPECT_FALSE(read_task_file(path).empty());
      ++task_files;
      continue;
    }
    const Trial trial = read_trial(path);
    // Examples write into one folder of the tree, each into its own.
    EXPECT_EQ(trial.output, documentation("../runs") / path.stem());
    ++trials;
  }
  EXPECT_GE(trials, 7u);
  EXPECT_GE(task_files, 1u);
}

}  // namespace
}  // namespace gausscse
