#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <utility>

namespace gausscse {

/// Environment of the program in a test, over that of the test itself.
inline constexpr std::pair<const char*, const char*> program_environment[] = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                                                              {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                                                                              {"OMPI_MCA_mpi_yield_when_idle", "1"},
                                                                              {"OMP_NUM_THREADS", "1"}};

/// Sets it in a process that has just been forked.
inline void set_program_environment() {
  for (const auto& [name, value] : program_environment) setenv(name, value, 1);
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

}  // namespace gausscse
