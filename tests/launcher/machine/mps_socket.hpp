#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include "base/file_calls.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

/// Returns a daemon's socket at `path`, which answers nobody.
inline FileDescriptor listening_at(const std::filesystem::path& path) {
  FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.string().copy(address.sun_path, sizeof address.sun_path - 1);
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::listen(socket.get(), 1), 0);
  return socket;
}

}  // namespace gausscse
