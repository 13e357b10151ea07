#pragma once

#include <string>
#include <vector>

namespace gausscse {

/// Returns those of these environment variables that mark a process, and its children, as a rank of the enclosing
/// mpirun or srun step. Variables that a user sets for both launchers are not among them, nor are those of the Slurm
/// job.
std::vector<std::string> variables_of_step(const std::vector<std::string>& names);

/// Returns the names of this process's environment variables.
std::vector<std::string> environment_names();

}  // namespace gausscse
