#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/user_paths.hpp"
#include "config/trial/trial_keys.hpp"
#include "launcher/command.hpp"
#include "launcher/commands/man_page.hpp"
#include "launcher/standard_output.hpp"

namespace gausscse {

namespace {

constexpr const char *bash = "bash", *zsh = "zsh", *fish = "fish", *man = "man";

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

/// Returns "training.seed= training.batch_size= ...", which `--set` takes.
std::string keys_of_trial() {
  std::string keys;
  for (const Key<Trial>& key : trial_keys())
    if (!key.holds_names) keys += concat(keys.empty() ? "" : " ", key.name, "=");
  return keys;
}

/// Returns the values that an option takes, with blanks between them: those of `one_of`, which its type shows as
/// "TEXT:{auto,cpu,cuda}". Empty where any value may be given.
std::string values_of_option(const CLI::Option& option) {
  if (option.check_lname("set")) return keys_of_trial();
  std::string type = option.get_type_name();
  const std::size_t begin = type.find(":{"), end = type.find('}', begin);
  if (end == std::string::npos) return {};
  type = type.substr(begin + 2, end - begin - 2);
  std::replace(type.begin(), type.end(), ',', ' ');
  return type;
}

/// Returns a branch of a shell's `case` on "COMMAND/WORD" for each word behind which only some values may stand: an
/// option, or the command itself, if its first argument takes such values.
std::string value_branches(const CLI::App& app, const char* begin, const char* end) {
  std::string text;
  for (const CLI::App* command : commands_of_program(app)) {
    bool is_first = true;
    for (const CLI::Option* option : command->get_options()) {
      const std::vector<std::string> names = option->get_lnames();
      const bool follows_command = option->get_positional() && std::exchange(is_first, false);
      const std::string values = values_of_option(*option);
      if (values.empty() || (names.empty() && !follows_command)) continue;
      text += concat("    ", command->get_name(), "/", names.empty() ? command->get_name() : "--" + names.front(),
                     ") values=", begin, values, end, " ;;\n");
    }
  }
  return text;
}

std::string bash_completion(const CLI::App& app) {
  return concat(
      "# Completion of gausscse in bash, as `gausscse completion bash` prints it.\n"
      "_gausscse() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} command= options= values= word\n"
      "  local -i before=COMP_CWORD-1\n"
      "  # Bash makes three words of --option=value.\n"
      "  if [[ $current == = ]]; then current=; elif [[ ${COMP_WORDS[before]} == = ]]; then before=before-1; fi\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    case $word in ",
      names_of_commands(app, "|"),
      ") command=$word; break ;; esac\n"
      "  done\n"
      "  COMPREPLY=()\n"
      "  case $command/${COMP_WORDS[before]} in\n",
      value_branches(app, "\"", "\""),
      "  esac\n"
      "  if [[ $values ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$values\" -- \"$current\"))\n"
      "    if [[ $values == *= ]]; then compopt -o nospace 2>/dev/null; fi\n"
      "    return\n"
      "  fi\n"
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
      "  local -a commands options values\n"
      "  local command= word before=${words[CURRENT-1]}\n"
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
      "  if [[ $PREFIX == --*=* ]]; then before=${PREFIX%%=*}; compset -P '*='; fi\n"
      "  case $command/$before in\n",
      value_branches(app, "(", ")"),
      "  esac\n"
      "  if [[ $values[1] == *= ]]; then compadd -S '' -- $values\n"
      "  elif (( $#values )); then compadd -- $values\n"
      "  elif [[ $PREFIX == -* ]]; then compadd -- $options\n"
      "  elif [[ -z $command ]]; then _describe command commands\n"
      "  else _files; fi\n"
      "}\n"
      "if [[ $funcstack[1] == _gausscse ]]; then _gausscse \"$@\"; else compdef _gausscse gausscse; fi\n");
}

/// Returns a line of fish for each long name of the option, where `__gausscse_is COMMAND` holds; anywhere without one.
std::string fish_options(const CLI::Option& option, const std::string& command) {
  std::string lines;
  const std::string values = values_of_option(option);
  for (const std::string& name : option.get_lnames())
    lines += concat("complete -c gausscse", command.empty() ? "" : concat(" -n '__gausscse_is ", command, "'"), " -l ",
                    name, option.get_items_expected_max() == 0 ? "" : " -r",
                    values.empty() ? "" : concat(" -f -a ", shell_word(values)), " -d ",
                    shell_word(option.get_description()), "\n");
  return lines;
}

std::string fish_completion(const CLI::App& app) {
  std::string lines;
  for (const CLI::Option* option : app.get_options()) lines += fish_options(*option, "");
  for (const CLI::App* command : commands_of_program(app)) {
    const std::string name = command->get_name();
    lines += concat("complete -c gausscse -n __gausscse_is -f -a ", name, " -d ",
                    shell_word(command->get_description()), "\n");
    bool is_first = true;
    for (const CLI::Option* option : command->get_options()) {
      if (!option->check_lname("help")) lines += fish_options(*option, name);
      const std::string values = values_of_option(*option);
      if (option->get_positional() && std::exchange(is_first, false) && !values.empty())
        lines += concat("complete -c gausscse -n '__gausscse_follows ", name, "' -f -a ", shell_word(values), "\n");
    }
  }
  return concat(
      "# Completion of gausscse in fish, as `gausscse completion fish` prints it.\n"
      "# True if the line has this command; without an argument, if it has none yet.\n"
      "function __gausscse_is\n"
      "  for word in (commandline -opc)\n"
      "    if contains -- $word ",
      names_of_commands(app, " "),
      "\n"
      "      test $word = \"$argv\"\n"
      "      return\n"
      "    end\n"
      "  end\n"
      "  test -z \"$argv\"\n"
      "end\n"
      "function __gausscse_follows\n"
      "  test (commandline -opc)[-1] = $argv[1]\n"
      "end\n",
      lines);
}

std::string script_of(const std::string& form, const CLI::App& app) {
  if (form == bash) return bash_completion(app);
  if (form == zsh) return zsh_completion(app);
  return form == fish ? fish_completion(app) : man_page(app);
}

}  // namespace

void add_completion_command(CLI::App& app, Action& action) {
  const auto print = [&app](const std::string& form, const CommonOptions&) {
    if (is_first_process()) print_answer(script_of(form, app));
    return 0;
  };
  const auto [command, form] = add_command<std::string>(
      app, action, "completion",
      "print a script with which a shell completes commands, options and their values, or the manual page", print);
  command->add_option("FORM", *form, "bash, zsh or fish: script of this shell; man: manual page")
      ->required()
      ->check(one_of({bash, zsh, fish, man}));
}

}  // namespace gausscse
