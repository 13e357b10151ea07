#include "tests/launcher/served_request.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "base/error.hpp"

namespace gausscse::testing_support {

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

}  // namespace

void send_request(const ServedRequest& request, int socket) {
  // Words, each with a zero at its end.
  std::string text = std::to_string(request.largest_file) + '\0';
  for (const std::string& argument : request.arguments) text += argument + '\0';
  if (text.size() > largest_request) throw std::runtime_error("the arguments are longer than program_server takes");
  Message message(text);
  cmsghdr* const files = CMSG_FIRSTHDR(&message.header);
  files->cmsg_level = SOL_SOCKET;
  files->cmsg_type = SCM_RIGHTS;
  files->cmsg_len = CMSG_LEN(descriptors_size);
  std::memcpy(CMSG_DATA(files), request.descriptors.data(), descriptors_size);
  if (sendmsg(socket, &message.header, MSG_NOSIGNAL) < 0)
    throw std::runtime_error(concat("program_server cannot be asked: ", std::strerror(errno)));
}

std::optional<ServedRequest> receive_request(int socket) {
  std::string text(largest_request, '\0');
  Message message(text);
  const ssize_t size = recvmsg(socket, &message.header, MSG_CMSG_CLOEXEC);
  const cmsghdr* const files = CMSG_FIRSTHDR(&message.header);
  if (size <= 0 || files == nullptr) return std::nullopt;
  std::vector<std::string> words;
  for (const char* word = text.data(); word < text.data() + size; word += words.back().size() + 1)
    words.emplace_back(word);
  ServedRequest request{{words.begin() + 1, words.end()}, std::stoull(words.front()), {}};
  std::memcpy(request.descriptors.data(), CMSG_DATA(files), descriptors_size);
  return request;
}

}  // namespace gausscse::testing_support
