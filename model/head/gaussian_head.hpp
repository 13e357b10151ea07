#pragma once

#include <memory>
#include <vector>

#include "model/head/head.hpp"

namespace gausscse {

/// Returns the parameters of a Gaussian head on vectors of width `hidden`.
std::vector<ParameterSpec> gaussian_head_parameters(const HeadSettings& settings, std::int64_t hidden);

/// Makes a Gaussian head, [n, hidden] -> [n, 2 hidden]: mean, then log-variance.
///
///     vector --- scale unit: to length sqrt(hidden) --- x --+-- layer of the mean -- scale unit, again -- mean
///                                                           |
///                                                           +-- layer, or two, of the log-variance ------ log_var
std::unique_ptr<Head> make_gaussian_head(const HeadSettings& settings, std::int64_t hidden, ParameterStore& parameters,
                                         Matmuls& products);

}  // namespace gausscse
