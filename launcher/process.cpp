#include "launcher/process.hpp"

#include <ATen/Parallel.h>
#include <H5public.h>
#include <mpi.h>
#include <sched.h>
#include <torch/version.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <thread>

#include "base/error.hpp"
#include "dist/agreement.hpp"
#include "dist/mpi/check.hpp"
#include "dist/mpi/watchdog.hpp"
#include "launcher/version.hpp"

namespace gausscse {

namespace {

bool started_by_mpi() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"})
    if (std::getenv(name)) return true;
  return false;
}

int environment_number(const char* name) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : 0;
}

/// Cores this process may run on.
std::size_t allowed_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return std::max(1u, std::thread::hardware_concurrency());
  return static_cast<std::size_t>(std::max(1, CPU_COUNT(&set)));
}

/// Open MPI binds each rank to one core unless told otherwise; threads need more. Its own default is undone, a binding
/// that the user asked for is not.
void undo_default_binding() {
  if (!std::getenv("OMPI_COMM_WORLD_SIZE") || std::getenv("OMPI_MCA_hwloc_base_binding_policy")) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  for (long core = 0; core < online && core < CPU_SETSIZE; ++core) CPU_SET(static_cast<std::size_t>(core), &set);
  // A refusal (a container's limit) leaves the binding as it is: slower, not wrong.
  sched_setaffinity(0, sizeof set, &set);
}

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
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

Process::Process(const ProcessOptions& options) : mpi_(started_by_mpi()) {
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
    if (environment_number("SLURM_STEP_NUM_TASKS") > 1)
      throw InputError(concat("this Slurm step has ", environment_number("SLURM_STEP_NUM_TASKS"),
                              " tasks, but no MPI joins them: each would train by itself and write to the same output; "
                              "start it with srun --mpi=pmix"));
    ranks = make_self_communicator();
  }
  communicator_ =
      std::make_unique<MonitoredCommunicator>(std::move(ranks), std::move(watch), options.check_collectives);
  check_agreement(*communicator_, "the program", concat("gausscse ", version(), " (", commit(), ")"));
  hosts_ = communicator_->all_gather_text(host_name());
  const std::size_t share = allowed_cores() / static_cast<std::size_t>(communicator_->local_size());
  threads_ = options.threads > 0 ? options.threads : std::max<std::size_t>(1, share);
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
