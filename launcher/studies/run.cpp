#include <spdlog/spdlog.h>

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/claims/claim_content.hpp"
#include "experiments/dry_run/dry_run.hpp"
#include "experiments/status/study_progress.hpp"
#include "experiments/worker/run_study.hpp"
#include "launcher/json_option.hpp"
#include "launcher/log.hpp"
#include "launcher/machine/mps_daemon.hpp"
#include "launcher/overwrite_option.hpp"
#include "launcher/standard_output.hpp"
#include "launcher/studies/study_commands.hpp"
#include "results/json_report.hpp"

namespace gausscse {

namespace {

struct RunArguments {
  StudyRunOptions options;
  bool dry_run = false;
  std::string json;
  ExistingFile existing = ExistingFile::refuse;
};

int show_dry_run(const RunArguments& arguments, const CommonOptions& common) {
  start_worker_log(common.verbosity());
  check_report_file(arguments.json, std::vector<InputPath>{{"MANIFEST", arguments.options.manifest}},
                    arguments.existing);
  const DryRun run = dry_run_of_study(arguments.options, [](const std::string& text) { spdlog::info(text); });
  print_with_report(dry_run_text(run, common.verbose), dry_run_json(run), arguments.json);
  return 0;
}

int run_worker(const StudyRunOptions& options, const CommonOptions& common) {
  // First of all: a signal while the study is planned is not lost.
  const StopSignals stop;
  start_worker_log(common.verbosity());
  StudyProgress progress(!common.quiet, standard_error_output([](const std::string& text) { spdlog::info(text); },
                                                              [](const std::string& text) { spdlog::warn(text); }));
  return run_study(options, stop, progress);
}

int run_study_command(RunArguments arguments, const CommonOptions& common) {
  arguments.options.is_mps_served = is_mps_served();
  return arguments.dry_run ? show_dry_run(arguments, common) : run_worker(arguments.options, common);
}

}  // namespace

void add_run_command(CLI::App& app, Action& action) {
  const auto [command, arguments] = add_command<RunArguments>(
      app, action, "run", "run the trials of a study's manifest; any number of workers may share a results folder",
      &run_study_command);
  StudyRunOptions* options = &arguments->options;
  command->add_option("MANIFEST", options->manifest, "manifest of the study (YAML)")->required();
  command->add_option("--results", options->results, "folder of the study's results")->required();
  command
      ->add_option(
          "--only", options->only,
          "run only trials that match AXIS=LABEL, seed=N or an identity prefix (repeatable; all axes must match)")
      ->take_all()
      ->expected(1);
  command->add_option("--stage", options->stage, "run only trials of this stage");
  command->add_option("--max-trials", options->max_trials, "start at most this many trials")
      ->check(CLI::Range(1, 1'000'000'000));
  command->add_flag("--fail-fast", options->fail_fast, "stop when a trial fails");
  command->add_flag("--retry-failed", options->retry_failed, "run failed trials again");
  command
      ->add_option("--lease", options->lease,
                   "seconds without a renewed claim after which other workers take a trial over")
      ->capture_default_str()
      ->check(number_in(shortest_lease, longest_lease));
  command
      ->add_option("--machine-failures", options->machine_failures,
                   "stop after this many failures in a row that the machine caused (disk, memory, a signal)")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  command
      ->add_option("--silence", options->silence,
                   "kill a training whose log and progress file have not changed for this many seconds")
      ->capture_default_str()
      ->check(number_in(shortest_silence, 1e9));
  command->add_option("--train-program", options->train_program,
                      "program to start as `gausscse train` for each trial (default: this one)");
  CLI::Option* dry_run = command->add_flag(
      "--dry-run", arguments->dry_run,
      "list the remaining trials with their expected cost (with --verbose also the done ones), and stop");
  CLI::Option* json = add_json_option(*command, arguments->json, "what --dry-run lists")->needs(dry_run);
  add_overwrite_option(*command, arguments->existing, "the file of --json")->needs(json);
}

}  // namespace gausscse
