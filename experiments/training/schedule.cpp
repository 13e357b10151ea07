#include "experiments/training/schedule.hpp"

#include <algorithm>

namespace gausscse {

double Schedule::learning_rate(std::int64_t step) const {
  const auto at = static_cast<double>(step);
  if (kind == ScheduleKind::linear_increase)
    return total_steps > 1 ? peak * at / static_cast<double>(total_steps - 1) : peak;
  const auto warmup = static_cast<std::int64_t>(warmup_ratio * static_cast<double>(total_steps));
  if (step < warmup) return peak * at / static_cast<double>(warmup);
  return peak * static_cast<double>(total_steps - step) /
         static_cast<double>(std::max<std::int64_t>(1, total_steps - warmup));
}

}  // namespace gausscse
