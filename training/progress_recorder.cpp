#include "training/progress_recorder.hpp"

#include <pthread.h>

#include <csignal>
#include <ctime>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/process.hpp"

namespace gausscse {

namespace {

constexpr std::chrono::seconds between_writes(1);
/// Weight of the newest step in the smoothed rate.
constexpr double newest_step_weight = 0.1;

}  // namespace

ProgressRecorder::ProgressRecorder(TrainingObserver& observer, std::filesystem::path file, Now now)
    : ForwardingObserver(observer), file_(std::move(file)), now_(std::move(now)) {}

void ProgressRecorder::on_outputs_checked() {
  observer_.on_outputs_checked();
  if (!file_.empty()) write();
}

void ProgressRecorder::on_step(const StepReport& report) {
  observer_.on_step(report);
  if (file_.empty()) return;
  const Clock::time_point now = now_();
  const bool first = first_step_ < 0;
  {
    const std::lock_guard lock(mutex_);
    take_in(report, now);
  }
  const bool last = progress_.phase == TrainingPhase::finishing;
  if (!first && !last && now - last_write_ < between_writes) return;
  last_write_ = now;
  write();
}

void ProgressRecorder::on_early_end(const std::string& where_and_why) {
  observer_.on_early_end(where_and_why);
  if (file_.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    progress_.phase = TrainingPhase::finishing;
    progress_.seconds_left = 0;
  }
  write();
}

void ProgressRecorder::on_checkpoint_state(const std::string& problem) {
  observer_.on_checkpoint_state(problem);
  if (file_.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    if (problem == progress_.checkpoint_problem) return;
    if (problem.empty())
      progress_.checkpoints_lost_since = 0;
    else if (progress_.checkpoint_problem.empty())
      progress_.checkpoints_lost_since = static_cast<std::int64_t>(std::time(nullptr));
    progress_.checkpoint_problem = problem;
  }
  write();
}

void ProgressRecorder::take_in(const StepReport& report, Clock::time_point now) {
  const bool first = first_step_ < 0;
  if (first) {
    first_step_ = report.step;
    first_step_end_ = now;
  }
  progress_.step = report.step + 1;
  progress_.total_steps = report.total_steps;
  progress_.loss = report.loss;
  progress_.phase = progress_.step < report.total_steps ? TrainingPhase::training : TrainingPhase::finishing;
  const double rate = report.examples_per_second;
  progress_.examples_per_second =
      first ? rate : (1 - newest_step_weight) * progress_.examples_per_second + newest_step_weight * rate;
  // The time includes work between steps, such as evaluations; the first step is timed alone.
  const double seconds_a_step = first ? report.seconds
                                      : std::chrono::duration<double>(now - first_step_end_).count() /
                                            static_cast<double>(report.step - first_step_);
  progress_.seconds_left = seconds_a_step * static_cast<double>(report.total_steps - progress_.step);
}

void ProgressRecorder::write_now() {
  const std::lock_guard lock(mutex_);
  has_begun_ = true;
  write_progress(file_, progress_);
  // Behind the writing, which is no work of the training.
  work_seen_ = work_count();
}

void ProgressRecorder::renew() {
  {
    const std::lock_guard lock(mutex_);
    if (!has_begun_ || work_count() == work_seen_) return;
  }
  try {
    write_now();
  } catch (const WriteError&) {
  }
}

void ProgressRecorder::write() {
  try {
    write_now();
  } catch (const WriteError& error) {
    if (!warned_) observer_.on_warning(concat("the progress cannot be written: ", error.what()));
    warned_ = true;
  }
}

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
