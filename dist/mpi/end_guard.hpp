#pragma once

#include <sys/types.h>

#include <string>

namespace gausscse::detail {

/// Child process that ends its parent, a rank, where this one is stopped inside MPI's end. The other ranks have gone by
/// then, and no thread of a stopped process could act: without the child the launcher would wait for the rank for ever.
class EndGuard {
 public:
  /// Starts the child. After `seconds` it prints `text` on standard error and kills the rank. Where no process can be
  /// started, the rank has no guard.
  EndGuard(double seconds, const std::string& text);
  /// Ends the child.
  ~EndGuard();
  EndGuard(const EndGuard&) = delete;
  EndGuard& operator=(const EndGuard&) = delete;

 private:
  int rank_is_in_ = -1;  ///< end of a pipe, open for as long as the child is to wait
  pid_t child_ = -1;
};

}  // namespace gausscse::detail
