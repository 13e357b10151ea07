#include "experiments/trial/trial_key_kinds.hpp"

#include <algorithm>
#include <charconv>

#include "experiments/results/test_name.hpp"
#include "experiments/trial/trial_format.hpp"

namespace gausscse::key_kinds {

namespace {

constexpr std::size_t max_path_bytes = 4096;
/// In quotes always: an unquoted 3 or ~ would be no text.
void write_path(YAML::Emitter& out, const std::filesystem::path& path) {
  out << YAML::DoubleQuoted << path.string();
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

std::filesystem::path read_path(const YamlNode& node, const std::filesystem::path& base_folder) {
  const std::string& text = read_text(node);
  if (text.empty()) throw ValueProblem{node.position, "the path is empty"};
  if (text.size() > max_path_bytes) {
    throw ValueProblem{node.position, concat(describe(node), " is longer than ", max_path_bytes, " bytes")};
  }
  return (base_folder / text).lexically_normal();
}

TrialKey format_key(std::string meaning) {
  return {.name = "format",
          .allowed = std::string(trial_format),
          .meaning = std::move(meaning),
          .required = true,
          .read =
              [](const YamlNode& node, const std::filesystem::path&, Trial&) {
                if (read_text(node) != trial_format) {
                  throw ValueProblem{node.position, concat(describe(node), " is not a format this program knows")};
                }
              },
          .write = [](const Trial&, YAML::Emitter& out) { out << std::string(trial_format); }};
}

TrialKey integer(std::string name, Field<std::int64_t> field, std::int64_t lowest, std::int64_t highest,
                 std::string meaning) {
  return {.name = std::move(name),
          .allowed = concat("an integer from ", lowest, " to ", highest),
          .meaning = std::move(meaning),
          .read =
              [=](const YamlNode& node, const std::filesystem::path&, Trial& trial) {
                const std::int64_t value = read_integer(node);
                if (value < lowest || value > highest) {
                  throw ValueProblem{node.position, concat(describe(node), " is out of range")};
                }
                field.get(trial) = value;
              },
          .write = [=](const Trial& trial, YAML::Emitter& out) { out << std::to_string(field.of(trial)); }};
}

TrialKey number(std::string name, Field<double> field, Range range, std::string meaning) {
  return {.name = std::move(name),
          .allowed = range.text("a number"),
          .meaning = std::move(meaning),
          .read =
              [=](const YamlNode& node, const std::filesystem::path&, Trial& trial) {
                const double value = read_number(node);
                if (!range.holds(value)) throw ValueProblem{node.position, concat(describe(node), " is out of range")};
                field.get(trial) = value;
              },
          .write = [=](const Trial& trial, YAML::Emitter& out) { out << shortest(field.of(trial)); }};
}

TrialKey number_or(std::string name, Field<std::optional<double>> field, Range range, std::string otherwise,
                   std::string meaning) {
  return {.name = std::move(name),
          .allowed = concat(otherwise, ", or ", range.text("a number")),
          .meaning = std::move(meaning),
          .read =
              [=](const YamlNode& node, const std::filesystem::path&, Trial& trial) {
                if (node.kind == YamlNode::Kind::scalar && node.text == otherwise) {
                  field.get(trial).reset();
                  return;
                }
                const double value = read_number(node);
                if (!range.holds(value)) throw ValueProblem{node.position, concat(describe(node), " is out of range")};
                field.get(trial) = value;
              },
          .write =
              [=](const Trial& trial, YAML::Emitter& out) {
                const std::optional<double>& value = field.of(trial);
                out << (value ? shortest(*value) : otherwise);
              }};
}

TrialKey boolean(std::string name, Field<bool> field, std::string meaning) {
  return {.name = std::move(name),
          .allowed = "true or false",
          .meaning = std::move(meaning),
          .read = [=](const YamlNode& node, const std::filesystem::path&,
                      Trial& trial) { field.get(trial) = read_bool(node); },
          .write = [=](const Trial& trial, YAML::Emitter& out) { out << field.of(trial); }};
}

TrialKey path(std::string name, Field<std::filesystem::path> field, std::string meaning) {
  return {.name = std::move(name),
          .allowed = "a path",
          .meaning = std::move(meaning),
          .read = [=](const YamlNode& node, const std::filesystem::path& base_folder,
                      Trial& trial) { field.get(trial) = read_path(node, base_folder); },
          .is_set = [=](const Trial& trial) { return !field.of(trial).empty(); },
          .write = [=](const Trial& trial, YAML::Emitter& out) { write_path(out, field.of(trial)); }};
}

TrialKey optional_path(std::string name, Field<std::filesystem::path> field, std::string meaning) {
  TrialKey key = path(std::move(name), field, std::move(meaning));
  key.allowed = "a path, or \"\"";
  key.is_set = [](const Trial&) { return true; };
  key.read = [=](const YamlNode& node, const std::filesystem::path& base_folder, Trial& trial) {
    field.get(trial) = read_text(node).empty() ? std::filesystem::path() : read_path(node, base_folder);
  };
  return key;
}

TrialKey paths(std::string name, Field<std::vector<std::filesystem::path>> field, std::string meaning) {
  return {.name = std::move(name),
          .allowed = "a path or a list of paths",
          .meaning = std::move(meaning),
          .read =
              [=](const YamlNode& node, const std::filesystem::path& base_folder, Trial& trial) {
                std::vector<std::filesystem::path> paths;
                if (node.kind == YamlNode::Kind::sequence) {
                  for (const YamlNode& item : node.items) paths.push_back(read_path(item, base_folder));
                  if (paths.empty()) throw ValueProblem{node.position, "the list is empty"};
                } else {
                  paths.push_back(read_path(node, base_folder));
                }
                field.get(trial) = std::move(paths);
              },
          .write =
              [=](const Trial& trial, YAML::Emitter& out) {
                out << YAML::BeginSeq;
                for (const std::filesystem::path& path : field.of(trial)) write_path(out, path);
                out << YAML::EndSeq;
              }};
}

TrialKey named_paths(std::string name, Field<std::vector<std::pair<std::string, std::filesystem::path>>> field,
                     std::string meaning) {
  return {.name = std::move(name),
          .allowed = concat("a map from names to paths; a name has ", test_name_rule),
          .meaning = std::move(meaning),
          .read =
              [=](const YamlNode& node, const std::filesystem::path& base_folder, Trial& trial) {
                if (node.kind != YamlNode::Kind::map) {
                  throw ValueProblem{node.position, concat(describe(node), " is not a map")};
                }
                std::vector<std::pair<std::string, std::filesystem::path>> named;
                for (const YamlNode::Entry& entry : node.entries) {
                  if (!is_test_name(entry.key)) {
                    throw ValueProblem{entry.position, concat("the name ", quoted(entry.key), " cannot be used")};
                  }
                  named.emplace_back(entry.key, read_path(entry.value, base_folder));
                }
                field.get(trial) = std::move(named);
              },
          .write =
              [=](const Trial& trial, YAML::Emitter& out) {
                out << YAML::BeginMap;
                for (const auto& [test, path] : field.of(trial)) {
                  out << YAML::Key << test << YAML::Value;
                  write_path(out, path);
                }
                out << YAML::EndMap;
              }};
}

TrialKey required(TrialKey key) {
  key.required = true;
  return key;
}

}  // namespace gausscse::key_kinds
