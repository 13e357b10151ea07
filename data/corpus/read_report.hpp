#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "data/corpus/choices.hpp"
#include "data/corpus/nli_pair.hpp"

namespace gausscse {

/// A line of a corpus that cannot be used, where that is an error. Commands add how to leave such lines out.
class BadLine : public InputError {
  using InputError::InputError;
};

/// A fault of a whole file that one of its lines shows. Leaving out the line does not mend it.
class FileFault : public InputError {
  using InputError::InputError;
};

/// Number of pairs with one label.
struct LabelCount {
  std::size_t pairs = 0;
  std::string first;  ///< FILE:LINE of the first of them
};

/// Lines that are bad for the same cause.
struct BadLinesOfCause {
  std::string cause;  ///< message without the parts that differ from line to line
  std::size_t lines = 0;
  /// Messages of the first of them, with file and line; at most `max_examples`, which differ in more than the line.
  std::vector<std::string> examples;

  static constexpr std::size_t max_examples = 3;
};

/// Counts of pairs and lines, summed over all files read with the same report.
struct ReadReport {
  std::size_t pairs = 0;                  ///< pairs, triples, or other items of a corpus that were read and kept
  std::map<NliLabel, LabelCount> labels;  ///< counts by label, where pairs have labels
  std::size_t good_lines = 0;             ///< lines that could be read, also those that give no item
  std::size_t bad_lines = 0;              ///< lines left out
  std::vector<BadLinesOfCause> causes;    ///< causes of these, as they came first; at most `max_causes`

  static constexpr std::size_t max_causes = 20;

  /// Returns the number of pairs with this label.
  std::size_t pairs_with(NliLabel label) const;

  /// Returns all counts of labels: "2 neutral, the first in a.jsonl:1, 1 without gold label, the first in a.jsonl:3".
  std::string labels_text() const;

  /// Throws BadLine, or notes the line, as `mode` says. `place` is FILE:LINE, `why` the fault.
  void bad_line(BadLines mode, const std::string& place, const std::string& why, const std::string& cause);

  /// Returns a report of the lines of `name` that were left out, one string a line. The number of lines comes first,
  /// then for each cause its number and examples: "a.csv: 106 of 9500 lines are left out", "80 lines such as a.csv:12:
  /// the label ...". Nothing without bad lines.
  std::vector<std::string> bad_line_messages(std::string_view name) const;
};

/// Count of the good and bad lines of one file.
class LineTally {
 public:
  /// Begins a file. `name` is the file's, for messages. `report` must outlive the tally; bad lines are added to it.
  LineTally(std::string name, BadLines mode, ReadReport& report)
      : name_(std::move(name)), mode_(mode), report_(report) {}

  /// Calls `parse`, which reads one line. Returns false where it throws InputError: the line is bad, see
  /// `ReadReport::bad_line`, and the message begins with `name:line`. A FileFault is thrown as InputError with that
  /// beginning.
  template <typename Parse>
  bool read(std::size_t line, const Parse& parse) {
    try {
      parse();
      ++good_;
      ++report_.good_lines;
      return true;
    } catch (const FileFault& error) {
      throw InputError(concat(at_line(name_, line), ": ", error.what()));
    } catch (const InputError& error) {
      add_bad_line(line, error.what());
      return false;
    }
  }

  /// Returns the number of lines that `parse` read.
  std::size_t good() const { return good_; }

  /// Ends the file, of whose lines `kept` gave an item. Throws InputError where that is none. Also throws it where more
  /// lines than all others were bad for one reason, so that the file is probably another one; names the reason and the
  /// first such line. `item` names the missing kind ("pair"), `why_none` a further reason that there is none.
  void finish(std::size_t kept, std::string_view item, std::string_view why_none = {}) const;
  void finish(std::string_view item) const { finish(good_, item); }

 private:
  void add_bad_line(std::size_t line, const std::string& why);

  std::string name_;
  BadLines mode_;
  ReadReport& report_;
  std::size_t good_ = 0;
  std::size_t bad_ = 0;
  std::string first_bad_;
  std::vector<BadLinesOfCause> causes_;
};

}  // namespace gausscse
