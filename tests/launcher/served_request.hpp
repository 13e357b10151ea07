#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gausscse {

/// Request to program_server: a run of the program.
struct ServedRequest {
  std::vector<std::string> arguments;    ///< without the program's name
  std::vector<std::string> environment;  ///< NAME=VALUE each
  std::uint64_t largest_file = 0;        ///< bytes beyond which no file can grow; 0: no limit
  std::array<int, 3> descriptors = {};   ///< standard output, standard error, working folder
};

/// Variable with the name of the server's socket, for ranks that are served.
inline constexpr const char* server_variable = "GAUSSCSE_TEST_SERVER";

/// Returns the environment of this process, NAME=VALUE each.
std::vector<std::string> own_environment();

/// Sends the request to the server that listens at the abstract socket `server`, waits for the end of the run and
/// returns the status of waitpid. Where the caller ends before that, the server kills the run. Throws
/// std::runtime_error where there is no server.
int run_by_server(const std::string& server, const ServedRequest& request);

/// Returns the request of a connection, whose open files are the caller's; nothing where there is none.
std::optional<ServedRequest> receive_request(int connection);

}  // namespace gausscse
