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
SealedMemory::SealedMemory(std::size_t size) {
  file_ = FileDescriptor(::memfd_create("gausscse", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file_.get() >= 0 && ::ftruncate(file_.get(), static_cast<off_t>(size)) != 0) file_ = FileDescriptor();
  // Pages that memory has no room for must be an error here, and not a signal when they are written.
  if (file_.get() >= 0 && size > 0 && ::posix_fallocate(file_.get(), 0, static_cast<off_t>(size)) == ENOSPC)
    throw_no_memory(size, ENOSPC);
  if (size == 0) return;
  const int kind = file_.get() >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
  void* address = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, kind, file_.get(), 0);
  if (address == MAP_FAILED) throw_no_memory(size, errno);
  mapping_ = Mapping(address, size);
  ::madvise(address, size, MADV_HUGEPAGE);
}

/// Maps what is sealed: a private mapping that is only read shares its pages.
void SealedMemory::map(std::size_t size) {
  if (size == 0) return;
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file_.get(), 0);
  if (address == MAP_FAILED) throw_no_memory(size, errno);
  mapping_ = Mapping(address, size);
}

/// Seals the memory; a mapping that may be written keeps the kernel from sealing.
void SealedMemory::seal() {
  if (file_.get() < 0) {
    if (mapping_.data()) ::mprotect(mapping_.data(), mapping_.size(), PROT_READ);
    return;
  }
  const std::size_t size = mapping_.size();
  mapping_ = Mapping();
  if (::fcntl(file_.get(), F_ADD_SEALS, all_seals) != 0)
    throw SystemError(concat("cannot seal memory: ", errno_text(errno)));
  map(size);
}

SealedMemory::SealedMemory(std::span<const std::string_view> pieces) {
  std::size_t size = 0;
  for (const std::string_view piece : pieces) size += piece.size();
  SealedMemory memory(size);
  char* end = memory.mapping_.data();
  for (const std::string_view piece : pieces) end = std::copy(piece.begin(), piece.end(), end);
  memory.seal();
  *this = std::move(memory);
}

SealedMemory SealedMemory::copy_of(const OpenFile& file, const std::filesystem::path& path) {
  SealedMemory memory(file.size);
  std::size_t used = 0;
  while (used < file.size) {
    const std::size_t got =
        read_some(file, memory.mapping_.data() + used, std::min(file.size - used, bytes_at_once), path);
    if (got == 0) throw InputError(concat(path.string(), ": became shorter while it was read"));
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
  memory.map(static_cast<std::size_t>(status.st_size));
  return memory;
}

std::string SealedMemory::place() const {
  return file_.get() < 0 ? std::string() : concat("/proc/", ::getpid(), "/fd/", file_.get());
}

}  // namespace gausscse
