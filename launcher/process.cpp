#include "launcher/process.hpp"

#include <ATen/Parallel.h>
#include <H5public.h>
#include <mpi.h>
#include <torch/version.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <thread>

#include "base/error.hpp"
#include "base/host_name.hpp"
#include "dist/agreement.hpp"
#include "dist/mpi/check.hpp"
#include "dist/mpi/watchdog.hpp"
#include "launcher/cores.hpp"
#include "launcher/version.hpp"

namespace gausscse {

namespace {

/// Tasks that srun started together, of which this process is one; 1 under mpirun, whose own daemons srun starts.
int tasks_of_slurm_step() {
  const char* tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  return tasks && !std::getenv("OMPI_COMM_WORLD_SIZE") ? std::atoi(tasks) : 1;
}

/// Cores of this rank, divided among the ranks of its node that have the same ones.
std::size_t cores_of_rank(Communicator& communicator, const std::vector<std::string>& hosts) {
  const std::vector<int> cores = allowed_cores();
  const std::vector<std::string> all = communicator.all_gather_text(ranges_of(cores));
  const auto own = static_cast<std::size_t>(communicator.rank());
  std::size_t sharing = 0;
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    if (hosts[rank] == hosts[own] && all[rank] == all[own]) ++sharing;
  const std::size_t count = cores.empty() ? std::max(1u, std::thread::hardware_concurrency()) : cores.size();
  return std::max<std::size_t>(1, count / sharing);
}

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return concat(major, ".", minor, ".", release);
}

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string version(text, static_cast<std::size_t>(length));
  return version.substr(0, version.find(','));
}

}  // namespace

std::optional<int> rank_in_environment() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"})
    if (const char* rank = std::getenv(name)) return std::atoi(rank);
  return std::nullopt;
}

Process::Process(const ProcessOptions& options) : mpi_(rank_in_environment().has_value()) {
  const int slurm_tasks = tasks_of_slurm_step();
  std::unique_ptr<Communicator> ranks;
  std::unique_ptr<CollectiveWatch> watch;
  if (mpi_) {
    int level = 0;
    // The watchdog's thread asks the other ranks where they are.
    GAUSSCSE_MPI_CHECK(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level));
    if (level < MPI_THREAD_FUNNELED)
      throw SystemError("this MPI does not allow threads beside the one that calls it (MPI_THREAD_FUNNELED)");
    undo_default_binding();
    ranks = make_mpi_communicator();
    watch = make_watchdog(options.timeout);
  } else {
    ranks = make_self_communicator();
  }
  if (ranks->size() == 1 && slurm_tasks > 1)
    throw InputError(concat("this Slurm step has ", slurm_tasks,
                            " tasks, but no MPI joins them: each would train by itself and write to the same output; "
                            "start it with srun --mpi=pmix"));
  communicator_ =
      std::make_unique<MonitoredCommunicator>(std::move(ranks), std::move(watch), options.check_collectives);
  check_agreement(*communicator_, "the program", concat("gausscse ", version(), " (", commit(), ")"));
  hosts_ = communicator_->all_gather_text(host_name());
  const std::size_t cores = cores_of_rank(*communicator_, hosts_);
  threads_ = options.threads > 0 ? options.threads : cores;
  at::set_num_threads(static_cast<int>(threads_));
}

Process::~Process() {
  if (mpi_ && std::uncaught_exceptions() > 0) {
    // The other ranks may know nothing of the error, and would be waited for; `abort_all_ranks` ends them.
    static_cast<void>(communicator_.release());
    return;
  }
  communicator_.reset();
  if (mpi_) MPI_Finalize();
}

Provenance Process::provenance() const {
  Provenance provenance;
  provenance.version = version();
  provenance.commit = commit();
  provenance.libraries = {{"libtorch", TORCH_VERSION}, {"hdf5", hdf5_version()}, {"mpi", mpi_version()}};
  provenance.hosts = hosts_;
  return provenance;
}

std::string Process::mpi_thread_level() const {
  if (!mpi_) return "none";
  int level = 0;
  GAUSSCSE_MPI_CHECK(MPI_Query_thread(&level));
  switch (level) {
    case MPI_THREAD_MULTIPLE:
      return "multiple";
    case MPI_THREAD_SERIALIZED:
      return "serialized";
    case MPI_THREAD_FUNNELED:
      return "funneled";
    default:
      return "single";
  }
}

void Process::abort_all_ranks(int exit_code) {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized && !finalized) MPI_Abort(MPI_COMM_WORLD, exit_code);
}

}  // namespace gausscse
