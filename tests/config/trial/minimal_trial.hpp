#pragma once

#include "config/trial/trial.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

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
inline testing::AssertionResult says_only(std::string_view message, std::string_view part) {
  if (message.find('\n') != std::string_view::npos) return testing::AssertionFailure() << "several lines: " << message;
  return says(message, part);
}

/// A text, and a part of the message with which it is refused.
struct Refusal {
  std::string text, message;
};

/// Expects `refusal_of_text` to give each text's message, alone or, with `says`, among others.
template <std::size_t count, typename RefusalOf>
void expect_refusals(const Refusal (&refusals)[count], const RefusalOf& refusal_of_text,
                     testing::AssertionResult (*matches)(std::string_view, std::string_view) = says_only) {
  for (const Refusal& each : refusals) {
    SCOPED_TRACE(each.text);
    EXPECT_TRUE(matches(refusal_of_text(each.text), each.message));
  }
}

}  // namespace gausscse
