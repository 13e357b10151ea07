#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/corpus/choices.hpp"

namespace gausscse {

/// What was read, summed over all files read with the same report.
struct ReadReport {
  std::size_t pairs = 0;                       ///< pairs, or triples of a CSV, that were read and kept
  std::size_t without_gold_label = 0;          ///< those of `pairs` whose label is NliLabel::none
  std::size_t bad_lines = 0;                   ///< lines left out
  std::vector<std::string> bad_line_messages;  ///< the first `max_messages` of them, each with file and line

  static constexpr std::size_t max_messages = 20;

  /// Throws InputError with `message` or notes the line, as `mode` says.
  void bad_line(BadLines mode, std::string message);
};

}  // namespace gausscse
