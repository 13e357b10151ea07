#pragma once

// Headers that most tests include, precompiled: GoogleTest, the standard library, errors, files, and what tests share.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {

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

}  // namespace gausscse
