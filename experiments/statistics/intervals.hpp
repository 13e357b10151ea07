#pragma once

#include <span>

namespace gausscse {

/// Both ends are NaN where there is none.
struct Interval {
  double low = 0, high = 0;
};

/// Returns Student's interval of the mean of a normal population from which the values were drawn independently: mean
/// -+ t s / sqrt(n), s the sample standard deviation, t the (1 + confidence) / 2 quantile of Student's distribution
/// with n - 1 degrees of freedom (Student, "The probable error of a mean", 1908). NaN of fewer than two values.
Interval student_interval(std::span<const double> values, double confidence = 0.95);

/// Returns Wilson's interval of a proportion seen in `trials` independent trials of which `successes` succeeded: (p +
/// z^2/2n -+ z sqrt(p (1 - p)/n + z^2/4n^2)) / (1 + z^2/n), z the (1 + confidence) / 2 quantile of the normal
/// distribution (Wilson, "Probable inference, the law of succession, and statistical inference", 1927). `successes`
/// need not be whole: it may be a mean over runs on the same items. NaN of no trials.
Interval wilson_interval(double successes, double trials, double confidence = 0.95);

}  // namespace gausscse
