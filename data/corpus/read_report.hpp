#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "data/corpus/choices.hpp"

namespace gausscse {

/// A line of a corpus that cannot be used, where that is an error. Commands add how to leave such lines out.
class BadLine : public InputError {
  using InputError::InputError;
};

/// What was read, summed over all files read with the same report.
struct ReadReport {
  std::size_t pairs = 0;               ///< pairs, triples of a CSV, or other items of a corpus that were read and kept
  std::size_t without_gold_label = 0;  ///< those of `pairs` whose label is NliLabel::none
  std::size_t not_entailed = 0;        ///< those of `pairs` whose label is NliLabel::not_entailment
  std::size_t bad_lines = 0;           ///< lines left out
  std::vector<std::string> bad_line_messages;  ///< the first `max_messages` of them, each with file and line

  static constexpr std::size_t max_messages = 20;

  /// Throws BadLine with `message` or notes the line, as `mode` says.
  void bad_line(BadLines mode, std::string message);

  /// Calls `parse`, which reads one line. Returns false where it throws InputError: the line is bad (see above), and
  /// the message begins with `name:line`.
  template <typename Parse>
  bool read_line(BadLines mode, const std::string& name, std::size_t line, const Parse& parse) {
    try {
      parse();
      return true;
    } catch (const InputError& error) {
      bad_line(mode, concat(at_line(name, line), ": ", error.what()));
      return false;
    }
  }
};

}  // namespace gausscse
