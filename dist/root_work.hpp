#pragma once

#include <string>

#include "base/error.hpp"
#include "dist/communicator.hpp"

namespace gausscse {

/// Does `work` on rank 0; what that throws as an InputError is thrown on all ranks. Collective.
template <typename Work>
void run_on_root(Communicator& communicator, const Work& work) {
  std::string problem;
  if (communicator.is_root()) {
    try {
      work();
    } catch (const InputError& error) {
      problem = error.what();
    }
  }
  problem = communicator.all_gather_text(problem).front();
  if (!problem.empty()) throw InputError(problem);
}

}  // namespace gausscse
