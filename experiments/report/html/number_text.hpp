#pragma once

#include <cstdint>
#include <string>

#include "results/measurement.hpp"

namespace gausscse {

/// Returns a number with `decimals` decimals, a decimal point regardless of the locale, no "-0"; a dash for one that is
/// not finite.
std::string decimal_text(double value, int decimals);

/// Returns a number with at most four significant digits, no zeros behind them: "0.0123", "1.5e-7", "12345". A dash for
/// one that is not finite.
std::string short_number(double value);

/// Returns a place in a plot: one decimal at most.
std::string coordinate_text(double value);

/// Returns a metric: fractions in percent with two decimals, without the sign; numbers with four; counts whole.
std::string metric_value_text(double value, Unit unit);

/// Returns "12 s", "3 min 20 s", "2 h 5 min", "3 d 4 h".
std::string duration_text(double seconds);

/// Returns "1.2 GB"; in powers of 1000.
std::string bytes_text(std::uint64_t bytes);

}  // namespace gausscse
