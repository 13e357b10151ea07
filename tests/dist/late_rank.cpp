// late_rank elsewhere|computing|at_work: three ranks of which the last one does not come to the all-reduce of the
// others in time. It waits in a barrier, or in no collective at all, until the watchdogs of the others end the job; or
// it is at slow work, in which case they must wait for it, and everything ends well.

#include <ATen/ops/zeros.h>
#include <mpi.h>
#include <unistd.h>

#include <atomic>
#include <string>

#include "dist/mpi/session.hpp"
#include "dist/slow_work.hpp"

namespace {

constexpr double time_out = 5;
constexpr double short_time_out = 2;

std::atomic<int> answers{0};

}  // namespace

// Takes the place of the library's: the watchdog's answers are the only messages of tag 2.
extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
                         MPI_Request* request) {
  if (tag == 2) {
    ++answers;
    answers.notify_all();
  }
  return PMPI_Isend(data, count, type, to, tag, communicator, request);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string role = argv[1];
  const gausscse::MpiSession mpi;
  const auto communicator = mpi.communicator(role == "at_work" ? short_time_out : time_out, false);
  communicator->set_step(7);
  if (communicator->rank() == 2) {
    if (role == "elsewhere") {
      communicator->barrier();
    } else if (role == "computing") {
      // MPI_Abort of another rank ends this; a signal that comes before, such as SIGCHLD, does not.
      while (true) pause();
    } else {
      const gausscse::SlowWork at_work(*communicator);
      // Until both others have asked twice: each is then past its time-out and waits again.
      for (int seen = 0; seen < 4; seen = answers) answers.wait(seen);
    }
  }
  communicator->all_reduce_sum(at::zeros({4}));
  return 0;
}
