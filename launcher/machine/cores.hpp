#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

namespace gausscse {

/// Returns the cores that a process (0: this one) may run on; empty where the system does not show them.
std::vector<int> allowed_cores(pid_t process = 0);

/// Undoes Open MPI's default binding of each rank to one core, as threads need more. The rank gets the cores of Open
/// MPI's process that started it, which is confined as the user or the batch system has it. Three bindings are left as
/// they are: one that was asked for (--bind-to, --cpu-set, --map-by ...:PE=N), one that a script around the program
/// made, and one to more than a core within those of Open MPI's process.
void undo_default_binding();

/// Returns the number of its cores that rank `rank` may use, so that ranks of one host with the same cores share them
/// evenly; at least one. `hosts` and `cores`: of each rank, `cores` as `ranges_of` writes them; `count`: this rank's
/// number of cores.
std::size_t share_of_cores(const std::vector<std::string>& hosts, const std::vector<std::string>& cores,
                           std::size_t rank, std::size_t count);

/// Returns "0-3,8".
std::string ranges_of(const std::vector<int>& numbers);

/// Returns the reverse of `ranges_of`; empty for any other text.
std::vector<int> numbers_in(const std::string& ranges);

}  // namespace gausscse
