#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace gausscse {

inline constexpr std::size_t max_test_name_bytes = 64;

/// Rule of `is_test_name`, for messages.
inline constexpr std::string_view test_name_rule =
    "1 to 64 letters, digits, dashes and underscores (a dot would end it in --set tasks.NAME.KEY=VALUE)";

/// Returns whether a task, a test set or a state may have this name: it names an HDF5 group and a JSON key, and stands
/// between dots in the keys of a trial.
inline bool is_test_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= max_test_name_bytes && std::all_of(name.begin(), name.end(), allowed);
}

}  // namespace gausscse
