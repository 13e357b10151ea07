#pragma once

#include <cstdlib>

namespace gausscse::testing_support {

/// What the program finds in its environment in a test, for a process that has just been forked.
inline void set_program_environment() {
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
  setenv("OMP_NUM_THREADS", "1", 1);
}

}  // namespace gausscse::testing_support
