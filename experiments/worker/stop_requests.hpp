#pragma once

namespace gausscse {

/// Source of requests to a worker to stop.
class StopRequests {
 public:
  StopRequests() = default;
  StopRequests(const StopRequests&) = delete;
  StopRequests& operator=(const StopRequests&) = delete;
  virtual ~StopRequests() = default;

  /// Returns the number of requests: at one, trials are to make a checkpoint and end; at two, they are to end at once.
  virtual int count() const = 0;
  /// Returns the signal that asked first; 0: none did.
  virtual int signal() const = 0;
};

/// SIGUSR1 and those of base/process.hpp, while it lives; those that come within a second or two are one wish, and
/// so are all hangups, broken pipes and warnings of the processor's time. One object at a time.
class StopSignals : public StopRequests {
 public:
  StopSignals();
  ~StopSignals() override;

  int count() const override;
  int signal() const override;
};

}  // namespace gausscse
