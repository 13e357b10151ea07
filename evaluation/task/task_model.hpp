#pragma once

#include <cstddef>
#include <optional>

#include "config/trial/nli_scoring.hpp"
#include "data/corpus/choices.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "model/choices.hpp"

namespace gausscse {

/// What tasks must know of a model to read for it.
struct TaskModel {
  const Tokenizer& tokenizer;
  std::size_t positions;   ///< tokens that the encoder can take
  std::size_t max_tokens;  ///< that sentences are cut to where the model embeds them
  std::size_t threads = 1;
  bool has_layers = true;  ///< SentenceEmbedder::encoder is not null
  Similarity similarity = Similarity::per_dimension;
  NliScoring scoring = {};               ///< of NLI tasks that do not say themselves
  BadLines bad_lines = BadLines::error;  ///< of every file that is read
  bool mteb_scores = false;              ///< whether measurements have them
  bool trim = false;                     ///< whether sentences of NLI files lose the white space at their ends
  /// The activation of the classifier of pairs among the encoder's parameters; nothing where the model has none.
  std::optional<ClassifierActivation> classifier = {};
};

/// What is embedded whole where it can be is cut to: as in its training for a Gaussian model, as long as the encoder
/// takes for others (released programs).
inline std::size_t whole_sentence_tokens(const TaskModel& model) {
  return is_gaussian(model.similarity) ? model.max_tokens : model.positions;
}

}  // namespace gausscse
