#include "launcher/process.hpp"

#include <ATen/Parallel.h>
#include <H5public.h>
#include <spdlog/spdlog.h>
#include <torch/version.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <future>
#include <string_view>
#include <thread>

#include "base/error.hpp"
#include "base/process.hpp"
#include "dist/group_work.hpp"
#include "dist/nccl/collectives.hpp"
#include "dist/staged/collectives.hpp"
#include "launcher/machine/cores.hpp"
#include "launcher/machine/gpus.hpp"
#include "launcher/version.hpp"
#include "model/kernels/kernels.hpp"
#include "model/matmul/cpu/bfloat16_instructions.hpp"

namespace gausscse {

namespace {

constexpr bool has_libtorch = !std::string_view(TORCH_VERSION).empty();

/// Returns the number of tasks that srun started together, of which this process is one; 1 under mpirun, whose own
/// daemons srun starts.
int tasks_of_slurm_step() {
  const char* tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  return tasks && !std::getenv("OMPI_COMM_WORLD_SIZE") ? std::atoi(tasks) : 1;
}

/// Names the processes that a launcher started next to this one without joining them.
std::string text_of(const Siblings& others, int joined) {
  const std::string how =
      concat("environment: ", others.variable, "=", others.processes, " says that ", others.launcher, " started ",
             others.processes, " processes, but ", MpiSession::library_version(), " joins ", joined, " of them");
  if (!others.is_certain) return concat(how, ": unset ", others.variable, ", unless you mean each to work by itself");
  return concat(how,
                ": each would work by itself and write to the same output; start it with Open MPI's mpirun, or with "
                "srun --mpi=pmix");
}

/// Returns the threads of this rank where the user names none.
std::size_t default_threads(ControlGroup& ranks, const std::vector<std::string>& hosts) {
  const std::vector<int> cores = allowed_cores();
  const std::size_t count = cores.empty() ? std::max(1u, std::thread::hardware_concurrency()) : cores.size();
  return share_of_cores(hosts, ranks.all_gather_text(ranges_of(cores)), static_cast<std::size_t>(ranks.rank()), count);
}

/// Throws std::system_error where the system does not start `count` threads at once, as under a limit on address space:
/// LibTorch would wait for ever for those that it does not get, and OpenMP would end the process.
void check_that_threads_start(std::size_t count) {
  std::vector<std::thread> threads;
  threads.reserve(count);
  std::promise<void> all_there;
  const std::shared_future<void> end = all_there.get_future().share();
  const auto end_all = [&] {
    all_there.set_value();
    for (std::thread& thread : threads) thread.join();
  };
  try {
    while (threads.size() < count) threads.emplace_back([end] { end.wait(); });
  } catch (...) {
    end_all();
    throw;
  }
  end_all();
}

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return concat(major, ".", minor, ".", release);
}

Provenance provenance_of(ControlGroup& ranks) {
  Provenance provenance;
  provenance.version = version();
  provenance.commit = commit();
  if (has_libtorch) provenance.libraries.emplace_back("libtorch", TORCH_VERSION);
  provenance.libraries.emplace_back("hdf5", hdf5_version());
  provenance.libraries.emplace_back("mpi", MpiSession::library_version());
  if (const std::string nccl = nccl_version(); !nccl.empty()) provenance.libraries.emplace_back("nccl", nccl);
  provenance.hosts = ranks.all_gather_text(host_name());
  provenance.instruction_sets = ranks.all_gather_text(kernels::kernel_table<float>().instruction_set);
  provenance.bfloat16_instructions = ranks.all_gather_text(name_of(bfloat16_instructions()));
  return provenance;
}

}  // namespace

bool is_first_process() {
  if (const std::optional<int> rank = rank_in_environment()) return *rank == 0;
  const char* number = std::getenv("SLURM_PROCID");
  return tasks_of_slurm_step() == 1 || !number || std::atoi(number) == 0;
}

void connect_devices(MonitoredCommunicator& communicator, const DeviceRequest& request, const ComputeDevice& own,
                     double timeout) {
  if (!request.collectives || !own.device.is_cuda() || communicator.size() == 1) return;
  communicator.replace_collectives([&](ControlGroup& ranks, std::unique_ptr<Collectives> host) {
    return own.gpus_are_shared ? make_staged_collectives(std::move(host))
                               : make_nccl_collectives(ranks, std::move(host), own.device, timeout);
  });
}

Process::Process(const ProcessOptions& options) : timeout_(options.timeout) {
  if (rank_in_environment()) {
    mpi_.emplace(options.timeout);
    undo_default_binding();
    communicator_ = mpi_->communicator(options.check_collectives);
  } else {
    communicator_ = std::make_unique<MonitoredCommunicator>(make_self_control_group(), make_self_collectives(), nullptr,
                                                            options.check_collectives);
  }
  if (const std::optional<Siblings> others = siblings_not_joined(communicator_->size())) {
    note_ = text_of(*others, communicator_->size());
    if (others->is_certain && options.refuse_unjoined) throw InputError(note_);
  }
  check_agreement(*communicator_, "the program", concat("gausscse ", version_and_commit()));
  provenance_ = provenance_of(*communicator_);
  const std::size_t by_default = default_threads(*communicator_, provenance_.hosts);
  threads_ = options.threads > 0 ? options.threads : by_default;
  // LibTorch starts its own pool next to that of OpenMP.
  check_that_threads_start(has_libtorch ? 2 * threads_ : threads_);
  at::set_num_threads(static_cast<int>(threads_));
}

Process::~Process() {
  if (!mpi_) return;
  // As with the session: taking leave of the other ranks must not run where they know nothing of an error.
  if (std::uncaught_exceptions() > 0) {
    static_cast<void>(communicator_.release());
    return;
  }
  try {
    communicator_->wait_for_end();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gausscse: error on rank %d: %s\n", communicator_->rank(), error.what());
    MpiSession::abort_all_ranks(1);
  }
}

ComputeDevice Process::choose_device(const DeviceRequest& request) {
  if (!note_.empty()) spdlog::warn(note_);
  // Cores need no driver.
  const GpuInventory inventory = request.choice == setting::Device::cpu ? GpuInventory() : look_for_gpus();
  const auto rank = static_cast<std::size_t>(communicator_->rank());
  ComputeDevice chosen = gausscse::choose_device(request, {provenance_.hosts[rank], inventory}, *communicator_);
  provenance_.devices = communicator_->all_gather_text(chosen.name);
  if (!chosen.note.empty()) spdlog::info(chosen.note);
  if (chosen.device.is_cuda()) {
    use_gpu(chosen.device.index());
    connect_devices(*communicator_, request, chosen, timeout_);
    spdlog::info("rank 0 computes on {}{}; collectives by {}", chosen.name,
                 chosen.gpus_are_shared ? ", which ranks share" : "", communicator_->name());
  }
  return chosen;
}

std::string Process::mpi_thread_level() const {
  return mpi_ ? mpi_->thread_level() : "none";
}

}  // namespace gausscse
