#pragma once

#include "training/training_observer.hpp"

namespace gausscse {

/// Turns signals into requests while it lives: SIGUSR1 asks for a checkpoint, `stop_signals` ask for a checkpoint and
/// the end. A second SIGTERM or SIGINT ends the process at once. (mpirun passes SIGUSR1 and SIGUSR2 on to all ranks,
/// and gives about a second after SIGTERM.) One object at a time.
class SignalRequests : public TrainingRequests {
 public:
  /// Has this thread's signals wait until there is an object.
  static void hold();
  SignalRequests();
  ~SignalRequests() override;

  bool take_checkpoint() override;
  bool stop() override;

  /// Returns the signal that asked to stop; SIGTERM where another rank had it.
  static int stop_signal();
};

}  // namespace gausscse
