#include "experiments/claims/claim.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "experiments/study/generations.hpp"
#include "experiments/study/study_layout.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

FileDescriptor open_claim(const World& world, const fs::path& path, int flags) {
  int descriptor = -1;
  do {
    descriptor = world.open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  } while (descriptor < 0 && errno == EINTR);
  return FileDescriptor(descriptor);
}

/// Returns whether the file is regular. Anything else that others may put in the place of a claim, such as a pipe, has
/// no content.
bool is_regular(const World& world, const FileDescriptor& file) {
  struct stat status {};
  return world.status(file.get(), status) == 0 && S_ISREG(status.st_mode);
}

/// Returns whether a claim that cannot be opened is there no more; a symbolic link in its place is none.
bool is_gone(int error) {
  return error == ENOENT || error == ELOOP || error == ESTALE || error == ENOTDIR;
}

/// Returns nothing where the machine refuses.
std::optional<std::string> content_of_claim(const World& world, const FileDescriptor& file) {
  if (!is_regular(world, file)) return std::string();
  std::string bytes(claim_bytes + 1, '\0');
  ssize_t count = -1;
  do {
    count = world.read(file.get(), bytes.data(), bytes.size(), 0);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(count));
  return bytes;
}

}  // namespace

std::optional<std::string> read_claim_bytes(const fs::path& path, const World& world) {
  const FileDescriptor file = open_claim(world, path, O_RDONLY);
  if (file.get() < 0) {
    if (errno == ELOOP) return std::string();
    if (is_gone(errno)) return std::nullopt;
    throw SystemError(concat("cannot read ", path.string(), ": ", errno_text(errno)));
  }
  auto bytes = content_of_claim(world, file);
  if (!bytes) throw SystemError(concat("cannot read ", path.string(), ": ", errno_text(errno)));
  return bytes;
}

Claim::Claim(const fs::path& folder, const std::string& identity, long generation, const ClaimContent& content,
             const World& world)
    : world_(world), folder_(folder), identity_(identity), generation_(generation), content_(content) {}

fs::path Claim::path(long generation) const {
  return folder_ / study_layout::generation_name(identity_, generation);
}

std::unique_ptr<Claim> Claim::create(const fs::path& folder, const std::string& identity, long generation,
                                     const ClaimContent& content, const World& world) {
  std::unique_ptr<Claim> claim(new Claim(folder, identity, generation, content, world));
  const fs::path path = claim->path(generation);
  FileDescriptor file = open_claim(world, path, O_WRONLY | O_CREAT | O_EXCL);
  if (file.get() < 0) {
    if (errno == EEXIST) return nullptr;
    throw WriteError(file_calls::refused_write_text(path, "open", errno));
  }
  try {
    file_calls::write_all(world, file, to_text(content), path);
    file_calls::sync(world, file, path);
    file_calls::close(world, std::move(file), path);
  } catch (const WriteError&) {
    world.remove(path);
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
  const FileDescriptor file = open_claim(world_, path(generation_), O_RDONLY);
  if (file.get() < 0) return !is_gone(errno);
  return is_own(content_of_claim(world_, file));
}

void Claim::renew() {
  const auto lock = world_.lock(mutex_);
  if (lost_) return;
  // Without O_CREAT: who lost the trial must not bring its file back.
  const FileDescriptor file = open_claim(world_, path(generation_), O_RDWR);
  if (file.get() < 0) {
    if (is_gone(errno)) lost_ = true;
    return;
  }
  struct stat next {};
  if (!is_own(content_of_claim(world_, file)) || world_.status(path(generation_ + 1), next) == 0) {
    lost_ = true;
    return;
  }
  ++content_.counter;
  const std::string text = to_text(content_);
  if (world_.write(file.get(), text, 0) < 0) return;
  // Other hosts see it only then.
  static_cast<void>(world_.sync(file.get(), true));
}

bool Claim::is_still_mine() {
  const auto lock = world_.lock(mutex_);
  if (lost_) return false;
  const std::set<long> generations = generations_of(folder_, identity_, world_);
  if (!is_own_file() || (!generations.empty() && *generations.rbegin() > generation_)) lost_ = true;
  return !lost_;
}

bool Claim::is_surely_mine() {
  if (!is_still_mine()) return false;
  const auto lock = world_.lock(mutex_);
  const std::unique_ptr<Claim> next = lost_ ? nullptr : create(folder_, identity_, generation_ + 1, content_, world_);
  if (next) next->withdraw();
  if (!next || !is_own_file()) lost_ = true;
  return !lost_;
}

void Claim::release() {
  const auto lock = world_.lock(mutex_);
  if (lost_ || !is_own_file()) return;
  lost_ = true;
  for (const long generation : generations_of(folder_, identity_, world_))
    if (generation < generation_) world_.remove(path(generation));
  world_.remove(path(generation_));
}

void Claim::withdraw() {
  const auto lock = world_.lock(mutex_);
  if (!lost_ && is_own_file()) world_.remove(path(generation_));
  lost_ = true;
}

namespace {

constexpr int renewals_a_lease = 6;

}  // namespace

ClaimRenewal::ClaimRenewal(double lease, const World& world)
    : thread_(world.repeat(std::chrono::milliseconds(std::max(1, static_cast<int>(lease * 1000 / renewals_a_lease))),
                           [this] {
                             for (const auto& claim : claims()) claim->renew();
                           })) {}

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

}  // namespace gausscse
