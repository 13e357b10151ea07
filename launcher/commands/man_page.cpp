#include "launcher/commands/man_page.hpp"

#include "base/error.hpp"
#include "launcher/command_help.hpp"
#include "launcher/version.hpp"

namespace gausscse {

namespace {

/// Returns `text` for troff: a backslash, a dash, and a point or an apostrophe at the start of a line mean themselves.
std::string troff(std::string_view text) {
  std::string written;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (written.empty() || written.back() == '\n')) written += "\\&";
    written += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  }
  return written;
}

/// Returns "--top INT" and the meaning below it, as an item of a list; the type without its values and bounds.
std::string item_of_option(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const bool takes_value = option.get_items_expected_max() > 0;
  const std::string value = !takes_value || option.get_positional() ? "" : " " + type.substr(0, type.find(':'));
  const std::size_t bounds = type.find(':');
  const std::string default_value = option.get_default_str();
  return concat(".TP\n.B ", troff(option.get_name(option.get_positional(), true) + value), "\n",
                troff(option.get_description()),
                bounds == std::string::npos ? "" : troff(concat(" (", type.substr(bounds + 1), ")")),
                default_value.empty() ? "" : troff(concat(" [default: ", default_value, "]")), "\n");
}

std::string options_of(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : command.get_options())
    if (!option->check_lname("help")) text += item_of_option(*option);
  return text;
}

std::string section_of(const CLI::App& command) {
  const CommandHelp& help = *help_of_command(command.get_name());
  std::string text =
      concat(".SS \"gausscse ", command.get_name(), "\"\n", troff(command.get_description()), ".\n",
             options_of(command), ".PP\n", help.examples.size() == 1 ? "Example:" : "Examples:", "\n.RS\n.nf\n");
  for (const std::string_view example : help.examples) text += troff(example) + "\n";
  return text + concat(".fi\n.RE\n.PP\nMore: docs/", troff(help.page), "\n");
}

}  // namespace

std::string man_page(const CLI::App& app) {
  std::string text =
      concat(".TH GAUSSCSE 1 \"\" \"gausscse ", version(),
             "\" \"User Commands\"\n.SH NAME\ngausscse \\- train and use sentence encoders whose "
             "embeddings are Gaussian distributions\n.SH SYNOPSIS\n.B gausscse\nCOMMAND [OPTIONS]\n"
             ".SH DESCRIPTION\n",
             troff(app.get_footer()), "\n.SH OPTIONS\nEvery command has these.\n", options_of(app), ".SH COMMANDS\n");
  for (const CLI::App* command : app.get_subcommands(nullptr)) text += section_of(*command);
  return text +
         ".SH EXIT STATUS\n"
         "0: success. 1: the machine failed, or trials of a run failed or remain. 2: something to correct first (a "
         "file, a setting, a full\n"
         "disk, a loss that is not finite, a problem that doctor finds). 3: the machine caused too many failures of a "
         "run in a row.\n"
         "128 + N: signal N stopped a train or run; the same command continues it. The error message contains a "
         "remedy.\n"
         ".SH ENVIRONMENT\n"
         "GAUSSCSE_CACHE names the folder of files that can be made again (tokenised corpora, hashes of files); "
         "default: ~/.cache/gausscse.\n"
         "share/doc/gausscse/docs/building.md lists all variables.\n"
         ".SH FILES\n"
         "Next to the folder bin of the program are share/gausscse/examples (trial files), share/gausscse/manifests "
         "(studies),\n"
         "share/gausscse/slurm (job scripts) and share/doc/gausscse (documentation of keys and results).\n";
}

}  // namespace gausscse
