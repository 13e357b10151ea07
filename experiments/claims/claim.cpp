#include "experiments/claims/claim.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "experiments/study/generations.hpp"
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
    throw WriteError(file_calls::refused_write_text(path, "open", errno));
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

namespace {

constexpr int renewals_a_lease = 6;

/// Signals are for the worker's own thread, which they wake up.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

ClaimRenewal::ClaimRenewal(double lease)
    : milliseconds_(std::max(1, static_cast<int>(lease * 1000 / renewals_a_lease))) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw SystemError(concat("cannot make a pipe: ", errno_text(errno)));
  end_read_ = FileDescriptor(ends[0]);
  end_write_ = FileDescriptor(ends[1]);
  const SignalsBlocked blocked;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    throw SystemError(concat("cannot start a thread: ", error.what()));
  }
}

ClaimRenewal::~ClaimRenewal() {
  end_write_ = FileDescriptor();
  thread_.join();
}

void ClaimRenewal::add(const std::shared_ptr<Claim>& claim) {
  const std::lock_guard lock(mutex_);
  std::erase_if(claims_, [](const auto& entry) { return entry.expired(); });
  claims_.push_back(claim);
}

std::vector<std::shared_ptr<Claim>> ClaimRenewal::claims() {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Claim>> held;
  for (const auto& entry : claims_)
    if (auto claim = entry.lock()) held.push_back(std::move(claim));
  return held;
}

void ClaimRenewal::run() {
  while (true) {
    // A pause that no clock which is set or shifted makes longer.
    pollfd end{end_read_.get(), POLLIN, 0};
    if (::poll(&end, 1, milliseconds_) > 0) return;
    for (const auto& claim : claims()) claim->renew();
  }
}

}  // namespace gausscse
