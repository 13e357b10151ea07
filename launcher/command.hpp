#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "launcher/log.hpp"
#include "launcher/process.hpp"

namespace gausscse {

/// Flags that every subcommand has.
struct CommonOptions {
  bool verbose = false;
  bool quiet = false;
  ProcessOptions process;

  Verbosity verbosity() const { return quiet ? Verbosity::errors : verbose ? Verbosity::details : Verbosity::notes; }
};

/// Returns a check that an option's value is one of `words`. Help and completion show the words; a value that is none
/// of them is refused with the nearest.
///
///     command->add_option("--format", arguments->format, "form")->check(one_of(words_of<TableFormat>()));
inline CLI::Validator one_of(std::vector<std::string> words) {
  const std::string list = CLI::detail::join(words);
  return {[words = std::move(words)](std::string& text) {
            if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
            return concat(quoted(text), " is not known", nearest_name(text, words),
                          " (known: ", CLI::detail::join(words, ", "), ")");
          },
          concat("{", list, "}")};
}

/// Function that does the work of the chosen subcommand; called once the command line is parsed. Returns the program's
/// exit code.
using Action = std::function<int(const CommonOptions&)>;

/// Adds the subcommand `name`. Its options write to the arguments that are returned; when it is chosen, `action` calls
/// run(arguments, common):
///
///     const auto [command, arguments] = add_command<ShowArguments>(app, action, "show", "print ...", run_show);
///     command->add_option("PATH", arguments->path, "...")->required();
template <typename Arguments, typename Run>
std::pair<CLI::App*, Arguments*> add_command(CLI::App& app, Action& action, const std::string& name,
                                             const std::string& description, Run run) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(name, description);
  command->callback([arguments, run, &action] {
    action = [arguments, run](const CommonOptions& common) { return run(*arguments, common); };
  });
  return {command, arguments.get()};
}

/// Returns a check that a number is from `lowest` to `highest`. CLI::Range alone takes a NaN.
inline CLI::Validator number_in(double lowest, double highest) {
  const auto is_number = [](const std::string& text) {
    return std::isnan(std::strtod(text.c_str(), nullptr)) ? quoted(text) + " is no number" : std::string();
  };
  return CLI::Range(lowest, highest) & CLI::Validator(is_number, "");
}

// Each adds one subcommand to `app`, which sets `action` when it is chosen.
void add_train_command(CLI::App& app, Action& action);
void add_init_command(CLI::App& app, Action& action);
void add_eval_command(CLI::App& app, Action& action);
void add_encode_command(CLI::App& app, Action& action);
void add_apply_command(CLI::App& app, Action& action);
void add_export_command(CLI::App& app, Action& action);
void add_score_command(CLI::App& app, Action& action);
void add_search_command(CLI::App& app, Action& action);
void add_similarity_command(CLI::App& app, Action& action);
void add_geometry_command(CLI::App& app, Action& action);
void add_lengths_command(CLI::App& app, Action& action);
void add_tokenize_command(CLI::App& app, Action& action);
void add_split_command(CLI::App& app, Action& action);
void add_generate_command(CLI::App& app, Action& action);
void add_doctor_command(CLI::App& app, Action& action);
/// Completes the commands and options of `app`, all of them added before it prints.
void add_completion_command(CLI::App& app, Action& action);

/// Check of a result file that a user named. Returns a warning or an empty text; throws InputError where the file was
/// changed.
using ResultCheck = std::function<std::string(const std::filesystem::path& result)>;
void add_show_command(CLI::App& app, Action& action, const ResultCheck& check);

/// Adds the commands on studies: run, status, tables, report, compare and index. Does nothing in a build without
/// studies.
void add_study_commands(CLI::App& app, Action& action);
/// Returns the check of a result file that may be a study's, whose record is next to it then. In a build without
/// studies it accepts every file.
ResultCheck result_check_of_studies();

}  // namespace gausscse
