#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace gausscse {

/// Clock that never goes back.
using SteadyNow = std::function<std::chrono::steady_clock::time_point()>;

/// Watches claims of others for signs of life. Only the watcher's own steady clock counts: clocks of hosts differ, and
/// are set.
class ClaimWatch {
 public:
  /// Makes a watch. `lease`: the watcher's own, in seconds, and that of claims that say none.
  ClaimWatch(double lease, SteadyNow now) : lease_(lease), now_(std::move(now)) {}

  /// Takes note of the content of a claim's file now, and returns whether its holder is dead. The holder is dead if
  /// nothing in the file has changed for longer than its lease while it was looked at at least every half of the longer
  /// lease, the claim's or the watcher's (a watcher that was asleep itself has seen nothing). It is dead at once if its
  /// process is known to be gone.
  bool is_dead(const std::string& name, const std::string& bytes);

  /// Returns for how long nothing has changed in a claim that was looked at; 0 where it never was.
  double seconds_of_silence(const std::string& name) const;

  /// Forgets what is not among `names`.
  void keep_only(const std::set<std::string>& names);

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Seen {
    std::string bytes;
    TimePoint unchanged_since, last_look;
  };

  double lease_;
  SteadyNow now_;
  std::map<std::string, Seen> seen_;
};

}  // namespace gausscse
