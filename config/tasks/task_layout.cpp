#include "config/tasks/task_layout.hpp"

#include <string>

#include "config/schema/key_kinds.hpp"
#include "data/corpus/nli_pair.hpp"

namespace gausscse {

namespace {

std::string meaning_of(const std::string& name) {
  return concat("As `data.", name, "`, for this task's files.");
}

Key<CorpusLayout> name_key(const std::string& name, std::string CorpusLayout::*member, const std::string& value) {
  return key_kinds::key(name, key_kinds::at(member), key_kinds::text(value), meaning_of(name));
}

}  // namespace

Keys<CorpusLayout> task_layout_keys(TaskPairs pairs) {
  Keys<CorpusLayout> keys{name_key("columns.premise", &CorpusLayout::premise, "a name"),
                          name_key("columns.hypothesis", &CorpusLayout::hypothesis, "a name")};
  if (pairs == TaskPairs::scored) {
    keys.push_back(name_key("columns.score", &CorpusLayout::score, "a name"));
    return keys;
  }
  keys.push_back(name_key("columns.label", &CorpusLayout::label, "a name"));
  keys.push_back(name_key("labels.entailment", &CorpusLayout::entailment, "a word or number"));
  keys.push_back(name_key("labels.neutral", &CorpusLayout::neutral, "a word or number"));
  keys.push_back(name_key("labels.contradiction", &CorpusLayout::contradiction, "a word or number"));
  keys.push_back(key_kinds::key("labels.none", key_kinds::at(&CorpusLayout::none),
                                key_kinds::text_if_any("a word or number, or \"\""), meaning_of("labels.none")));
  return keys;
}

std::vector<KeyProblem> problems_of_labels(const CorpusLayout& layout) {
  const std::optional<RepeatedLabel> repeated = repeated_label(layout);
  if (!repeated) return {};
  return {{concat("labels.", repeated->label),
           concat(quoted(repeated->value), " stands for another label, too: give each its own value")}};
}

std::vector<KeyProblem> problems_of_names(const CorpusLayout& layout, const char* problem) {
  std::vector<KeyProblem> problems;
  for (const Key<CorpusLayout>& key : task_layout_keys(TaskPairs::labelled))
    if (key.is_set(layout)) problems.push_back({key.name, problem});
  return problems;
}

std::vector<KeyProblem> problems_without_files(const CorpusLayout& layout) {
  return problems_of_names(layout, "goes with files: held-out examples are read as data.train is: remove it");
}

}  // namespace gausscse
