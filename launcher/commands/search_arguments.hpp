#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "base/lists.hpp"
#include "base/output_paths.hpp"
#include "data/corpus/read_report.hpp"
#include "inference/search/search_hit.hpp"
#include "inference/sentence_model.hpp"
#include "launcher/commands/model_options.hpp"

namespace gausscse {

/// Options of `gausscse search`.
struct SearchArguments {
  SentenceModelOptions model;  ///< with the prompt of queries
  PromptChoice corpus_prompt;
  DeviceOptions device;
  std::vector<std::string> corpus;
  std::string queries, direction, text, out, json, mine, calibration, calibrator;
  double risk = 0;      ///< 0: not given
  std::size_t top = 0;  ///< 0: not given
  std::size_t mine_skip = 0;
  bool header = false;
  bool skip_bad_lines = false;
  ExistingFile existing = ExistingFile::refuse;

  bool mines() const { return !mine.empty(); }
  std::size_t wanted() const { return top > 0 ? top : mines() ? 1 : 10; }
  /// Returns the given direction; a mining looks for sentences that the premise seems to entail.
  SearchDirection chosen_direction() const {
    if (direction.empty()) return mines() ? SearchDirection::entailed_by : SearchDirection::entails;
    return parse_choice<SearchDirection>("--direction", direction);
  }
  /// Returns the paths of the corpus with commas between them.
  std::string corpus_text() const { return joined(corpus); }
  BadLines bad_lines() const { return skip_bad_lines ? BadLines::skip : BadLines::error; }
  /// Returns the options that change the answer, for `check_agreement`.
  std::string agreement() const {
    return concat("--direction ", name_of(chosen_direction()), "\n--top ", wanted(), "\n--mine ",
                  mines() ? "given" : "not given", "\n--mine-skip ", mine_skip, "\n--corpus-prompt ",
                  corpus_prompt.text.value_or(""), "\n--corpus-prompt-name ", corpus_prompt.name, "\nbad lines ",
                  skip_bad_lines ? "skipped" : "refused", "\n");
  }
};

/// Adds the options that set `arguments`.
void add_search_options(CLI::App& command, SearchArguments& arguments);

/// Throws InputError where an output exists, is an input or has no known suffix.
void check_search_outputs(const SearchArguments& arguments);

}  // namespace gausscse
