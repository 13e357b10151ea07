// late_rank elsewhere|computing: three ranks of which the last one does not come to the all-reduce of the others. It
// waits in a barrier, or in no collective at all, until the watchdogs of the others end the job.

#include <ATen/ops/zeros.h>
#include <unistd.h>

#include <string>

#include "dist/mpi/session.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const gausscse::MpiSession mpi;
  constexpr double time_out = 5;
  const auto communicator = mpi.communicator(time_out, false);
  communicator->set_step(7);
  if (communicator->rank() < 2) {
    communicator->all_reduce_sum(at::zeros({4}));
  } else if (std::string(argv[1]) == "elsewhere") {
    communicator->barrier();
  } else {
    // MPI_Abort of another rank ends this; a signal that comes before, such as SIGCHLD, does not.
    while (true) pause();
  }
  return 0;
}
