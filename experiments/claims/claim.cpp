#include "experiments/claims/claim.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "experiments/claims/generations.hpp"
#include "experiments/study/study_layout.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

FileDescriptor open_claim(const fs::path& path, int flags) {
  int descriptor = -1;
  do {
    descriptor = ::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0666);
  } while (descriptor < 0 && errno == EINTR);
  return FileDescriptor(descriptor);
}

/// Returns whether the file is regular. Anything else that others may put in the place of a claim, such as a pipe, has
/// no content.
bool is_regular(const FileDescriptor& file) {
  struct stat status {};
  return ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
}

/// Returns whether a claim that cannot be opened is there no more; a symbolic link in its place is none.
bool is_gone(int error) {
  return error == ENOENT || error == ELOOP || error == ESTALE || error == ENOTDIR;
}

/// Returns nothing where the machine refuses.
std::optional<std::string> content_of_claim(const FileDescriptor& file) {
  if (!is_regular(file)) return std::string();
  std::string bytes(claim_bytes + 1, '\0');
  ssize_t count = -1;
  do {
    count = ::pread(file.get(), bytes.data(), bytes.size(), 0);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(count));
  return bytes;
}

}  // namespace

std::optional<std::string> read_claim_bytes(const fs::path& path) {
  const FileDescriptor file = open_claim(path, O_RDONLY);
  if (file.get() < 0) {
    if (errno == ELOOP) return std::string();
    if (is_gone(errno)) return std::nullopt;
    throw SystemError(concat("cannot read ", path.string(), ": ", errno_text(errno)));
  }
  auto bytes = content_of_claim(file);
  if (!bytes) throw SystemError(concat("cannot read ", path.string(), ": ", errno_text(errno)));
  return bytes;
}

Claim::Claim(const fs::path& folder, const std::string& identity, long generation, const ClaimContent& content)
    : folder_(folder), identity_(identity), generation_(generation), content_(content) {}

fs::path Claim::path(long generation) const {
  return folder_ / study_layout::generation_name(identity_, generation);
}

std::unique_ptr<Claim> Claim::create(const fs::path& folder, const std::string& identity, long generation,
                                     const ClaimContent& content) {
  std::unique_ptr<Claim> claim(new Claim(folder, identity, generation, content));
  const fs::path path = claim->path(generation);
  FileDescriptor file = open_claim(path, O_WRONLY | O_CREAT | O_EXCL);
  if (file.get() < 0) {
    if (errno == EEXIST) return nullptr;
    throw WriteError(concat("cannot write ", path.string(), ": open: ", errno_text(errno)));
  }
  try {
    file_calls::write_all(file, to_text(content), path);
    file_calls::sync(file, path);
    file_calls::close(std::move(file), path);
  } catch (const WriteError&) {
    ::unlink(path.c_str());
    throw;
  }
  return claim;
}

/// Returns whether the bytes are this claim's; bytes that could not be read may be.
bool Claim::is_own(const std::optional<std::string>& bytes) const {
  if (!bytes) return true;
  const auto there = parse_claim(*bytes);
  return there && there->worker == content_.worker;
}

bool Claim::is_own_file() const {
  const FileDescriptor file = open_claim(path(generation_), O_RDONLY);
  if (file.get() < 0) return !is_gone(errno);
  return is_own(content_of_claim(file));
}

void Claim::renew() {
  const std::lock_guard lock(mutex_);
  if (lost_) return;
  // Without O_CREAT: who lost the trial must not bring its file back.
  const FileDescriptor file = open_claim(path(generation_), O_RDWR);
  if (file.get() < 0) {
    if (is_gone(errno)) lost_ = true;
    return;
  }
  struct stat next {};
  if (!is_own(content_of_claim(file)) || ::lstat(path(generation_ + 1).c_str(), &next) == 0) {
    lost_ = true;
    return;
  }
  ++content_.counter;
  const std::string text = to_text(content_);
  if (::pwrite(file.get(), text.data(), text.size(), 0) < 0) return;
  // Other hosts see it only then.
  static_cast<void>(::fdatasync(file.get()));
}

bool Claim::is_still_mine() {
  const std::lock_guard lock(mutex_);
  if (lost_) return false;
  const std::set<long> generations = generations_of(folder_, identity_);
  if (!is_own_file() || (!generations.empty() && *generations.rbegin() > generation_)) lost_ = true;
  return !lost_;
}

void Claim::release() {
  const std::lock_guard lock(mutex_);
  if (lost_ || !is_own_file()) return;
  lost_ = true;
  for (const long generation : generations_of(folder_, identity_))
    if (generation < generation_) std::remove(path(generation).c_str());
  ::unlink(path(generation_).c_str());
}

void Claim::withdraw() {
  const std::lock_guard lock(mutex_);
  if (!lost_ && is_own_file()) ::unlink(path(generation_).c_str());
  lost_ = true;
}

}  // namespace gausscse
