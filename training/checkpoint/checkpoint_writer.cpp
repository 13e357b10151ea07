#include "training/checkpoint/checkpoint_writer.hpp"

#include <ATen/ops/empty.h>

#include <exception>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "model/device/device_memory.hpp"

namespace gausscse {

namespace {

constexpr at::Tensor TrainingState::*tensors[] = {&TrainingState::values, &TrainingState::moment1,
                                                  &TrainingState::moment2, &TrainingState::best_values};

/// Copies into memory of the CPU, that which is there already, as fresh pages are expensive.
void copy_tensor(const at::Tensor& from, at::Tensor& to) {
  if (!from.defined()) {
    to = at::Tensor();
    return;
  }
  if (!to.defined()) to = at::empty(from.sizes(), from.options().device(at::kCPU));
  to.copy_(from);
}

}  // namespace

CheckpointWriter::CheckpointWriter(CheckpointFolder folder, std::string configuration, std::string trial)
    : folder_(std::move(folder)) {
  copy_.configuration = std::move(configuration);
  copy_.trial = std::move(trial);
  thread_ = std::thread([this] { work(); });
}

CheckpointWriter::~CheckpointWriter() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void CheckpointWriter::submit(const TrainingState& state) {
  finish();
  try {
    TrainingState copy = state;
    for (const auto tensor : tensors) {
      copy_tensor(state.*tensor, copy_.*tensor);
      copy.*tensor = copy_.*tensor;
    }
    copy.configuration = std::move(copy_.configuration);
    copy.trial = std::move(copy_.trial);
    copy_ = std::move(copy);
  } catch (const std::exception& error) {
    if (!ops::is_memory_refused(error)) throw;
    // The training needs it more.
    for (const auto tensor : tensors) copy_.*tensor = at::Tensor();
    const std::lock_guard lock(mutex_);
    lose(state.step, "memory was refused to the copy of the state");
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    busy_ = used_ = true;
  }
  changed_.notify_all();
}

void CheckpointWriter::lose(std::int64_t step, const std::string& why) {
  last_problem_ = concat("the checkpoint of step ", step, " is lost: ", why);
  problems_.push_back(last_problem_);
}

std::int64_t CheckpointWriter::bytes_of_copy() const {
  std::size_t bytes = 0;
  for (const auto tensor : tensors)
    if ((copy_.*tensor).defined()) bytes += (copy_.*tensor).nbytes();
  return static_cast<std::int64_t>(bytes);
}

void CheckpointWriter::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !busy_; });
}

std::vector<std::string> CheckpointWriter::take_problems() {
  const std::lock_guard lock(mutex_);
  return std::exchange(problems_, {});
}

std::string CheckpointWriter::last_problem() {
  const std::lock_guard lock(mutex_);
  return last_problem_;
}

void CheckpointWriter::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return busy_ || closing_; });
    if (!busy_) return;
    lock.unlock();
    std::optional<std::string> problem;
    try {
      folder_.write(copy_);
    } catch (const std::exception& error) {
      problem = error.what();
    }
    lock.lock();
    last_problem_.clear();
    if (problem) lose(copy_.step, *problem);
    busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace gausscse
