#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/user_paths.hpp"
#include "launcher/command.hpp"
#include "launcher/standard_output.hpp"

namespace gausscse {

namespace {

constexpr const char *bash = "bash", *zsh = "zsh";

/// Returns the options of a command (null: none) and of the program, with their dashes and blanks between them.
std::string options_of_command(const CLI::App& app, const CLI::App* command) {
  std::string options;
  for (const CLI::App* each : {command, &app}) {
    if (!each) continue;
    for (const CLI::Option* option : each->get_options())
      for (const std::string& name : option->get_lnames())
        if (each == command || !command || name != "help") options += concat(options.empty() ? "" : " ", "--", name);
  }
  return options;
}

std::vector<const CLI::App*> commands_of_program(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

/// Returns "train|eval|encode" for a blank or a bar as `separator`.
std::string names_of_commands(const CLI::App& app, const char* separator) {
  std::string names;
  for (const CLI::App* command : commands_of_program(app))
    names += concat(names.empty() ? "" : separator, command->get_name());
  return names;
}

/// Returns a branch of a shell's `case` for each command.
std::string branches(const CLI::App& app, const char* begin, const char* end) {
  std::string text;
  for (const CLI::App* command : commands_of_program(app))
    text += concat("    ", command->get_name(), ") options=", begin, options_of_command(app, command), end, " ;;\n");
  return text;
}

std::string bash_completion(const CLI::App& app) {
  return concat(
      "# Completion of gausscse in bash, as `gausscse completion bash` prints it.\n"
      "_gausscse() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} command= options= word\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    case $word in ",
      names_of_commands(app, "|"),
      ") command=$word; break ;; esac\n"
      "  done\n"
      "  COMPREPLY=()\n"
      "  # Files are completed where there is no option.\n"
      "  if [[ $command && $current != -* ]]; then return; fi\n"
      "  case $command in\n",
      branches(app, "\"", "\""), "    *) options=\"", names_of_commands(app, " "), " ",
      options_of_command(app, nullptr),
      "\" ;;\n"
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
      "}\n"
      "complete -o bashdefault -o default -F _gausscse gausscse\n");
}

std::string zsh_completion(const CLI::App& app) {
  std::string described;
  for (const CLI::App* command : commands_of_program(app))
    described += concat("    ", shell_word(concat(command->get_name(), ":", command->get_description())), "\n");
  return concat(
      "#compdef gausscse\n"
      "# Completion of gausscse in zsh, as `gausscse completion zsh` prints it.\n"
      "_gausscse() {\n"
      "  local -a commands options\n"
      "  local command= word\n"
      "  commands=(\n",
      described,
      "  )\n"
      "  for word in ${words[2,CURRENT-1]}; do\n"
      "    case $word in ",
      names_of_commands(app, "|"),
      ") command=$word; break ;; esac\n"
      "  done\n"
      "  case $command in\n",
      branches(app, "(", ")"), "    *) options=(", options_of_command(app, nullptr),
      ") ;;\n"
      "  esac\n"
      "  if [[ $PREFIX == -* ]]; then compadd -- $options\n"
      "  elif [[ -z $command ]]; then _describe command commands\n"
      "  else _files; fi\n"
      "}\n"
      "if [[ $funcstack[1] == _gausscse ]]; then _gausscse \"$@\"; else compdef _gausscse gausscse; fi\n");
}

}  // namespace

void add_completion_command(CLI::App& app, Action& action) {
  const auto print = [&app](const std::string& shell, const CommonOptions&) {
    if (is_first_process()) print_answer(shell == bash ? bash_completion(app) : zsh_completion(app));
    return 0;
  };
  const auto [command, shell] = add_command<std::string>(
      app, action, "completion", "print a script with which a shell completes commands and options", print);
  command->add_option("SHELL", *shell, "shell: bash or zsh")->required()->check(CLI::IsMember({bash, zsh}));
}

}  // namespace gausscse
