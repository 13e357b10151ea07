#include "config/schema/key_kinds.hpp"

#include <charconv>

#include "base/user_paths.hpp"

namespace gausscse::key_kinds {

namespace {

constexpr std::size_t max_path_bytes = 4096;

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

std::vector<std::string> read_texts(const YamlNode& node) {
  const auto read = [](const YamlNode& item) {
    if (read_text(item).empty()) throw ValueProblem{item.position, "the text is empty"};
    return item.text;
  };
  if (node.kind != YamlNode::Kind::sequence) return {read(node)};
  std::vector<std::string> texts;
  for (const YamlNode& item : node.items) texts.push_back(read(item));
  return texts;
}

void write_text(YAML::Emitter& out, const std::string& text) {
  out << YAML::DoubleQuoted << text;
}

void write_path(YAML::Emitter& out, const std::filesystem::path& path) {
  write_text(out, path.string());
}

}  // namespace gausscse::key_kinds
