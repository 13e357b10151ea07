#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "dist/collective_rates.hpp"
#include "launcher/command.hpp"
#include "launcher/commands/device_options.hpp"
#include "launcher/doctor_report.hpp"
#include "launcher/gpu_report.hpp"
#include "launcher/log.hpp"
#include "launcher/process.hpp"
#include "launcher/rank_report.hpp"
#include "launcher/standard_output.hpp"

namespace gausscse {

namespace {

constexpr std::int64_t elements = std::int64_t{16} << 20;  // about a small encoder's parameters
/// Exit code of rank 0, like that of other things the user can put right.
constexpr int problems_found = 2;

void tell_rates(Communicator& communicator, at::Device device) {
  if (communicator.size() == 1) {
    print_answer("collectives: none, as there is one rank; start doctor by mpirun or srun to measure them\n");
    return;
  }
  const std::vector<CollectiveRate> rates = measure_collectives(communicator, device, elements);
  if (!communicator.is_root()) return;
  print_answer(concat("collectives on ", c10::DeviceTypeName(device.type(), /*lower_case=*/true), ", ",
                      communicator.size(), " ranks (", communicator.name(), "), ", elements * 4 >> 20, " MiB:\n",
                      to_text(rates)));
}

/// Prints the rates of tensors on the GPUs that ranks compute on, where they do.
void tell_rates_of_gpus(Process& process, const DeviceRequest& request) {
  at::Device device = at::kCPU;
  try {
    DeviceRequest with_collectives = request;
    with_collectives.collectives = true;
    device = process.choose_device(with_collectives).device;
  } catch (const InputError&) {
    return;  // printed with the ranks already
  }
  if (device.is_cuda()) tell_rates(process.communicator(), device);
}

/// Prints rank by rank what there is, and what is wrong with it. Returns the number of problems.
std::size_t tell_ranks(const std::vector<RankReport>& ranks, const DeviceRequest& request) {
  std::vector<std::string> problems = findings(ranks);
  std::vector<RankGpus> gpus;
  for (const RankReport& rank : ranks) gpus.push_back({rank.host, rank.gpus});
  std::vector<ComputeDevice> devices;
  try {
    devices = choose_devices(request, gpus);
  } catch (const InputError& error) {
    problems.emplace_back(error.what());
  }
  std::string text = ranks_text(ranks, devices) + gpu_report(gpus, devices);
  for (const std::string& problem : problems) text += concat("problem: ", problem, "\n");
  print_answer(text);
  return problems.size();
}

int run_doctor(const DeviceOptions& device, const CommonOptions& common) {
  ProcessOptions options = common.process;
  options.refuse_unjoined = false;
  Process process(options);
  MonitoredCommunicator& communicator = process.communicator();
  start_log(communicator, common.verbosity());
  RankReport own = report_of(process.provenance(), communicator, static_cast<std::int64_t>(process.threads()),
                             process.mpi_thread_level());
  own.start_note = process.note();
  std::vector<RankReport> ranks;
  for (const std::string& text : communicator.all_gather_text(to_text(own))) ranks.push_back(parse_report(text));
  // Problems are printed before anything is measured: with some of them, measuring fails or does not end.
  const std::size_t problems = communicator.is_root() ? tell_ranks(ranks, device.request()) : 0;
  tell_rates(communicator, at::kCPU);
  tell_rates_of_gpus(process, device.request());
  if (problems > 0) return problems_found;
  if (communicator.is_root()) print_answer("no problem found\n");
  return 0;
}

}  // namespace

void add_doctor_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("doctor", "print what each rank sees, measure the collectives, and report problems");
  auto device = std::make_shared<DeviceOptions>();
  add_device_options(*command, *device);
  command->callback(
      [device, &action] { action = [device](const CommonOptions& common) { return run_doctor(*device, common); }; });
}

}  // namespace gausscse
