#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/trial/trial.hpp"
#include "tests/support/refusal.hpp"

namespace gausscse::testing_support {

/// The required keys and nothing else: four lines.
inline constexpr std::string_view minimal_trial = R"(format: gausscse-trial/2
model: {backbone: {path: model}}
data: {train: train.jsonl}
output: out
)";

/// Returns the minimal trial with one more line, its fifth, or several.
inline std::string with(std::string_view line) {
  return concat(minimal_trial, line, "\n");
}

inline Trial parse(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  return parse_trial(yaml, "trial.yaml", "/base", overrides);
}

/// Returns the message of the InputError with which the text is refused; "accepted" if it is not.
inline std::string refusal(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  return refusal_of([&] { parse(yaml, overrides); });
}

/// For EXPECT_TRUE: whether `message` is one line and has `part` in it.
inline testing::AssertionResult says_only(const std::string& message, std::string_view part) {
  if (message.find('\n') != std::string::npos) return testing::AssertionFailure() << "several lines: " << message;
  return says(message, part);
}

}  // namespace gausscse::testing_support
