#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "experiments/claims/claim.hpp"

namespace gausscse {

/// Clock that never goes back.
using SteadyNow = std::function<std::chrono::steady_clock::time_point()>;

/// Watches claims of others for signs of life. Only the watcher's own steady clock counts: clocks of hosts differ, and
/// are set.
class ClaimWatch {
 public:
  /// Makes a watch. `lease`: the watcher's own, in seconds, and that of claims that say none.
  ClaimWatch(double lease, SteadyNow now, const World& world = real_world())
      : lease_(lease), now_(std::move(now)), world_(world) {}

  /// Takes note of the content of a claim's file now, and returns whether its holder is dead. The holder is dead if
  /// nothing in the file has changed for longer than its lease. Meanwhile the watcher must have looked at it at least
  /// every half of the longer lease, the claim's or its own: one that was asleep has seen nothing. It is dead at once
  /// if its process is known to be gone.
  bool is_dead(const std::string& name, const std::string& bytes);

  /// Returns for how long nothing has changed in a claim that was looked at; 0 where it never was.
  double seconds_of_silence(const std::string& name) const;

  /// Forgets all claims but those in `names`.
  void keep_only(const std::set<std::string>& names);

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Seen {
    std::string bytes;
    TimePoint unchanged_since, last_look;
  };

  double lease_;
  SteadyNow now_;
  const World& world_;
  std::map<std::string, Seen> seen_;
};

/// Claims of one worker on the trials of a results folder, which workers on any number of hosts share with nothing but
/// its file system.
///
///     Claims claims("results", 120, std::chrono::steady_clock::now);
///     ClaimRenewal renewal(120);                                            // signs of life, from a thread
///     if (const std::shared_ptr<Claim> claim = claims.acquire(identity)) {  // null: another worker has the trial
///       renewal.add(claim);
///       train_and_commit(*claim);
///       claim->release();
///     }
///
/// Protocol of a trial, where `G` is a generation:
///
///  1. Claiming. A worker makes `claims/IDENTITY.G` exclusively (O_CREAT | O_EXCL) and so holds the trial. Only the
///     highest of several generations is valid. No generation is used twice: a new one lies above every generation that
///     is left anywhere in the results folder. The holder then looks whether the trial was done or failed meanwhile.
///  2. Signs of life. The holder raises a counter in the file, from a thread that does nothing else (`ClaimRenewal`).
///     Other workers judge it dead by their own steady clock (`ClaimWatch`); clocks are never compared.
///  3. Taking over. A worker takes over the claim G of a dead holder by making G + 1, exclusively again: one worker
///     succeeds. A holder that lives after all (it was asleep, or cut off) finds G + 1, or its own file gone, at its
///     next renewal or before it writes. It kills its trial and gives up, writing nothing.
///  4. Fencing. The holder of G works in `unfinished/IDENTITY.G`. It begins by renaming the folder of an earlier holder
///     to this name (`take_over_folder`). Later writes of the earlier holder's trial go to paths that are gone.
///  5. Committing. The holder renames `unfinished/IDENTITY.G` to `trials/IDENTITY` (`commit_folder`). The rename fails
///     if the folder was taken over, and if a done trial is there: each trial is committed once.
///  6. Releasing. The holder removes older claims, then its own.
///
/// A host may show names of a folder from a minute ago (attribute caches of NFS), and until it changes the folder
/// itself. So a worker asks the server: it makes the claim of the highest generation that is left, for a moment, before
/// it makes a new one (`acquire`), and that of the next generation before it records a failure
/// (`Claim::is_surely_mine`).
class Claims {
 public:
  /// Looks at nothing yet. `lease` in seconds; `process` is the one that others may look for.
  Claims(const std::filesystem::path& results, double lease, SteadyNow now,
         ProcessIdentity process = this_process_identity(), const World& world = real_world());

  /// Looks at all claims; call it more often than twice a lease. By identity: whether the holder of the valid one is
  /// dead. That may be this worker, which does not renew a claim that it lost.
  std::map<std::string, bool> look();

  /// Claims a trial that nobody holds, or whose holder is dead; nothing where another one has it or was quicker.
  std::unique_ptr<Claim> acquire(const std::string& identity);

  /// Returns who holds a trial, in words: "process 17 on node3 (its claim was renewed 15s ago; it is taken over where
  /// 1m45s more pass without a renewal)". Times are those that this worker has seen.
  std::string holder_of(const std::string& identity) const;

  const std::string& worker() const { return content_.worker; }

 private:
  bool is_dead(const std::string& identity, long generation);
  long highest_abandoned_generation(const std::string& identity) const;

  const World& world_;
  std::filesystem::path results_, folder_;
  ClaimContent content_;
  ClaimWatch watch_;
};

}  // namespace gausscse
