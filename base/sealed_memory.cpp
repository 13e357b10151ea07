#include "base/sealed_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace gausscse {

namespace {

constexpr int all_seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
constexpr std::size_t bytes_at_once = std::size_t{1} << 20;

[[noreturn]] void throw_no_memory(std::size_t size, int code) {
  throw SystemError(concat("no memory for ", size, " bytes that ranks share: ", errno_text(code)));
}

}  // namespace

/// Makes memory to be written; `seal` ends that.
SealedMemory::SealedMemory(std::size_t size) : size_(size) {
  file_ = FileDescriptor(::memfd_create("gausscse", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file_.get() >= 0 && ::ftruncate(file_.get(), static_cast<off_t>(size)) != 0) file_ = FileDescriptor();
  if (file_.get() < 0) map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
}

void SealedMemory::map(int protection, int kind) {
  if (size_ == 0) return;
  void* address = ::mmap(nullptr, size_, protection, kind, file_.get(), 0);
  if (address == MAP_FAILED) throw_no_memory(size_, errno);
  mapping_ = Mapping(address, size_);
}

/// Writes bytes at their place. The file gets them by calls: they cost less than a mapping that is written, and pages
/// that memory has no room for are an error, and not a signal.
void SealedMemory::write(std::size_t place, std::string_view bytes) {
  if (file_.get() < 0) {
    std::copy(bytes.begin(), bytes.end(), mapping_.data() + place);
    return;
  }
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(place));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw_no_memory(size_, written < 0 ? errno : ENOSPC);
    place += static_cast<std::size_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Seals the memory and maps it: a private mapping that is only read shares its pages.
void SealedMemory::seal() {
  if (file_.get() < 0) {
    if (mapping_.data()) ::mprotect(mapping_.data(), mapping_.size(), PROT_READ);
    return;
  }
  if (::fcntl(file_.get(), F_ADD_SEALS, all_seals) != 0)
    throw SystemError(concat("cannot seal memory: ", errno_text(errno)));
  map(PROT_READ, MAP_PRIVATE);
}

SealedMemory::SealedMemory(std::span<const std::string_view> pieces) {
  std::size_t size = 0;
  for (const std::string_view piece : pieces) size += piece.size();
  SealedMemory memory(size);
  std::size_t place = 0;
  for (const std::string_view piece : pieces) {
    memory.write(place, piece);
    place += piece.size();
  }
  memory.seal();
  *this = std::move(memory);
}

SealedMemory SealedMemory::copy_of(const OpenFile& file, const std::filesystem::path& path) {
  SealedMemory memory(file.size);
  std::vector<char> bytes(std::min(file.size, bytes_at_once));
  std::size_t used = 0;
  while (used < file.size) {
    const std::size_t got = read_some(file, bytes.data(), std::min(file.size - used, bytes.size()), path);
    if (got == 0) throw InputError(concat(path.string(), ": became shorter while it was read"));
    memory.write(used, {bytes.data(), got});
    used += got;
  }
  memory.seal();
  return memory;
}

SealedMemory SealedMemory::shared(const std::string& place) {
  const auto refuse = [&](std::string_view why) { throw InputError(concat("memory at ", place, ": ", why)); };
  SealedMemory memory;
  memory.file_ = FileDescriptor(::open(place.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (memory.file_.get() < 0) refuse(errno_text(errno));
  const int seals = ::fcntl(memory.file_.get(), F_GET_SEALS);  // -1 of other files
  if (seals < 0 || (seals & all_seals) != all_seals) refuse("is not sealed");
  struct stat status {};
  if (::fstat(memory.file_.get(), &status) != 0) refuse(errno_text(errno));
  memory.size_ = static_cast<std::size_t>(status.st_size);
  memory.map(PROT_READ, MAP_PRIVATE);
  return memory;
}

std::string SealedMemory::place() const {
  return file_.get() < 0 ? std::string() : concat("/proc/", ::getpid(), "/fd/", file_.get());
}

}  // namespace gausscse
