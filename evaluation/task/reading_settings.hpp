#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "config/tasks/nli_scoring.hpp"
#include "data/corpus/choices.hpp"
#include "data/corpus/corpus_layout.hpp"
#include "data/corpus/held_out_pairs.hpp"
#include "inference/calibration/calibration.hpp"
#include "inference/sentence_model.hpp"

namespace gausscse {

/// Settings of how tasks read their files, regardless of the model.
struct ReadingSettings {
  std::size_t threads = 1;               ///< threads that tokenise
  NliScoring scoring = {};               ///< for NLI tasks that do not set it themselves
  BadLines bad_lines = BadLines::error;  ///< for every file that is read
  CorpusLayout layout = {};              ///< columns and labels of files of NLI and of scored pairs
  HeldOutFiles held_out = {};            ///< source of the pairs of NLI tasks without a file
  bool mteb_scores = false;              ///< true if measurements have them
  /// Calibration for NLI tasks whose threshold is a number: the one that goes with the model.
  std::optional<Calibration> calibration = std::nullopt;
  /// Calibration by which retrieval tasks measure the probabilities of their best hits; of pairs or of hits.
  std::optional<Calibration> hit_calibration = std::nullopt;
  /// Name of the retrieval task that a calibration of hits is fitted on, for it and all later ones; empty: none.
  std::string hits_fitted_on = {};

  /// Returns the settings for a task whose files have names of their own.
  ReadingSettings with(const CorpusLayout& own) const {
    ReadingSettings settings = *this;
    settings.layout = own.over(layout);
    return settings;
  }
};

/// Returns the number of tokens to which tasks cut a sentence that is embedded whole where it can be. It is that of the
/// training for a Gaussian model, and the encoder's limit for others (released programs).
inline std::size_t default_max_tokens(const SentenceModel& model) {
  return is_gaussian(model.properties.similarity) ? model.max_tokens : model.positions;
}

}  // namespace gausscse
