#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/study/study_results.hpp"

namespace gausscse {

/// Whether a task's figure of this name is a share of right items, so that single items of two trials can be compared.
bool is_share_of_items(std::string_view figure);

/// Which items trials got right, read from their result files: each once, and only those that are asked for.
class TrialItems {
 public:
  /// What a trial's figure says of single items.
  struct Items {
    std::vector<std::uint8_t> right;        ///< of each item
    const Measurement* measured = nullptr;  ///< the same for all trials that were measured on the same items
  };

  /// The items of "TASK.FIGURE" of a done trial; nullptr where it tells of none, or its result cannot be read.
  const Items* find(const StudyTrial& trial, const std::string& name);

  /// Why the result of a trial that was asked for cannot be read; nullptr where it can.
  const std::string* problem_of(const StudyTrial& trial) const;

 private:
  using OfTrial = std::map<std::string, Items>;
  OfTrial read(const StudyTrial& trial);
  const Measurement* same_items(const Measurement& measurement);

  std::map<std::string, OfTrial> trials_;               ///< by identity
  std::vector<std::unique_ptr<Measurement>> measured_;  ///< one for each set of items: its figures and labels
  std::map<std::string, std::string> problems_;         ///< by identity
};

}  // namespace gausscse
