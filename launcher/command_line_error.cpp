#include "launcher/command_line_error.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/user_paths.hpp"
#include "config/trial/key_of_word.hpp"

namespace gausscse {

namespace {

/// Words that people give as a command elsewhere, and the command meant.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> other_commands = {
    {{"help", "gausscse --help"},
     {"version", "gausscse --version"},
     {"list", "gausscse status"},
     {"ls", "gausscse status"},
     {"predict", "gausscse encode"},
     {"evaluate", "gausscse eval"}}};

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  return names;
}

/// Returns the options of both, with their dashes.
std::vector<std::string> options_of(const CLI::App& app, const CLI::App* command) {
  std::vector<std::string> names;
  for (const CLI::App* each : {command, &app}) {
    if (!each) continue;
    for (const CLI::Option* option : each->get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string unknown_command(const CLI::App& app, const std::string& word) {
  for (const auto& [other, ours] : other_commands)
    if (word == other) return concat("unknown command ", quoted(word), ", did you mean \"", ours, "\"?");
  const std::vector<std::string> names = commands_of(app);
  const std::string nearest = nearest_name(word, names);
  return concat("unknown command ", quoted(word), nearest.empty() ? "; known are " + joined(names) : nearest);
}

/// Returns "--set training.learning_rate=..." for a word that a key of the trial is known by.
std::string text_of_key(const MeantKey& key, const CLI::App& command) {
  const std::string remark = key.remark.empty() ? "" : concat(" (", key.remark, ")");
  const std::string what = concat("; ", key.name, " is a ", key.has_value ? "key" : "section", " of the trial", remark);
  if (command.get_name() == "run") return what + ": set it in the manifest";
  return key.has_value ? concat(what, ": give --set ", key.name, "=...")
                       : concat(what, ": its keys are set in the file, or by --set ", key.name, ".KEY=...");
}

/// Returns the argument that the command takes without a name where other commands take an option: "--model" of `eval`,
/// "--output" of `encode`.
std::string text_of_positional(const std::string& word, const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    std::string name = option->get_name();
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (word == name || word == name + "put")
      return concat("; it is given without a name: gausscse ", command.get_name(), " ... ", option->get_name());
  }
  return {};
}

std::string unknown_argument(const CLI::App& app, const CLI::App* command, const std::string& argument) {
  if (!argument.starts_with('-')) return concat("unexpected argument ", quoted(argument));
  const std::string name = argument.substr(0, argument.find('='));
  const std::string word = name.substr(std::min(name.size(), name.find_first_not_of('-')));
  const std::string unknown = concat("unknown option ", quoted(name));
  if (command && word == "format" && command->get_option_no_throw("--json"))
    return unknown + ": JSON is written by --json FILE, where - is standard output";
  const bool has_keys = command && (command->get_name() == "train" || command->get_name() == "run");
  if (has_keys)
    if (const std::optional<MeantKey> key = key_of_word(word)) return unknown + text_of_key(*key, *command);
  if (command)
    if (const std::string positional = text_of_positional(word, *command); !positional.empty())
      return unknown + positional;
  if (const std::string nearest = nearest_name(name, options_of(app, command)); !nearest.empty())
    return unknown + nearest;
  if (has_keys)
    if (const std::optional<MeantKey> key = nearest_key(word)) return unknown + text_of_key(*key, *command);
  const bool is_train = command && command->get_name() == "train";
  return unknown +
         (is_train ? "; keys of the trial are set by --set KEY=VALUE (gausscse train --keys lists them)" : "");
}

/// Returns advice for a --json that stands without its file: it takes the next argument, or none.
std::string json_advice(const CLI::App* command, const std::string& problem) {
  const CLI::Option* json = command ? command->get_option_no_throw("--json") : nullptr;
  const bool is_concerned = json && (problem.starts_with("--json") || json->count() > 0);
  return is_concerned ? "; --json takes a file, where - is standard output" : "";
}

}  // namespace

std::string command_line_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> parsed = app.get_subcommands();
  const CLI::App* command = parsed.empty() ? nullptr : parsed.front();
  const std::vector<std::string> remaining = app.remaining(true);
  const std::string help = concat(" (gausscse ", command ? command->get_name() + " " : "", "--help lists all options)");
  if (!command && remaining.empty()) return concat("no command is given; known are ", joined(commands_of(app)));
  if (!command && !remaining.front().starts_with('-')) return unknown_command(app, remaining.front());
  if (!remaining.empty() && error.get_name() != "ValidationError" && error.get_name() != "ConversionError")
    return unknown_argument(app, command, remaining.front()) + help;
  return error.what() + json_advice(command, error.what()) + help;
}

std::string unexpanded_argument(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.starts_with("--") ? argument.find('=') : std::string::npos;
    const std::string path = equals == std::string::npos ? argument : argument.substr(equals + 1);
    if (begins_with_home(path))
      return concat(quoted(path, 200), " was not expanded by a shell: ", shell_path_advice(path));
  }
  return {};
}

}  // namespace gausscse
