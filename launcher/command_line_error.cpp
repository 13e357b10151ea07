#include "launcher/command_line_error.hpp"

#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/shell_path.hpp"

namespace gausscse {

namespace {

/// What people give as a command elsewhere.
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

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// The options of both, with their dashes.
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
  return concat("unknown command ", quoted(word), nearest.empty() ? "; known are " + listed(names) : nearest);
}

std::string unknown_argument(const CLI::App& app, const CLI::App* command, const std::string& argument) {
  if (!argument.starts_with('-')) return concat("unexpected argument ", quoted(argument));
  const std::string name = argument.substr(0, argument.find('='));
  const std::string nearest = nearest_name(name, options_of(app, command));
  const bool has_keys = command && command->get_name() == "train";
  return concat("unknown option ", quoted(name),
                nearest.empty() && has_keys ? "; keys of the trial are set by --set KEY=VALUE" : nearest);
}

}  // namespace

std::string command_line_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> parsed = app.get_subcommands();
  const CLI::App* command = parsed.empty() ? nullptr : parsed.front();
  const std::vector<std::string> remaining = app.remaining(true);
  const std::string help =
      concat(" (gausscse ", command ? command->get_name() + " " : "", "--help shows what there is)");
  if (!command && remaining.empty()) return concat("no command is given; known are ", listed(commands_of(app)));
  if (!command && !remaining.front().starts_with('-')) return unknown_command(app, remaining.front());
  if (!remaining.empty() && error.get_name() != "ValidationError" && error.get_name() != "ConversionError")
    return unknown_argument(app, command, remaining.front()) + help;
  return error.what() + help;
}

std::string unexpanded_argument(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.starts_with("--") ? argument.find('=') : std::string::npos;
    const std::string path = equals == std::string::npos ? argument : argument.substr(equals + 1);
    if (begins_with_home(path))
      return concat(quoted(path, 200), " is taken as it stands, no shell expanded it: ", shell_path_advice(path));
  }
  return {};
}

}  // namespace gausscse
