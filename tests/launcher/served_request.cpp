#include "tests/launcher/served_request.hpp"

#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <stdexcept>

#include "base/error.hpp"
#include "base/file_calls.hpp"

namespace gausscse {

namespace {

constexpr std::size_t largest_request = std::size_t{128} << 10;
constexpr std::size_t descriptors_size = sizeof(ServedRequest::descriptors);

/// A message of one part, with room for the open files of a request.
struct Message {
  explicit Message(std::string& text) : part{text.data(), text.size()} {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
  }

  iovec part;
  alignas(cmsghdr) char control[CMSG_SPACE(descriptors_size)] = {};
  msghdr header = {};
};

void send_request(const ServedRequest& request, int connection) {
  // Words, each with a zero at its end.
  std::string text = concat(request.largest_file, '\0', request.arguments.size(), '\0');
  for (const std::string& argument : request.arguments) text += argument + '\0';
  for (const std::string& variable : request.environment) text += variable + '\0';
  if (text.size() > largest_request) throw std::runtime_error("a request is longer than program_server takes");
  Message message(text);
  cmsghdr* const files = CMSG_FIRSTHDR(&message.header);
  files->cmsg_level = SOL_SOCKET;
  files->cmsg_type = SCM_RIGHTS;
  files->cmsg_len = CMSG_LEN(descriptors_size);
  std::memcpy(CMSG_DATA(files), request.descriptors.data(), descriptors_size);
  if (sendmsg(connection, &message.header, MSG_NOSIGNAL) < 0)
    throw std::runtime_error(concat("program_server cannot be asked: ", std::strerror(errno)));
}

}  // namespace

std::vector<std::string> own_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable; ++variable) variables.emplace_back(*variable);
  return variables;
}

int run_by_server(const std::string& server, const ServedRequest& request) {
  sockaddr_un address{AF_UNIX, {}};
  std::memcpy(address.sun_path + 1, server.data(), server.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + server.size());
  const FileDescriptor connection(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0)
    throw std::runtime_error(concat("program_server does not answer: ", std::strerror(errno)));
  send_request(request, connection.get());
  int status = 0;
  if (read(connection.get(), &status, sizeof status) != sizeof status)
    throw std::runtime_error("program_server ended before the run");
  return status;
}

std::optional<ServedRequest> receive_request(int connection) {
  std::string text(largest_request, '\0');
  Message message(text);
  const ssize_t size = recvmsg(connection, &message.header, MSG_CMSG_CLOEXEC);
  const cmsghdr* const files = CMSG_FIRSTHDR(&message.header);
  if (size <= 0 || files == nullptr) return std::nullopt;
  std::vector<std::string> words;
  for (const char* word = text.data(); word < text.data() + size; word += words.back().size() + 1)
    words.emplace_back(word);
  const auto arguments = words.begin() + 2, environment = arguments + std::stol(words[1]);
  ServedRequest request{{arguments, environment}, {environment, words.end()}, std::stoull(words[0])};
  std::memcpy(request.descriptors.data(), CMSG_DATA(files), descriptors_size);
  return request;
}

}  // namespace gausscse
