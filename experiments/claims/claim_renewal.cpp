#include "experiments/claims/claim_renewal.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "base/error.hpp"

namespace gausscse {

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
