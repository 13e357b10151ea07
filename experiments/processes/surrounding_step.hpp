#pragma once

#include <string>
#include <vector>

namespace gausscse {

/// Returns which of these environment variables make a process, and what it starts, a rank of the step of mpirun or
/// srun that it stands in. What a user sets for both launchers is not among them, nor is the Slurm job.
std::vector<std::string> variables_of_step(const std::vector<std::string>& names);

/// Returns the names of this process's environment variables.
std::vector<std::string> environment_names();

}  // namespace gausscse
