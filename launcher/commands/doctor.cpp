#include <string>
#include <vector>

#include "base/error.hpp"
#include "dist/collective_rates.hpp"
#include "dist/group_work.hpp"
#include "launcher/command.hpp"
#include "launcher/commands/model_options.hpp"
#include "launcher/json_option.hpp"
#include "launcher/libtorch_program.hpp"
#include "launcher/log.hpp"
#include "launcher/machine/gpu_report.hpp"
#include "launcher/machine/rank_report.hpp"
#include "launcher/overwrite_option.hpp"
#include "launcher/process.hpp"
#include "launcher/standard_output.hpp"
#include "model/matmul/cpu/block_kernel.hpp"
#include "results/json_report.hpp"

namespace gausscse {

namespace {

struct DoctorArguments {
  DeviceOptions device;
  std::int64_t mebibytes =
      64;  ///< size of the tensors that collectives are measured with; about a small encoder's parameters
  std::string json;
  ExistingFile existing = ExistingFile::refuse;
};

/// Exit code of rank 0, like that of other things the user can put right.
constexpr int problems_found = 2;

/// Prints the parts of doctor's answer as they are found, and keeps them for --json. With "-" nothing but the report is
/// printed, at the end.
class Answer {
 public:
  explicit Answer(const std::string& json) : json_(json) {}

  /// Prints on rank 0 alone, unless standard output has the report.
  void print(const std::string& text) const {
    if (!is_standard_output(json_)) print_text(text);
  }
  void write_report() const {
    if (!json_.empty()) gausscse::write_report(json_, doctor_json(found));
  }

  Diagnosis found;

 private:
  const std::string& json_;
};

void measure_rates(Communicator& communicator, at::Device device, std::int64_t mebibytes, Answer& answer) {
  if (communicator.size() == 1) {
    answer.print("collectives: none, as there is one rank; start doctor by mpirun or srun to measure them\n");
    return;
  }
  const std::int64_t bytes = mebibytes << 20;
  std::vector<CollectiveRate> rates = measure_collectives(communicator, device, bytes / 4);
  if (!communicator.is_root()) return;
  const std::string name = c10::DeviceTypeName(device.type(), /*lower_case=*/true);
  answer.print(concat("collectives on ", name, ", ", communicator.size(), " ranks (", communicator.name(), "), ",
                      mebibytes, " MiB:\n", to_text(rates)));
  answer.found.collectives.push_back({name, communicator.name(), bytes, std::move(rates)});
}

/// Measures collectives of tensors on the GPUs that ranks compute on, where they do.
void measure_rates_of_gpus(Process& process, const DeviceRequest& request, std::int64_t mebibytes, Answer& answer) {
  at::Device device = at::kCPU;
  try {
    DeviceRequest with_collectives = request;
    with_collectives.collectives = true;
    device = process.choose_device(with_collectives).device;
  } catch (const InputError&) {
    return;  // it is among the problems already
  }
  if (device.is_cuda()) measure_rates(process.communicator(), device, mebibytes, answer);
}

/// Prints the ranks, their GPUs and the problems.
void print_ranks(const DeviceRequest& request, Answer& answer) {
  Diagnosis& found = answer.found;
  found.problems = findings(found.ranks);
  std::vector<RankGpus> gpus;
  for (const RankReport& rank : found.ranks) gpus.push_back({rank.host, rank.gpus});
  try {
    found.devices = choose_devices(request, gpus);
  } catch (const InputError& error) {
    found.problems.emplace_back(error.what());
  }
  std::string text = ranks_text(found.ranks, found.devices) + gpu_report(gpus, found.devices);
  for (const std::string& problem : found.problems) text += concat("problem: ", problem, "\n");
  answer.print(text);
}

int run_doctor(const DoctorArguments& arguments, const CommonOptions& common) {
  continue_with_libtorch(common.process.command_line);
  const DeviceOptions& device = arguments.device;
  const std::string& json = arguments.json;
  ProcessOptions options = common.process;
  options.refuse_unjoined = false;
  Process process(options);
  MonitoredCommunicator& communicator = process.communicator();
  start_log(communicator, common.verbosity());
  run_on_root(communicator, [&] { check_report_file(json, {}, arguments.existing); });
  RankReport own = report_of(process.provenance(), communicator, static_cast<std::int64_t>(process.threads()),
                             process.mpi_thread_level());
  own.start_note = process.note();
  own.bfloat16_kernel = block_matmul::block_kernel().description;
  Answer answer(json);
  for (const std::string& text : communicator.all_gather_text(to_text(own)))
    answer.found.ranks.push_back(parse_report(text));
  // Problems are printed before anything is measured: with some of them, measuring fails or does not end.
  if (communicator.is_root()) print_ranks(device.request(), answer);
  measure_rates(communicator, at::kCPU, arguments.mebibytes, answer);
  measure_rates_of_gpus(process, device.request(), arguments.mebibytes, answer);
  if (!communicator.is_root()) return 0;
  const bool in_order = answer.found.problems.empty();
  if (in_order) answer.print("no problem found\n");
  answer.write_report();
  return in_order ? 0 : problems_found;
}

}  // namespace

void add_doctor_command(CLI::App& app, Action& action) {
  const auto [command, arguments] = add_command<DoctorArguments>(
      app, action, "doctor", "print what each rank sees, measure the collectives, and report problems", run_doctor);
  add_device_options(*command, arguments->device);
  command->add_option("--size", arguments->mebibytes, "MiB of the tensors that collectives are measured with")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  add_json_option(*command, arguments->json, "the findings");
  add_overwrite_option(*command, arguments->existing, "the file of --json");
}

}  // namespace gausscse
