#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gausscse {

/// Runs `gausscse` with these arguments in a fork of a process that has loaded its libraries, which takes most of a
/// short command's time. There is one of these, a program_server, for commands that compute with LibTorch and one for
/// the others. Each is started at the first call that it serves and ends with the test program. The run has the
/// environment and the working folder of the caller, and the variables `more`. It reads nothing, writes to the two open
/// files, and makes no file grow beyond `largest_file` bytes (0: no limit). Waits for its end and returns the status of
/// waitpid. Throws std::runtime_error where there is no such process. For any thread.
int run_served(const std::vector<std::string>& arguments, const std::vector<std::pair<std::string, std::string>>& more,
               std::uint64_t largest_file, int output, int errors);

/// Returns the name of the socket of the server for this command line, by which served_rank has a rank of mpiexec run.
const std::string& server_name(const std::vector<std::string>& arguments);

}  // namespace gausscse
