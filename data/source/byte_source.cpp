#include "data/source/byte_source.hpp"

#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"

namespace gausscse {

std::string FileSource::first_bytes(std::size_t count) const {
  std::string bytes(count, '\0');
  std::size_t filled = 0;
  while (filled < count) {
    const ssize_t got = ::pread(descriptor(), bytes.data() + filled, count - filled, static_cast<off_t>(filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw SystemError(concat("cannot read ", path_.string(), ": ", errno_text(errno)));
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

std::size_t RewindableSource::read(char* buffer, std::size_t capacity) {
  if (!keeps_ && given_ < head_.size()) {
    const std::size_t count = head_.copy(buffer, capacity, given_);
    given_ += count;
    return count;
  }
  const std::size_t count = source_.read(buffer, capacity);
  if (keeps_) head_.append(buffer, count);
  return count;
}

void RewindableSource::rewind() {
  keeps_ = false;
  given_ = 0;
}

}  // namespace gausscse
