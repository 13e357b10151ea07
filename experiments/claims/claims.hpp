#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "experiments/claims/claim.hpp"
#include "experiments/claims/claim_watch.hpp"

namespace gausscse {

/// How workers on any number of hosts share the trials of a results folder, with nothing but its file system.
///
/// 1. Claiming. `claims/IDENTITY.G` is made exclusively (O_CREAT | O_EXCL): whoever makes it holds the trial. Of
/// several
///    generations G only the highest is valid. No G is used twice: a new one lies above every generation that is left
///    anywhere in the results folder. After claiming, the holder looks whether the trial was done or failed meanwhile.
/// 2. Signs of life. The holder raises a counter in the file, from a thread that does nothing else (`ClaimRenewal`).
///    Others judge it dead by their own steady clock (`ClaimWatch`); clocks are never compared.
/// 3. Taking over. The claim G of a dead holder is taken over by making G + 1, exclusively again: one succeeds. A
/// holder
///    that lives after all (it was asleep, or cut off) finds G + 1, or its own file gone, at its next renewal or before
///    it writes, kills its trial and gives up, writing nothing.
/// 4. Fencing. The holder of G works in `unfinished/IDENTITY.G`, and begins by renaming what an earlier one left to
/// this
///    name (`take_over_folder`). What an earlier holder's trial still writes goes to paths that are gone.
/// 5. Committing. `unfinished/IDENTITY.G` is renamed to `trials/IDENTITY` (`commit_folder`). The rename fails if the
///    folder was taken over, and if a done trial is there: each trial is committed once, whoever is late.
/// 6. Releasing. Older claims are removed, then one's own.
class Claims {
 public:
  /// `lease` in seconds; `process` is what others may look for.
  Claims(const std::filesystem::path& results, double lease, SteadyNow now,
         ProcessIdentity process = this_process_identity());

  /// Looks at all claims; call it more often than twice a lease. By identity: whether the holder of the valid one is
  /// dead, as far as this worker's own claims are not concerned, which never are.
  std::map<std::string, bool> look();

  /// Claims a trial that nobody holds, or whose holder is dead; nothing where another one has it or was quicker.
  std::unique_ptr<Claim> acquire(const std::string& identity);

  /// Returns who holds a trial, in words: "process 17 on node3 (its claim was renewed 15s ago; it is taken over where
  /// 1m45s more pass without a renewal)". Times are those that this worker has seen.
  std::string holder_of(const std::string& identity) const;

  const std::string& worker() const { return content_.worker; }

 private:
  bool is_dead(const std::string& identity, long generation);
  long highest_left(const std::string& identity) const;

  std::filesystem::path results_, folder_;
  ClaimContent content_;
  ClaimWatch watch_;
};

}  // namespace gausscse
