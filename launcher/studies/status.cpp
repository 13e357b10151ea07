#include <string>

#include "base/error.hpp"
#include "experiments/status/study_status.hpp"
#include "launcher/json_option.hpp"
#include "launcher/overwrite_option.hpp"
#include "launcher/studies/study_commands.hpp"
#include "results/json_report.hpp"

namespace gausscse {

namespace {

struct StatusArguments {
  std::string results, json;
  ExistingFile existing = ExistingFile::refuse;
};

int run_status(const StatusArguments& arguments, const CommonOptions&) {
  if (!is_first_process()) return 0;
  const StudyResults study = read_study(arguments.results);
  check_report_file(arguments.json, {}, arguments.existing);
  print_with_report(status_text(study), status_json(study), arguments.json);
  return warn_of_damaged_files(study);
}

}  // namespace

void add_status_command(CLI::App& app, Action& action) {
  const auto [command, arguments] =
      add_command<StatusArguments>(app, action, "status", "print the state of a study's trials", run_status);
  command->add_option("RESULTS", arguments->results, "results folder of `gausscse run`")->required();
  add_json_option(*command, arguments->json, "the states");
  add_overwrite_option(*command, arguments->existing, "the file of --json");
}

}  // namespace gausscse
