#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "config/trial/trial_choices.hpp"
#include "data/transfer/transfer_layout.hpp"

namespace gausscse {

/// Choices that the metrics of an NLI set depend on besides the scores of its pairs and the threshold.
struct NliScoring {
  setting::TwoWayPairs two_way_pairs = setting::TwoWayPairs::keep;
  setting::NoGoldLabel no_gold_label = setting::NoGoldLabel::non_entailment;
  setting::Auprc auprc = setting::Auprc::trapezoid;
  bool operator==(const NliScoring&) const = default;
};

/// Returns the choices as words under the last part of the trial's keys, such as `auprc: sweep`.
std::map<std::string, std::string> to_words(const NliScoring& scoring);

/// Returns the scoring of these words; a choice without a word is as in the released program. Throws InputError where a
/// word is unknown.
NliScoring parse_scoring(const std::map<std::string, std::string>& words);

/// Word of NliTaskSettings::threshold: the set chooses its own.
inline constexpr const char* own_threshold = "own";

/// Settings of an NLI task: its file, its threshold, and how it is scored.
struct NliTaskSettings {
  std::filesystem::path file;
  /// Source of the threshold of similarity, from which on a pair counts as entailment: "own" (the one with the best
  /// accuracy on the set itself), the name of another NLI task, or a number.
  std::string threshold = own_threshold;
  /// Rows of SICK's full release; nothing: dev where the threshold is the set's own, else test.
  std::optional<setting::SickRows> rows = {};
  /// Scoring of the pairs; nothing: as the trial, or the model, has it for all its NLI tasks.
  std::optional<setting::TwoWayPairs> two_way_pairs = {};
  std::optional<setting::NoGoldLabel> no_gold_label = {};
  std::optional<setting::Auprc> auprc = {};
  /// Column or JSON key of the file for each value of which metrics are computed as well; empty: none.
  std::string by = {};
  bool operator==(const NliTaskSettings&) const = default;
};

/// Settings of an STS task.
struct StsTaskSettings {
  /// Folders of a SemEval year, files of the STS benchmark and of SICK; each gives one subset or more.
  std::vector<std::filesystem::path> files;
  /// Year of SemEval's folders, 12 to 16; 0: found out from the subsets that are there.
  std::int64_t year = 0;
  /// True if white space collapses to single blanks, none at the ends, as SentEval reads; RoBERTa's tokens depend on
  /// it.
  bool collapse_white_space = true;
  bool operator==(const StsTaskSettings&) const = default;
};

/// Settings of measurements of the geometry of tokens.
struct GeometrySettings {
  /// True if padding counts as its own token id, as in the released notebook: see `pack_batch_with_pads`.
  bool pads = false;
  std::int64_t samples = 1000;  ///< sentences of a metric that is sampled
  std::int64_t draws = 10;      ///< samples that informativity is averaged over
  std::int64_t seed = 0;
  bool vectors = false;  ///< true if the mean-pooled vectors of the sentences are kept
  bool operator==(const GeometrySettings&) const = default;
};

struct GeometryTaskSettings {
  std::filesystem::path file;  ///< one sentence a line, or a file of the STS benchmark
  GeometrySettings measured = {};
  std::int64_t vectors_at = 0;  ///< steps after which what was measured is kept with its vectors, too; 0: none
  bool operator==(const GeometryTaskSettings&) const = default;
};

/// Settings of a task of three labels.
struct NliLabelsTaskSettings {
  std::filesystem::path file;
  setting::SickRows rows = setting::SickRows::test;  ///< rows to read of SICK's full release
  bool operator==(const NliLabelsTaskSettings&) const = default;
};

/// SentEval's classification tasks.
struct TransferTaskSettings {
  std::filesystem::path folder;  ///< laid out as SentEval's data/downstream
  /// Tasks that are averaged; SimCSE's seven by default.
  std::vector<TransferDataset> tasks{TransferDataset::mr,   TransferDataset::cr,   TransferDataset::subj,
                                     TransferDataset::mpqa, TransferDataset::sst2, TransferDataset::trec,
                                     TransferDataset::mrpc};
  setting::TransferMode mode = setting::TransferMode::full;
  std::int64_t seed = 1111;
  bool operator==(const TransferTaskSettings&) const = default;
};

/// A task under the user's name for it.
struct TaskSettings {
  std::string name;
  /// Steps between its measurements while training; 0: only the states at the end of training are measured.
  std::int64_t eval_every = 0;
  std::variant<NliTaskSettings, StsTaskSettings, GeometryTaskSettings, NliLabelsTaskSettings, TransferTaskSettings>
      of_kind;
  bool operator==(const TaskSettings&) const = default;
};

setting::TaskKind kind_of(const TaskSettings& task);

/// Returns every file and folder that the task reads.
std::vector<std::filesystem::path> files_of(const TaskSettings& task);

/// Returns the files of these, in their order; of a folder the text files in it, by name, but of transfer tasks those
/// of the tasks, if they are there.
std::vector<std::filesystem::path> content_files_of(const TaskSettings& task);

/// Returns the name of the NLI task that the threshold comes from; empty where it is the task's own, or a number, or
/// the task of another kind.
std::string threshold_task_of(const TaskSettings& task);

/// Returns the number that the threshold of an NLI task is; nothing where it is none.
std::optional<double> fixed_threshold_of(const NliTaskSettings& task);

}  // namespace gausscse
