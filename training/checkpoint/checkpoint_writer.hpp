#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "training/checkpoint/checkpoint_folder.hpp"

namespace gausscse {

/// Writer of checkpoints on its own thread: training waits only while the state is copied to memory, or while the
/// checkpoint before is still being written. A checkpoint that cannot be written is a message, not the end of the
/// training; the ones before it stay.
class CheckpointWriter {
 public:
  /// Starts the thread. `configuration` and `trial` go into every checkpoint.
  CheckpointWriter(CheckpointFolder folder, std::string configuration, std::string trial = {});
  /// Finishes the states that were submitted.
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// Copies `state` (its configuration and trial are not looked at) and has it written. Memory that is refused to the
  /// copy is a message, too.
  void submit(const TrainingState& state);
  /// Waits until all is written.
  void finish();
  /// Returns the problems since the last call.
  std::vector<std::string> take_problems();
  /// Returns why the last checkpoint is lost; empty where it was written, or none was.
  std::string last_problem();
  /// Returns the bytes of the host's memory that the tensors of a submitted state take; it is kept from one to the
  /// next. By the thread that submits.
  std::int64_t bytes_of_copy() const;
  /// Returns whether a checkpoint was submitted.
  bool used() const { return used_; }

 private:
  void work();
  /// Takes note of a checkpoint that is not there; the mutex is locked.
  void lose(std::int64_t step, const std::string& why);

  CheckpointFolder folder_;
  TrainingState copy_;  ///< belongs to the thread while `busy_`
  std::mutex mutex_;
  std::condition_variable changed_;
  bool busy_ = false;
  bool closing_ = false;
  bool used_ = false;
  std::vector<std::string> problems_;
  std::string last_problem_;
  std::thread thread_;
};

}  // namespace gausscse
