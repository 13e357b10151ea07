#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/world.hpp"
#include "experiments/claims/claim_content.hpp"

namespace gausscse {

/// A trial that this worker holds: a file IDENTITY.GENERATION that it made. The claim of a trial with the highest
/// generation is valid. An object that goes without `release` leaves the file, as a worker that dies does. Its
/// functions may be called from several threads.
class Claim {
 public:
  /// Makes the file, which must not be there; nothing where it is. Throws WriteError.
  static std::unique_ptr<Claim> create(const std::filesystem::path& folder, const std::string& identity,
                                       long generation, const ClaimContent& content, const World& world = real_world());

  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  const std::string& identity() const { return identity_; }
  long generation() const { return generation_; }
  const std::string& worker() const { return content_.worker; }

  /// Raises the counter. Finds out whether somebody has taken the trial over: then nothing is written. Other refusals
  /// of the machine (a server that does not answer) are left to the next renewal.
  void renew();
  /// Returns whether a renewal found that somebody has taken the trial over, or that the file is gone.
  bool lost() const { return lost_; }
  /// Looks again, and for every higher generation. A host of a network file system may remember names from a minute
  /// ago.
  bool is_still_mine();
  /// Looks again, and asks the file server by making the claim of the next generation, which is removed again. For acts
  /// that the server would not refuse to a former holder. Throws WriteError.
  bool is_surely_mine();

  /// Removes the files of lower generations, then its own; none where it is lost.
  void release();
  /// Removes its own file only.
  void withdraw();

 private:
  Claim(const std::filesystem::path& folder, const std::string& identity, long generation, const ClaimContent& content,
        const World& world);

  std::filesystem::path path(long generation) const;
  bool is_own(const std::optional<std::string>& bytes) const;
  bool is_own_file() const;

  const World& world_;
  std::filesystem::path folder_;
  std::string identity_;
  long generation_;
  ClaimContent content_;
  std::atomic<bool> lost_ = false;
  std::mutex mutex_;
};

/// Returns the bytes of a claim's file; empty where it has none, nothing where it is gone. Throws SystemError.
std::optional<std::string> read_claim_bytes(const std::filesystem::path& path, const World& world = real_world());

/// Renews claims from its own thread, which nothing that the worker does holds up.
class ClaimRenewal {
 public:
  /// Starts the thread, which renews every `lease` / 6, in seconds. Throws SystemError where the machine refuses a
  /// thread.
  explicit ClaimRenewal(double lease, const World& world = real_world());

  /// Renews the claim from now on, for as long as anybody else holds it.
  void add(const std::shared_ptr<Claim>& claim);

 private:
  std::vector<std::shared_ptr<Claim>> claims();

  std::mutex mutex_;
  std::vector<std::weak_ptr<Claim>> claims_;
  std::unique_ptr<Repetition> thread_;
};

}  // namespace gausscse
