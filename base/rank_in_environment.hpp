#pragma once

#include <optional>

namespace gausscse {

/// This process's rank as mpirun or srun says it, before MPI has started; nothing where neither started it.
std::optional<int> rank_in_environment();

}  // namespace gausscse
