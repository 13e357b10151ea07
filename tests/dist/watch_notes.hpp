#pragma once

#include <memory>
#include <string>

#include "dist/monitored_communicator.hpp"

namespace gausscse {

/// Watch that writes down the reports it gets.
class WatchNotes : public CollectiveWatch {
 public:
  explicit WatchNotes(std::string& text) : text_(text) {}
  void enter(const CollectiveCall& call) override { text_ += to_string(call) + ", "; }
  void queued(const QueuedCollective& collective) override {
    text_ += collective.is_done() ? "queued and done, " : "queued, ";
  }
  void leave() override { text_ += "left, "; }
  void set_long_operation(bool slow_work) override { text_ += slow_work ? "slow, " : "not slow, "; }

 private:
  std::string& text_;
};

/// Returns a process alone whose watch writes to `notes`.
inline MonitoredCommunicator noted_communicator(std::string& notes) {
  return MonitoredCommunicator(make_self_control_group(), make_self_collectives(), std::make_unique<WatchNotes>(notes),
                               false);
}

}  // namespace gausscse
