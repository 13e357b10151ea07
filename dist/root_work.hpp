#pragma once

#include <string>

#include "base/error.hpp"
#include "dist/control_group.hpp"
#include "dist/slow_work.hpp"

namespace gausscse {

/// Does `work` on rank 0, for which the others wait as long as it takes; what it throws as an InputError is thrown on
/// all ranks. Collective.
template <typename Work>
void run_on_root(ControlGroup& ranks, const Work& work) {
  std::string problem;
  if (ranks.is_root()) {
    try {
      const SlowWork at_work(ranks);
      work();
    } catch (const InputError& error) {
      problem = error.what();
    }
  }
  problem = ranks.all_gather_text(problem).front();
  if (!problem.empty()) throw InputError(problem);
}

}  // namespace gausscse
