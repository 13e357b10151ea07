#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gausscse::testing_support {

/// Request of a test to program_server: a run of the program.
struct ServedRequest {
  std::vector<std::string> arguments;  ///< without the program's name
  std::uint64_t largest_file;          ///< bytes beyond which no file can grow; 0: no limit
  std::array<int, 3> descriptors;      ///< standard output, standard error, and where the status goes, an int
};

/// Sends a request, with its open files, on a socket of type SOCK_SEQPACKET. Throws std::runtime_error where that
/// fails.
void send_request(const ServedRequest& request, int socket);

/// Returns the next request, whose open files are the caller's; nothing where the other end is closed.
std::optional<ServedRequest> receive_request(int socket);

}  // namespace gausscse::testing_support
