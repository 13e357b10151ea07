#include "training/schedule.hpp"

#include <algorithm>
#include <stdexcept>

namespace gausscse {

double Schedule::learning_rate(std::int64_t step) const {
  const auto at = static_cast<double>(step);
  const auto warmup = static_cast<std::int64_t>(warmup_ratio * static_cast<double>(total_steps));
  if (kind != setting::Schedule::linear_increase && step < warmup) return peak * at / static_cast<double>(warmup);
  switch (kind) {
    case setting::Schedule::linear_increase:
      return total_steps > 1 ? peak * at / static_cast<double>(total_steps - 1) : peak;
    case setting::Schedule::warmup_constant:
      return peak;
    case setting::Schedule::warmup_decay:
      return peak * static_cast<double>(total_steps - step) /
             static_cast<double>(std::max<std::int64_t>(1, total_steps - warmup));
  }
  throw std::logic_error("no schedule of this number");
}

}  // namespace gausscse
