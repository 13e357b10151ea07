#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gausscse {

/// Coordinates of vectors along the directions in which they vary most.
struct PrincipalComponents {
  std::int64_t count = 0;           ///< number of components: those asked for, or the width where it is less
  std::vector<double> coordinates;  ///< [vectors, count], of vectors less their mean
  std::vector<double> shares;       ///< share of the variance of each component; 0 where all vectors are equal
};

/// Returns the first `count` (over 0) components of `vectors` [any number, width], in float64: the eigenvectors of the
/// largest eigenvalues of their covariance. The sign of each makes its element of the largest absolute value, the first
/// of equal ones, positive. The same bits for any number of threads. Throws InputError where a value is not finite.
PrincipalComponents principal_components(std::span<const float> vectors, std::int64_t width, std::int64_t count);

}  // namespace gausscse
