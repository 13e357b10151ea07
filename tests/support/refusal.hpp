#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace gausscse::testing_support {

/// Returns the message of the InputError that `action()` throws, or "accepted" if it throws none.
template <typename Action>
std::string refusal_of(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

/// For EXPECT_TRUE: whether `message` has `part` in it, and if not, the message.
inline testing::AssertionResult says(std::string_view message, std::string_view part) {
  if (message.find(part) != std::string_view::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "\"" << part << "\" is not in: " << message;
}

}  // namespace gausscse::testing_support
