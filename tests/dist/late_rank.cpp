// late_rank elsewhere|computing: three ranks of which the last one does not come to the all-reduce of the others. It
// waits in a barrier, or in no collective at all, until the watchdogs of the others end the job.

#include <ATen/ops/zeros.h>
#include <mpi.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "dist/communicator.hpp"
#include "dist/monitored_communicator.hpp"
#include "dist/mpi/watchdog.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  constexpr double time_out = 5;
  gausscse::MonitoredCommunicator communicator(gausscse::make_mpi_communicator(), gausscse::make_watchdog(time_out),
                                               false);
  communicator.set_step(7);
  if (communicator.rank() < 2) {
    communicator.all_reduce_sum(at::zeros({4}));
  } else if (std::string(argv[1]) == "elsewhere") {
    communicator.barrier();
  } else {
    // MPI_Abort of another rank ends this; a signal that comes before, such as SIGCHLD, does not.
    while (true) pause();
  }
  return 0;
}
