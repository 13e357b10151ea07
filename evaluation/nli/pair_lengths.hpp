#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "data/corpus/corpus_readers.hpp"

namespace gausscse {

/// Metrics that the lengths of a set of NLI pairs reach without any model. Lengths are in characters; pairs without a
/// gold label are left out.
struct PairLengths {
  /// Bins of ln(length of the premise / length of the hypothesis): from -3 to 3, each `bin_width` wide, and one on
  /// either side for values outside.
  static constexpr double lowest = -3, bin_width = 0.25;
  static constexpr std::size_t bins = 24 + 2;

  std::string name;  ///< name of the file
  std::int64_t pairs = 0, without_gold_label = 0, entailments = 0;
  /// Entailment pairs that have a direction, by whether the premise is longer, as long or shorter.
  std::int64_t longer = 0, equal = 0, shorter = 0;
  std::array<std::int64_t, bins> of_all{}, of_entailments{};
  ReadReport report;  ///< bad lines that were left out

  std::int64_t directed() const { return longer + equal + shorter; }
};

/// Reads a set. With `one_way`, pairs that entail both ways have no direction. Throws InputError as the readers do,
/// where no pair has a gold label, and for `one_way` of a file of SICK that lacks the columns of both ways.
PairLengths read_pair_lengths(const std::filesystem::path& file, const ReadOptions& options, bool one_way);

/// Returns a table of baselines: the larger of the classes "entailment" and "not", and the share of entailments, which
/// is the AUPRC of chance. The last is the share of directions that the longer sentence gives (half of the equal
/// lengths are right). Below it the histogram of log ratios, in percent of all pairs and of entailments.
std::string pair_lengths_table(std::span<const PairLengths> sets);

/// Returns the lengths as JSON, with counts of bins: {"format": "gausscse-lengths/1", "sets": [...]}.
std::string pair_lengths_json(std::span<const PairLengths> sets);

}  // namespace gausscse
