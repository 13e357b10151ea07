#include <memory>
#include <string>

#include "base/error.hpp"
#include "experiments/grid/study_status.hpp"
#include "launcher/commands/command.hpp"
#include "launcher/commands/damaged_trials.hpp"
#include "launcher/standard_output.hpp"

namespace gausscse {

namespace {

struct StatusArguments {
  std::string results;
  bool json = false;
};

int run_status(const StatusArguments& arguments) {
  if (!is_first_process()) return 0;
  const StudyStatus status = read_status(arguments.results);
  const std::string text = arguments.json ? status_json(status) : status_text(status);
  if (arguments.json)
    print_answer(text);
  else
    print_text(text);
  return warn_of_damaged_files(status.study);
}

}  // namespace

void add_status_command(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<StatusArguments>();
  CLI::App* command = app.add_subcommand("status", "tell where the trials of a study are");
  command->add_option("RESULTS", arguments->results, "results folder of `gausscse run`")->required();
  command->add_flag("--json", arguments->json, "print it as JSON");
  command->callback(
      [arguments, &action] { action = [arguments](const CommonOptions&) { return run_status(*arguments); }; });
}

}  // namespace gausscse
