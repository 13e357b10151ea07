#include "evaluation/transfer/rounded_accuracy.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

#include "base/error.hpp"

namespace gausscse {

namespace {

double sum_as_numpy(std::span<const double> values) {
  double sum = 0;
  std::size_t i = 0;
  if (values.size() >= 8) {
    std::array<double, 8> sums{};
    for (; i + 8 <= values.size(); i += 8)
      for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += values[i + lane];
    sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  }
  for (; i < values.size(); ++i) sum += values[i];
  return sum;
}

}  // namespace

double round_as_python(double x) {
  std::array<char, 400> text;
  const char* end = std::to_chars(text.data(), text.data() + text.size(), x, std::chars_format::fixed, 2).ptr;
  double rounded = 0;
  std::from_chars(text.data(), end, rounded);
  return rounded;
}

double round_as_numpy(double x) {
  return std::nearbyint(x * 100) / 100;
}

double mean_as_numpy(std::span<const double> values) {
  GAUSSCSE_CHECK(!values.empty() && values.size() < 128, values.size(), " values are summed another way");
  return sum_as_numpy(values) / static_cast<double>(values.size());
}

}  // namespace gausscse
