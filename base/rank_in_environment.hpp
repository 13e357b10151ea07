#pragma once

#include <optional>
#include <string>

namespace gausscse {

/// Returns this process's rank as mpirun or srun says it, before MPI has started; nothing where neither started it.
std::optional<int> rank_in_environment();

/// A number of processes that a launcher started together, as an environment variable of this process says.
struct Siblings {
  std::string variable;  ///< "PMI_SIZE"
  std::string launcher;  ///< "mpiexec of MPICH or Intel MPI"
  int processes = 1;
  /// False for a variable that people set by themselves as well.
  bool is_certain = true;
};

/// Returns the largest such number above `joined`, the number of ranks that MPI joins to this process; nothing where
/// there is none. Where Open MPI's mpirun started the process, its number alone counts: the others are then those of
/// its daemons, or of a step around it.
std::optional<Siblings> siblings_not_joined(int joined);

}  // namespace gausscse
