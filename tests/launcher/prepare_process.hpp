#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace gausscse::testing_support {

/// For a process that has just been forked: what the program finds in its environment in a test.
inline void set_program_environment() {
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
  setenv("OMP_NUM_THREADS", "1", 1);
}

/// For a process that has just been forked: nothing to read, where standard output and error go, and the bytes beyond
/// which no file can grow (0: no limit).
inline void set_streams(int output, int errors, std::uint64_t largest_file) {
  if (largest_file > 0) {
    const rlimit limit{largest_file, largest_file};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
}

}  // namespace gausscse::testing_support
