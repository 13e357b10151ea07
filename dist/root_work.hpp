#pragma once

#include <string>

#include "base/error.hpp"
#include "dist/communicator.hpp"
#include "dist/slow_work.hpp"

namespace gausscse {

/// Does `work` on rank 0, for which the others wait as long as it takes; what it throws as an InputError is thrown on
/// all ranks. Collective.
template <typename Work>
void run_on_root(Communicator& communicator, const Work& work) {
  std::string problem;
  if (communicator.is_root()) {
    try {
      const SlowWork at_work(communicator);
      work();
    } catch (const InputError& error) {
      problem = error.what();
    }
  }
  problem = communicator.all_gather_text(problem).front();
  if (!problem.empty()) throw InputError(problem);
}

}  // namespace gausscse
