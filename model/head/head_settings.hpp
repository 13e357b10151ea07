#pragma once

#include <cstdint>
#include <string>

#include "model/choices.hpp"

namespace gausscse {

/// Most columns of the hidden layer of a log-variance.
inline constexpr std::int64_t most_log_var_width = 65'536;

/// Shape of a head, free of LibTorch. All but the kind is for Gaussian ones.
struct HeadSettings {
  HeadKind kind = HeadKind::gaussian;
  MeanLayer mean = MeanLayer::tanh;
  MeanScale scale = MeanScale::none;
  LogVarLayer log_var = LogVarLayer::linear;
  std::int64_t log_var_width = 256;  ///< columns of the hidden layer of the log-variance, if it has one

  bool operator==(const HeadSettings&) const = default;
};

/// Returns the shape in words: "gaussian, mean linear, scale unit, log_var mlp of 256".
std::string text_of(const HeadSettings& head);

}  // namespace gausscse
