#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dist/monitored_communicator.hpp"
#include "dist/mpi/session.hpp"
#include "launcher/libtorch_program.hpp"
#include "launcher/machine/compute_device.hpp"
#include "results/run_result.hpp"

namespace gausscse {

struct ProcessOptions {
  std::size_t threads = 0;  ///< threads of a rank; 0: its cores, divided among the ranks that share them
  double timeout = 600;     ///< seconds a collective may last
  /// Compare, before each collective, the calls that the ranks are about to make.
  bool check_collectives = false;
  /// Refuse to be one of several processes that a launcher started and no MPI joins; else `Process::note` says so.
  bool refuse_unjoined = true;
  CommandLine command_line = {};  ///< arguments that `continue_with_libtorch` passes on
};

/// Returns true for one of the processes that mpirun or srun started together, and for one that was started alone. Work
/// that needs no other ranks, such as printing a file in another form, is done by that one only.
bool is_first_process();

/// Lets collectives of tensors on `own`, this rank's GPU, go by NCCL, or through the host where ranks share GPUs. Does
/// nothing where the request asks for no such collectives, on a CPU and for one rank. `timeout` is that of
/// ProcessOptions. Throws as make_nccl_collectives. Collective.
void connect_devices(MonitoredCommunicator& communicator, const DeviceRequest& request, const ComputeDevice& own,
                     double timeout);

/// Surroundings of the program's process: MPI if mpirun or srun started it, and its threads. One for the whole run,
/// made in `main`'s scope; MPI is finalised when it goes.
class Process {
 public:
  /// Joins the other ranks if there are any, and sets the number of threads of all compute. Throws InputError for one
  /// of several processes that no MPI joins, and where the ranks are not all of the same build.
  explicit Process(const ProcessOptions& options);
  /// Waits for the other ranks, unless an exception passes.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  MonitoredCommunicator& communicator() { return *communicator_; }
  std::size_t threads() const { return threads_; }
  /// Returns a note on a start of the process that is odd, and yet no reason to refuse it; empty: nothing.
  const std::string& note() const { return note_; }
  /// Returns the support of threads that MPI grants: "single", "funneled", "serialized" or "multiple"; "none" without
  /// MPI.
  std::string mpi_thread_level() const;
  /// Returns the device of this rank from now on. `provenance` then has that of each rank; the log has it, and `note`.
  /// Connects the devices as `connect_devices`. Throws InputError, see choose_devices. Collective.
  ComputeDevice choose_device(const DeviceRequest& request);
  /// Returns version, commit, libraries, and for each rank the host and the device and instructions that it computes
  /// with.
  const Provenance& provenance() const { return provenance_; }

 private:
  double timeout_;                 ///< seconds
  std::optional<MpiSession> mpi_;  ///< ends after the communicator
  std::unique_ptr<MonitoredCommunicator> communicator_;
  std::size_t threads_;
  std::string note_;
  Provenance provenance_;
};

}  // namespace gausscse
