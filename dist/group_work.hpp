#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "dist/control_group.hpp"

namespace gausscse {

/// Marks this rank, until its end or as long as it lives, as doing work for which others may have to wait longer than
/// for any collective: reading or writing large files. Ranks that wait for it in a collective wait on as long as it
/// gives signs of life. May be nested.
class LongOperation {
 public:
  explicit LongOperation(ControlGroup& ranks) : ranks_(&ranks) { ranks.set_long_operation(true); }
  ~LongOperation() { end(); }
  LongOperation(const LongOperation&) = delete;
  LongOperation& operator=(const LongOperation&) = delete;

  /// Ends the slow work. Does nothing the second time.
  void end() {
    if (ControlGroup* ranks = std::exchange(ranks_, nullptr)) ranks->set_long_operation(false);
  }

 private:
  ControlGroup* ranks_;
};

/// Throws InputError on all ranks where some have a problem that is not empty, with that of the lowest of these ranks.
/// Collective.
void share_problem(ControlGroup& ranks, const std::string& problem);

/// Does `work` on every rank where `works` is true, for which the others wait as long as it takes. What it throws as an
/// InputError is thrown on all ranks: the message of the lowest rank. `work` calls no collective. Collective.
template <typename Work>
void run_on_ranks(ControlGroup& ranks, bool works, const Work& work) {
  std::string problem;
  if (works) {
    try {
      const LongOperation at_work(ranks);
      work();
    } catch (const InputError& error) {
      problem = error.what();
    }
  }
  share_problem(ranks, problem);
}

/// Runs the work on rank 0 alone, and throws its error on all ranks. Collective.
template <typename Work>
void run_on_root(ControlGroup& ranks, const Work& work) {
  run_on_ranks(ranks, ranks.is_root(), work);
}

/// Throws InputError on all ranks where `own` is not the same on all of them: which ranks differ, and in which line.
/// `what` names it in the message: "the configuration".
void check_agreement(ControlGroup& ranks, const std::string& what, const std::string& own);

/// Returns whether `own` is true on some rank. Collective.
bool is_true_on_any(ControlGroup& ranks, bool own);

/// Sends numbers of rank 0 to all; those of the others, which may be more or fewer, are replaced. Collective.
void broadcast_numbers(std::vector<double>& numbers, ControlGroup& ranks);

}  // namespace gausscse
