#pragma once

#include <span>

#include "base/interval.hpp"

namespace gausscse {

/// Returns the arithmetic mean; NaN of no values. A value that is NaN makes it NaN.
double mean_of(std::span<const double> values);

/// Returns the standard deviation of a sample: sqrt(sum (x - mean)^2 / (n - 1)); NaN of fewer than two values.
double sample_deviation(std::span<const double> values);

/// Returns the middle value, of an even number the mean of the two middle ones; NaN of no values, and where one is NaN.
double median_of(std::span<const double> values);

/// Returns the value below which the share `at` (0 to 1) of the values lies, linear between neighbours. With the values
/// sorted and numbered from 0 it is that at place (n - 1) at: definition 7 of Hyndman and Fan, "Sample quantiles in
/// statistical packages", 1996. `sorted` rises and holds one value at least.
double quantile_of_sorted(std::span<const double> sorted, double at);

/// Returns Student's interval of the mean of a normal population from which the values were drawn independently
/// (Student, "The probable error of a mean", 1908). It is mean -+ t s / sqrt(n), where s is the sample standard
/// deviation, t the (1 + confidence) / 2 quantile of Student's distribution with n - 1 degrees of freedom. NaN of fewer
/// than two values.
Interval student_interval(std::span<const double> values, double confidence = 0.95);

/// Returns `wilson_interval_of` (base/interval.hpp) with z the (1 + confidence) / 2 quantile of the normal
/// distribution.
Interval wilson_interval(double successes, double trials, double confidence = 0.95);

}  // namespace gausscse
