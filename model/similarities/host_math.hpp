#pragma once

#include <cmath>

namespace gausscse::kernels {

/// Arithmetic of numbers on the host, for evaluation and tests.
struct HostMath {
  static double exp(double x) { return std::exp(x); }
  static double log(double x) { return std::log(x); }
  static double reciprocal(double x) { return 1 / x; }
};

}  // namespace gausscse::kernels
