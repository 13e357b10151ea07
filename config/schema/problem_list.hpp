#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gausscse {

/// Collects what is wrong with an input, so that a user sees all of it at once.
class ProblemList {
 public:
  void add(std::string problem);
  bool empty() const { return count_ == 0; }

  /// Throws InputError with a problem a line, at most 20 and the number of the others, if there is any.
  void throw_if_any() const;

 private:
  std::vector<std::string> shown_;
  std::size_t count_ = 0;
};

}  // namespace gausscse
