#include "config/proposal/commented_trial.hpp"

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

#include <algorithm>
#include <memory>
#include <set>
#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "config/schema/key_writer.hpp"
#include "config/schema/yaml_document.hpp"
#include "config/trial/trial_keys.hpp"

namespace gausscse {

namespace {

constexpr std::size_t line_length = 110;

std::string spaces(std::size_t depth) {
  return std::string(2 * depth, ' ');
}

/// Returns a text as lines of a comment. What a user gave may hold line breaks.
std::string comment(const std::string& text, std::size_t depth) {
  std::istringstream words(visible_text(text));
  std::string lines, line;
  for (std::string word; words >> word;) {
    if (!line.empty() && spaces(depth).size() + line.size() + word.size() + 3 > line_length)
      lines += concat(spaces(depth), "#", std::exchange(line, ""), "\n");
    line += concat(" ", word);
  }
  return line.empty() ? lines : concat(lines, spaces(depth), "#", line, "\n");
}

/// Returns a key and its value; a value of several lines is put below the key.
std::string entry(const std::string& word, const std::string& value, std::size_t depth) {
  const bool is_list = value.starts_with("- ");
  if (!is_list) return concat(spaces(depth), word, ": ", value, "\n");
  std::string text = concat(spaces(depth), word, ":\n");
  std::istringstream lines(value);
  for (std::string line; std::getline(lines, line);) text += concat(spaces(depth + 1), line, "\n");
  return text;
}

/// Returns the values of a task that are not those of its kind, in one line.
std::string task_text(const TaskSettings& task) {
  const Keys<TaskSettings>& keys = task_keys(kind_of(task));
  const std::vector<std::string> texts = value_texts(keys, task),
                                 defaults = value_texts(keys, default_task(task.name, kind_of(task)));
  Keys<TaskSettings> shown;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i].name == "kind" || texts[i] != defaults[i]) shown.push_back(keys[i]);
  YAML::Emitter out;
  out << YAML::Flow;
  write_keys(shown, task, out);
  return out.c_str();
}

/// Writer of the keys of a trial that have a remark.
class CommentedWriter {
 public:
  CommentedWriter(const Trial& trial, const std::vector<Remark>& remarks) : trial_(trial), remarks_(remarks) {}

  std::string write() {
    for (const Key<Trial>& key : trial_keys()) {
      if (key.name == "tasks")
        write_tasks(key);
      else if (const Remark* remark = find(key.name))
        write_key(key, *remark);
    }
    GAUSSCSE_CHECK(used_.size() == remarks_.size(), used_.size(), " keys of ", remarks_.size(), " are in the table");
    return std::move(text_);
  }

 private:
  const Remark* find(const std::string& name) {
    const auto found =
        std::find_if(remarks_.begin(), remarks_.end(), [&](const Remark& remark) { return remark.key == name; });
    if (found == remarks_.end()) return nullptr;
    used_.insert(name);
    return &*found;
  }

  /// Opens the sections of a key that are not open, and returns their number.
  std::size_t open_sections(const std::string& section) {
    std::istringstream words(section);
    std::vector<std::string> path;
    for (std::string word; std::getline(words, word, '.');) path.push_back(word);
    const auto [first_new, first_other] = std::mismatch(path.begin(), path.end(), open_.begin(), open_.end());
    auto depth = static_cast<std::size_t>(first_new - path.begin());
    if (depth == 0) text_ += "\n";
    for (auto word = first_new; word != path.end(); ++word) text_ += concat(spaces(depth++), *word, ":\n");
    open_ = std::move(path);
    return depth;
  }

  void write_key(const Key<Trial>& key, const Remark& remark) {
    const std::size_t depth = open_sections(key.section());
    std::string meaning = concat(key.meaning, " Allowed: ", key.allowed, ".");
    meaning.erase(std::remove(meaning.begin(), meaning.end(), '`'), meaning.end());
    text_ += comment(meaning, depth) + comment(remark.why, depth);
    YAML::Emitter out;
    key.write(trial_, out);
    text_ += entry(key.word(), out.c_str(), depth);
  }

  void write_tasks(const Key<Trial>& key) {
    if (trial_.tasks.empty()) return;
    open_sections("");
    text_ += comment(key.meaning, 0) + "tasks:\n";
    for (const TaskSettings& task : trial_.tasks) {
      const Remark* remark = find(concat("tasks.", task.name));
      if (remark) text_ += comment(remark->why, 1);
      text_ += entry(task.name, task_text(task), 1);
    }
  }

  const Trial& trial_;
  const std::vector<Remark>& remarks_;
  std::set<std::string> used_;
  std::vector<std::string> open_;  ///< sections around the present place, outermost first
  std::string text_;
};

/// Throws InputError for a text that YAML cannot hold: one that is not UTF-8, or has code points of no character.
void check_text(const std::string& text) {
  YAML::Emitter out;
  out << YAML::DoubleQuoted << text;
  if (parse_yaml_document(out.c_str(), std::make_shared<const std::string>(text)).text == text) return;
  throw InputError(concat(quoted(text, 200),
                          " cannot be written into a trial, as it has bytes that are no UTF-8 text: ",
                          "give the file or folder another name, or a link with one"));
}

void check_paths(const Trial& trial) {
  check_text(trial.model.backbone.path.string());
  for (const std::filesystem::path& path : trial.data.train) check_text(path.string());
  for (const TaskSettings& task : trial.tasks)
    for (const std::filesystem::path& path : files_of(task)) check_text(path.string());
  check_text(trial.output.string());
}

/// Returns the trial that was read, with the paths of the one that was written.
Trial with_paths_of(const Trial& written, Trial read) {
  read.model.backbone.path = written.model.backbone.path;
  read.data.train = written.data.train;
  read.output = written.output;
  for (std::size_t i = 0; i < std::min(read.tasks.size(), written.tasks.size()); ++i) {
    const std::vector<std::filesystem::path> files = files_of(written.tasks[i]);
    const std::vector<std::filesystem::path*> paths = paths_of(read.tasks[i]);
    for (std::size_t k = 0; k < std::min(paths.size(), files.size()); ++k) *paths[k] = files[k];
  }
  return read;
}

}  // namespace

std::string to_commented_yaml(const Trial& trial, const std::vector<Remark>& remarks,
                              const std::vector<std::string>& heading, const std::filesystem::path& folder) {
  check_paths(trial);
  std::string text;
  for (const std::string& line : heading) text += comment(line, 0);
  text += CommentedWriter(trial, remarks).write();
  const Trial read = with_paths_of(trial, parse_trial(text, "the proposed trial", folder));
  GAUSSCSE_CHECK(read == trial, "the proposed trial is read as another:\n", text);
  return text;
}

}  // namespace gausscse
