#pragma once

namespace gausscse {

/// Who may ask a worker to stop.
class StopRequests {
 public:
  StopRequests() = default;
  StopRequests(const StopRequests&) = delete;
  StopRequests& operator=(const StopRequests&) = delete;
  virtual ~StopRequests() = default;

  /// How often it was asked: once, and trials are to make a checkpoint and end; twice, and they are to end at once.
  virtual int count() const = 0;
  /// The signal that asked first; 0: none did.
  virtual int signal() const = 0;
};

/// SIGINT, SIGTERM, SIGUSR1 and SIGUSR2, while it lives; those that come within a second or two are one. One object at
/// a time.
class StopSignals : public StopRequests {
 public:
  StopSignals();
  ~StopSignals() override;

  int count() const override;
  int signal() const override;
};

}  // namespace gausscse
