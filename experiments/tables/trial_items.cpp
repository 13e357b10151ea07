#include "experiments/tables/trial_items.hpp"

#include <array>

#include "base/error.hpp"
#include "experiments/study/correct_items.hpp"

namespace gausscse {

namespace {

constexpr std::array<const char*, 3> shares_of_items{"accuracy", "direction_sim", "direction_var"};

/// What tells on which items it was measured, without the scores of these.
std::unique_ptr<Measurement> without_scores(const Measurement& measurement) {
  auto rest = std::make_unique<Measurement>(measurement);
  std::erase_if(rest->columns,
                [](const Column& column) { return !std::holds_alternative<std::vector<std::uint8_t>>(column.values); });
  return rest;
}

/// For every figure that the two have in common.
bool are_of_same_items(const Measurement& a, const Measurement& b) {
  try {
    check_same_items(a, b, "accuracy");
    check_same_items(a, b, "direction_sim");
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

bool is_share_of_items(std::string_view figure) {
  for (const char* share : shares_of_items)
    if (figure == share) return true;
  return false;
}

const Measurement* TrialItems::same_items(const Measurement& measurement) {
  for (const auto& known : measured_)
    if (known->task == measurement.task && are_of_same_items(*known, measurement)) return known.get();
  measured_.push_back(without_scores(measurement));
  return measured_.back().get();
}

TrialItems::OfTrial TrialItems::read(const StudyTrial& trial) {
  OfTrial items;
  try {
    const StateResult kept = kept_with_columns(trial);
    for (const Measurement& task : kept.tasks) {
      const Measurement* measured = nullptr;
      for (const char* figure : shares_of_items) {
        if (!tells_correct_items(task, figure)) continue;
        if (!measured) measured = same_items(task);
        items[concat(task.task, ".", figure)] = {correct_items(task, figure), measured};
      }
    }
  } catch (const InputError& error) {
    problems_[trial.planned.identity] = error.what();
  }
  return items;
}

const std::string* TrialItems::problem_of(const StudyTrial& trial) const {
  const auto problem = problems_.find(trial.planned.identity);
  return problem == problems_.end() ? nullptr : &problem->second;
}

const TrialItems::Items* TrialItems::find(const StudyTrial& trial, const std::string& name) {
  if (trial.status != TrialStatus::done) return nullptr;
  auto known = trials_.find(trial.planned.identity);
  if (known == trials_.end()) known = trials_.emplace(trial.planned.identity, read(trial)).first;
  const auto items = known->second.find(name);
  return items == known->second.end() ? nullptr : &items->second;
}

}  // namespace gausscse
