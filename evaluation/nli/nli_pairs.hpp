#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/tasks/nli_scoring.hpp"
#include "data/corpus/held_out_pairs.hpp"
#include "data/corpus/nli_pair.hpp"
#include "data/corpus/read_report.hpp"
#include "data/corpus/token_store.hpp"
#include "evaluation/task/listed_task.hpp"
#include "evaluation/task/reading_settings.hpp"
#include "inference/pair_scores.hpp"

namespace gausscse {

/// The pairs of an NLI corpus as tasks take them, one value a pair in the file's order.
struct NliPairs {
  std::vector<std::uint32_t> premise, hypothesis;                       ///< numbers in `sentences`
  std::vector<std::uint8_t> label;                                      ///< an NliLabel
  std::vector<std::uint8_t> both_ways;                                  ///< 1 where the pair entails both ways
  std::vector<std::int64_t> premise_characters, hypothesis_characters;  ///< Unicode code points
  std::vector<double> premise_words, hypothesis_words;                  ///< `word_weights` among the set's sentences
  std::vector<std::int64_t> cluster;                                    ///< see `pair_clusters`
  std::vector<bool> fitted;        ///< true where a calibration of this set is fitted on the pair, see `fitted_pairs`
  std::string content_hash;        ///< XXH3-128 of all texts and labels, as 32 hexadecimal digits
  std::string group_key;           ///< column or JSON key of the file that groups the pairs; empty: none
  std::vector<std::string> group;  ///< the pair's value there, as part of a metric's name; empty without a key
  std::optional<TokenStore> sentences;         ///< each distinct one once, cut as the model cuts them
  bool of_sick = false;                        ///< true if it is a file with SICK's columns
  std::optional<HeldOutCounts> held_out = {};  ///< counts of the training files, if the pairs are held out of them
  ReadReport report;

  /// Returns premise and hypothesis of each pair.
  std::vector<RowPair> rows() const;
};

/// Treatment of pairs without one of the three gold labels.
enum class UnlabelledPairs {
  keep,      ///< for tasks that ask for entailment alone: sets of two labels are read, too
  leave_out  ///< for tasks of three labels
};

/// Reads and tokenises the pairs of `file`, or those of `reading.held_out` where it is empty. `rows` are those of
/// SICK's full release, `group_key` becomes `NliPairs::group_key`. In a group's name each character but letters,
/// digits, "_", "-" and ":" becomes "_", and an empty value is "-". Throws InputError as the readers do, where no pair
/// is left, and for a key with over `most_groups` values or two of one name.
NliPairs read_nli_pairs(const std::filesystem::path& file, setting::SickRows rows, UnlabelledPairs unlabelled,
                        const SentenceModel& model, const ReadingSettings& reading, const std::string& group_key = {});

/// Returns the file, or words for the held-out examples where it is empty, for messages.
std::string source_of_pairs(const std::filesystem::path& file);

/// Adds to the task the remarks for the user on the pairs, which were read for `model`.
void describe_nli_pairs(const NliPairs& pairs, const SentenceModel& model, ListedTask& task);

/// A key with more values numbers the pairs rather than groups them.
inline constexpr std::size_t most_groups = 100;

}  // namespace gausscse
