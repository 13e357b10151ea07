#include "config/schema/key_kinds.hpp"

#include <charconv>

#include "base/shard_names.hpp"
#include "base/user_paths.hpp"

namespace gausscse::key_kinds {

namespace {

constexpr std::size_t max_path_bytes = 4096;

double read_number_in(const YamlNode& node, const Range& range) {
  const double value = read_number(node);
  if (!range.holds(value)) throw ValueProblem{node.position, concat(describe(node), " is out of range")};
  return value;
}

std::filesystem::path read_path(const YamlNode& node, const std::filesystem::path& base_folder) {
  const std::string& text = read_text(node);
  if (text.empty()) throw ValueProblem{node.position, "the path is empty"};
  if (text.size() > max_path_bytes) {
    throw ValueProblem{node.position, concat(describe(node), " is longer than ", max_path_bytes, " bytes")};
  }
  if (const std::string advice = shell_path_advice(text); !advice.empty())
    throw ValueProblem{node.position, concat(describe(node), " is not expanded by a shell: ", advice)};
  return (base_folder / text).lexically_normal();
}

std::vector<std::filesystem::path> read_paths(const YamlNode& node, const std::filesystem::path& base_folder) {
  if (node.kind != YamlNode::Kind::sequence) return {read_path(node, base_folder)};
  if (node.items.empty()) throw ValueProblem{node.position, "the list is empty"};
  std::vector<std::filesystem::path> paths;
  for (const YamlNode& item : node.items) paths.push_back(read_path(item, base_folder));
  return paths;
}

/// Returns the files of a folder whose names are `name`*.parquet, by name; none if it cannot be read.
std::vector<std::filesystem::path> shards_in(const std::filesystem::path& folder, const std::string& name) {
  std::vector<std::filesystem::path> shards;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string file = entry.path().filename().string();
    if (file.starts_with(name) && file.ends_with(".parquet")) shards.push_back(entry.path());
  }
  std::sort(shards.begin(), shards.end());
  return shards;
}

std::string read_filled_text(const YamlNode& node) {
  if (read_text(node).empty()) throw ValueProblem{node.position, "the text is empty"};
  return node.text;
}

void write_text(YAML::Emitter& out, const std::string& text) {
  out << YAML::DoubleQuoted << text;
}

void write_path(YAML::Emitter& out, const std::filesystem::path& path) {
  write_text(out, path.string());
}

/// Writes a list of values, each by `write`.
template <typename Value>
void write_list(YAML::Emitter& out, const std::vector<Value>& values,
                void (*write)(YAML::Emitter& out, const Value& value)) {
  out << YAML::BeginSeq;
  for (const Value& each : values) write(out, each);
  out << YAML::EndSeq;
}

template <typename Value>
bool is_filled(const Value& value) {
  return !value.empty();
}

}  // namespace

std::string Range::text(const char* kind) const {
  std::string out = concat(kind,
                           above_lowest                                        ? " above "
                           : highest < std::numeric_limits<double>::infinity() ? " from "
                                                                               : " of at least ",
                           shortest(lowest));
  if (highest < std::numeric_limits<double>::infinity()) {
    out += concat(below_highest ? " to below " : " to ", shortest(highest));
  }
  return out;
}

std::string shortest(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

std::int64_t read_integer_in(const YamlNode& node, std::int64_t lowest, std::int64_t highest) {
  const std::int64_t value = read_integer(node);
  if (value < lowest || value > highest) throw ValueProblem{node.position, concat(describe(node), " is out of range")};
  return value;
}

Codec<std::int64_t> integer(std::int64_t lowest, std::int64_t highest) {
  return {.allowed = concat("an integer from ", lowest, " to ", highest),
          .read = [=](const YamlNode& node, const auto&) { return read_integer_in(node, lowest, highest); },
          .write = [](YAML::Emitter& out, std::int64_t value) { out << std::to_string(value); }};
}

Codec<double> number(const Range& range) {
  return {.allowed = range.text("a number"),
          .read = [=](const YamlNode& node, const auto&) { return read_number_in(node, range); },
          .write = [](YAML::Emitter& out, double value) { out << shortest(value); }};
}

Codec<bool> boolean() {
  return {.allowed = "true or false",
          .read = [](const YamlNode& node, const auto&) { return read_bool(node); },
          .write = [](YAML::Emitter& out, bool value) { out << value; }};
}

Codec<std::string> text(const std::string& allowed) {
  return {.allowed = allowed,
          .read = [](const YamlNode& node, const auto&) { return read_text(node); },
          .write = write_text,
          .is_set = is_filled<std::string>};
}

Codec<std::optional<std::string>> text_if_any(const std::string& allowed) {
  return {.allowed = allowed,
          .read = [](const YamlNode& node, const auto&) { return std::optional(read_text(node)); },
          .write = [](YAML::Emitter& out, const std::optional<std::string>& value) { write_text(out, *value); },
          .is_set = [](const std::optional<std::string>& value) { return value.has_value(); }};
}

Codec<std::vector<std::string>> texts(const std::string& allowed) {
  const auto read = [](const YamlNode& node, const auto&) {
    if (node.kind != YamlNode::Kind::sequence) return std::vector{read_filled_text(node)};
    std::vector<std::string> all;
    for (const YamlNode& item : node.items) all.push_back(read_filled_text(item));
    return all;
  };
  const auto write = [](YAML::Emitter& out, const std::vector<std::string>& values) {
    out << YAML::Flow;
    write_list(out, values, write_text);
  };
  return {.allowed = allowed, .read = read, .write = write, .is_set = is_filled<std::vector<std::string>>};
}

Codec<std::filesystem::path> path() {
  return {.allowed = "a path", .read = read_path, .write = write_path, .is_set = is_filled<std::filesystem::path>};
}

Codec<std::filesystem::path> optional_path() {
  const auto read = [](const YamlNode& node, const std::filesystem::path& base_folder) {
    return read_text(node).empty() ? std::filesystem::path() : read_path(node, base_folder);
  };
  return {.allowed = "a path, or \"\"", .read = read, .write = write_path};
}

Codec<std::vector<std::filesystem::path>> paths() {
  return {.allowed = "a path or a list of paths",
          .read = read_paths,
          .write = [](YAML::Emitter& out, const std::vector<std::filesystem::path>& values) {
            write_list(out, values, write_path);
          }};
}

std::vector<std::filesystem::path> file_or_shards(const std::filesystem::path& path, const std::string& name) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return {path};
  std::vector<std::filesystem::path> shards = shards_in(path, name);
  return shards.empty() ? shards_in(path / "data", name) : shards;
}

std::string missing_shards_of_folder(const std::filesystem::path& path,
                                     const std::vector<std::filesystem::path>& found) {
  const std::string missing = found == std::vector{path} ? "" : missing_shards_text(found);
  return missing.empty() ? ""
                         : concat(" is a folder whose files are not all there: ", missing,
                                  ": get it, or name the files in it that are meant");
}

Codec<std::vector<std::filesystem::path>> paths_or_shards(const std::string& name) {
  Codec<std::vector<std::filesystem::path>> shards = paths();
  shards.read = [=](const YamlNode& node, const std::filesystem::path& base_folder) {
    std::vector<std::filesystem::path> files;
    for (const std::filesystem::path& path : read_paths(node, base_folder)) {
      const std::vector<std::filesystem::path> found = file_or_shards(path, name);
      if (found.empty())
        throw ValueProblem{node.position, concat(quoted(path.string(), 200), " is a folder without files ", name,
                                                 "*.parquet: name the files in it that are meant")};
      if (const std::string missing = missing_shards_of_folder(path, found); !missing.empty())
        throw ValueProblem{node.position, concat(quoted(path.string(), 200), missing)};
      files.insert(files.end(), found.begin(), found.end());
    }
    return files;
  };
  return shards;
}

Codec<std::filesystem::path> one_path(const std::string& what) {
  Codec<std::filesystem::path> one = path();
  one.allowed = "a path, or a list of one";
  one.read = [=](const YamlNode& node, const std::filesystem::path& base_folder) {
    const std::vector<std::filesystem::path> files = read_paths(node, base_folder);
    if (files.size() != 1) throw ValueProblem{node.position, concat("a task of this kind takes one ", what)};
    return files.front();
  };
  return one;
}

}  // namespace gausscse::key_kinds
