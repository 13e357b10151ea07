#include "training/progress_renewal.hpp"

#include <pthread.h>

#include <csignal>
#include <system_error>

#include "base/error.hpp"

namespace gausscse {

ProgressRenewal::ProgressRenewal(ProgressRecorder& recorder, std::chrono::milliseconds interval) : recorder_(recorder) {
  // The new thread inherits the mask: signals are for the training's own thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this, interval] {
      std::unique_lock lock(mutex_);
      while (!changed_.wait_for(lock, interval, [this] { return ends_; })) recorder_.renew();
    });
  } catch (const std::system_error& error) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw SystemError(concat("cannot start a thread: ", error.what()));
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ProgressRenewal::~ProgressRenewal() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

}  // namespace gausscse
