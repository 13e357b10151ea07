#pragma once

#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/file_calls.hpp"
#include "experiments/claims/claim.hpp"

namespace gausscse {

/// Renews claims from its own thread, which nothing that the worker does holds up.
class ClaimRenewal {
 public:
  /// Starts the thread, which renews every `lease` / 6, in seconds. Throws SystemError where the machine refuses a
  /// thread.
  explicit ClaimRenewal(double lease);
  ~ClaimRenewal();
  ClaimRenewal(const ClaimRenewal&) = delete;
  ClaimRenewal& operator=(const ClaimRenewal&) = delete;

  /// Renews the claim from now on, for as long as anybody else holds it.
  void add(const std::shared_ptr<Claim>& claim);

 private:
  void run();
  std::vector<std::shared_ptr<Claim>> claims();

  int milliseconds_;
  FileDescriptor end_read_, end_write_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<Claim>> claims_;
  std::thread thread_;
};

}  // namespace gausscse
