#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dist/communicator.hpp"
#include "experiments/results/run_result.hpp"

namespace gausscse {

/// What the program's process stands in: MPI if mpirun or srun started it, and its threads. One for the whole run, made
/// in `main`'s scope; MPI is finalised when it goes.
class Process {
 public:
  /// Joins the other ranks if there are any. `threads` 0: the node's cores divided among its ranks. Sets the number of
  /// threads of all compute. Throws InputError for more than one Slurm task without MPI between them.
  explicit Process(std::size_t threads);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  Communicator& communicator() { return *communicator_; }
  std::size_t threads() const { return threads_; }
  /// Version, commit, libraries and hosts.
  Provenance provenance() const;

  /// Ends all ranks with this exit code; returns only where there is but one.
  static void abort_all_ranks(int exit_code);

 private:
  bool mpi_;
  std::unique_ptr<Communicator> communicator_;
  std::size_t threads_;
  std::vector<std::string> hosts_;
};

}  // namespace gausscse
