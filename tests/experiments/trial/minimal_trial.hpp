#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "experiments/trial/trial.hpp"

namespace gausscse::testing_support {

/// The required keys and nothing else.
inline constexpr std::string_view minimal_trial = R"(format: gausscse-trial/1
backbone: {path: model}
data: {train: train.jsonl, dev: dev.jsonl}
output: out
)";

inline Trial parse(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  return parse_trial(yaml, "trial.yaml", "/base", overrides);
}

/// The message of the InputError with which the text is refused; empty if it is not.
inline std::string refusal(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  try {
    parse(yaml, overrides);
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace gausscse::testing_support
