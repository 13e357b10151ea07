#include "data/word_vectors/partial_copy.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/error.hpp"

namespace gausscse {

PartialCopy::PartialCopy(const std::filesystem::path& path) : path_(path), file_(open_regular_file(path)) {
  if (file_.size == 0) return;
  void* address =
      ::mmap(nullptr, file_.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED)
    throw SystemError(concat("no room for ", file_.size, " bytes of ", path.string(), ": ", errno_text(errno)));
  data_ = static_cast<char*>(address);
}

PartialCopy::PartialCopy(PartialCopy&& other) noexcept
    : path_(std::move(other.path_)),
      file_{std::move(other.file_.descriptor), std::exchange(other.file_.size, 0)},
      data_(std::exchange(other.data_, nullptr)) {}

PartialCopy& PartialCopy::operator=(PartialCopy&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  std::swap(data_, other.data_);
  return *this;
}

PartialCopy::~PartialCopy() {
  if (data_) ::munmap(data_, file_.size);
}

void PartialCopy::read(std::size_t begin, std::size_t count) {
  GAUSSCSE_CHECK(begin <= file_.size && count <= file_.size - begin, begin, " ", count, " of ", file_.size);
  while (count > 0) {
    const ssize_t got = ::pread(file_.descriptor.get(), data_ + begin, count, static_cast<off_t>(begin));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw SystemError(concat("cannot read ", path_.string(), ": ", errno_text(errno)));
    if (got == 0) throw InputError(concat(path_.string(), ": became shorter while it was in use"));
    begin += static_cast<std::size_t>(got);
    count -= static_cast<std::size_t>(got);
  }
}

}  // namespace gausscse
