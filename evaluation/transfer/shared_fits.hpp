#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "dist/communicator.hpp"

namespace gausscse {

/// Fits that do not depend on each other, shared out over the ranks and their threads.
class SharedFits {
 public:
  explicit SharedFits(Communicator& communicator) : communicator_(communicator) {}

  /// Returns the results of `fit(i)` for each i from 0 to count - 1, `values` numbers each, on all ranks. It is called
  /// once for each i, on one of them, and must start no threads. Collective.
  std::vector<std::vector<double>> run(std::size_t count, std::size_t values,
                                       const std::function<std::vector<double>(std::size_t i)>& fit);

 private:
  Communicator& communicator_;
};

}  // namespace gausscse
