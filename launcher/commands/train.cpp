#include <spdlog/spdlog.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "config/trial/trial.hpp"
#include "config/trial/trial_reference.hpp"
#include "dist/group_work.hpp"
#include "launcher/command.hpp"
#include "launcher/command_input.hpp"
#include "launcher/commands/model_options.hpp"
#include "launcher/failure_text.hpp"
#include "launcher/json_option.hpp"
#include "launcher/libtorch_program.hpp"
#include "launcher/process.hpp"
#include "launcher/progress.hpp"
#include "launcher/signal_requests.hpp"
#include "launcher/standard_output.hpp"
#include "model/device/device_memory.hpp"
#include "results/json_report.hpp"
#include "results/result_file.hpp"
#include "results/text_table.hpp"
#include "results/training_reports.hpp"
#include "training/continued_run.hpp"
#include "training/memory_refused.hpp"
#include "training/progress_recorder.hpp"
#include "training/train_trial.hpp"

namespace gausscse {

namespace {

/// Exit codes of signals begin here, as shells have it.
constexpr int signalled = 128;

struct TrainArguments {
  std::string trial;
  std::string continued;
  std::vector<std::string> overrides;
  bool print_config = false;
  bool keys = false;
  bool overwrite = false;
  std::string json;
  std::string progress;
  std::string failure;
  DeviceOptions device;
};

/// Returns the overrides of the trial's keys; --device is another way to set one.
std::vector<std::string> overrides_of(const TrainArguments& arguments) {
  std::vector<std::string> overrides = arguments.overrides;
  if (!arguments.device.device.empty()) overrides.push_back("device=" + arguments.device.device);
  return overrides;
}

/// Returns the trial `of_earlier_run` with the overrides, whose paths start from the working folder.
Trial continued_trial(const TrainArguments& arguments, const std::string& of_earlier_run) {
  return parse_trial(of_earlier_run, concat("the trial of ", arguments.continued), std::filesystem::current_path(),
                     overrides_of(arguments));
}

/// Returns the continued trial, read by rank 0 alone, which may be the only one to have the earlier run. Collective.
Trial continued_trial_of_ranks(const TrainArguments& arguments, ControlGroup& ranks) {
  std::string text;
  run_on_root(ranks, [&] { text = trial_of_run(arguments.continued); });
  return continued_trial(arguments, ranks.all_gather_text(text).front());
}

/// Trains. `kind_of_input` always names the subject of an InputError: the trial, or, while ranks and their devices are
/// looked for, the machine.
int run_train(const TrainArguments& arguments, const CommonOptions& common, ErrorKind& kind_of_input) {
  if ((arguments.print_config || arguments.keys) && !is_first_process()) return 0;
  if (arguments.keys) {
    print_answer(trial_keys_text());
    return 0;
  }
  std::optional<Trial> given;
  if (!arguments.trial.empty())
    given = read_trial(arguments.trial, overrides_of(arguments));
  else if (arguments.print_config)
    given = continued_trial(arguments, trial_of_run(arguments.continued));
  if (arguments.print_config) {
    print_answer(to_yaml(*given));
    return 0;
  }
  // First of all: a signal while LibTorch is loaded or MPI starts is not lost.
  SignalRequests::hold();
  continue_with_libtorch(common.process.command_line);
  SignalRequests requests;
  kind_of_input = ErrorKind::system;
  Process process(common.process);
  MonitoredCommunicator& communicator = process.communicator();
  start_log(communicator, common.verbosity());
  spdlog::info("{} ({}), {} each", counted(communicator.size(), "rank"), communicator.name(),
               counted(static_cast<std::int64_t>(process.threads()), "thread"));
  if (!given) {
    kind_of_input = ErrorKind::input;
    given = continued_trial_of_ranks(arguments, communicator);
    kind_of_input = ErrorKind::system;
  }
  const Trial& trial = *given;
  const ComputeDevice device =
      process.choose_device({.choice = device_of(trial), .share_gpu = arguments.device.share_gpu, .collectives = true});
  kind_of_input = ErrorKind::input;
  Progress progress(communicator.is_root() && !common.quiet, is_drawing_terminal(STDERR_FILENO));
  ProgressRecorder recorder(progress, communicator.is_root() ? arguments.progress : "");
  std::optional<ProgressRenewal> renewal;
  if (communicator.is_root() && !arguments.progress.empty()) renewal.emplace(recorder);
  RunResult result;
  try {
    result = train_trial(trial,
                         {.threads = process.threads(),
                          .device = device.device,
                          .overwrite = arguments.overwrite,
                          .provenance = process.provenance(),
                          .continued = arguments.continued,
                          .trial_file = arguments.trial,
                          .files = {{"--json", arguments.json, check_report_of_run},
                                    {"--progress", arguments.progress, check_progress_file},
                                    {"--failure", arguments.failure, check_error_report_file}}},
                         communicator, recorder, requests);
  } catch (const TrainingStopped& stopped) {
    if (communicator.is_root()) progress.on_warning(stopped.what());
    return signalled + SignalRequests::stop_signal();
  }
  if (!communicator.is_root()) return 0;
  spdlog::debug("collectives: {}", counts_text(communicator.counts()));
  const StateResult& kept = kept_state(result);
  if (!is_standard_output(arguments.json)) print_text(measurement_table(kept));
  if (!arguments.json.empty()) write_report(arguments.json, json_report(kept));
  spdlog::info("the result is in {}", trial.output.string());
  return 0;
}

ErrorKind kind_of(const std::exception& error, ErrorKind kind_of_input) {
  if (dynamic_cast<const InputError*>(&error)) return kind_of_input;
  if (dynamic_cast<const WriteError*>(&error)) return ErrorKind::write;
  if (dynamic_cast<const MemoryRefused*>(&error) || ops::is_memory_refused(error)) return ErrorKind::memory;
  return dynamic_cast<const std::logic_error*>(&error) ? ErrorKind::internal : ErrorKind::system;
}

/// Leaves the report of an error that ends the training.
int run_reported(const TrainArguments& arguments, const CommonOptions& common) {
  ErrorKind kind_of_input = ErrorKind::input;
  try {
    return with_advice_on_bad_lines("to skip bad lines and count them, set data.bad_lines: skip",
                                    [&] { return run_train(arguments, common, kind_of_input); });
  } catch (const std::exception& error) {
    if (!arguments.failure.empty())
      write_error_report(arguments.failure, {kind_of(error, kind_of_input), failure_text(error, "train")});
    throw;
  }
}

}  // namespace

void add_train_command(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<TrainArguments>();
  CLI::App* command =
      app.add_subcommand("train", "train a model from a trial file, and measure it next to its backbone");
  command->add_option("TRIAL", arguments->trial, "trial file (YAML)");
  command
      ->add_option("--set", arguments->overrides,
                   "override a key of the file (repeatable): --set training.batch_size=512")
      ->take_all()
      ->expected(1);
  command
      ->add_option("--continue", arguments->continued,
                   "train on from the last checkpoint in this output folder of an earlier run, into another `output`: "
                   "with its trial if TRIAL is not given; docs/reliability.md lists the keys that may change")
      ->type_name("RUN");
  add_device_options(*command, arguments->device,
                     "device of the ranks; overrides the trial's key, like --set device=...");
  command->add_flag("--print-config", arguments->print_config, "print the trial with all defaults, and stop");
  command->add_flag("--keys", arguments->keys, "print every key of a trial with values, default and meaning, and stop");
  command->add_flag("--overwrite", arguments->overwrite, "replace the result in the output folder");
  add_json_option(*command, arguments->json);
  command->add_option("--progress", arguments->progress, "write progress as JSON to this file, at most once a second");
  command->add_option("--failure", arguments->failure,
                      "write the error that ends the training, and its kind, as JSON to this file");
  command->callback([arguments, &action] {
    if (arguments->trial.empty() && arguments->continued.empty() && !arguments->keys) throw CLI::RequiredError("TRIAL");
    action = [arguments](const CommonOptions& common) { return run_reported(*arguments, common); };
  });
}

}  // namespace gausscse
