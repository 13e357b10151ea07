#pragma once

#include <string>
#include <vector>

#include "config/tasks/geometry_task_settings.hpp"
#include "data/corpus/token_store.hpp"
#include "evaluation/geometry/token_geometry.hpp"
#include "evaluation/task/listed_task.hpp"
#include "evaluation/task/reading_settings.hpp"
#include "results/measurement.hpp"

namespace gausscse {

/// Returns the metrics under the names that LayerGeometry has, those of layer l followed by `.l`, and without it those
/// of the last layer; `rogue.share_of_top.1` to `.3`, `rogue.reaching.0.1`, `.0.2` and `.0.5`, and `informativity.K`.
/// Columns are named by `geometry_columns`; empty ones are left out. `tokens` are the strings of all ids, as of
/// `Tokenizer::tokens`.
Measurement measurement_of(const std::string& task, const TokenGeometry& geometry,
                           const std::vector<std::string>& tokens);

/// The geometry of a text's tokens in every layer, as `measurement_of` gives it.
class GeometryTask : public Task {
 public:
  /// Reads the text and tokenises it to at most the encoder's positions. Throws InputError as `read_sentences`,
  /// and for a model without layers.
  GeometryTask(std::string name, const GeometryTaskSettings& settings, const SentenceModel& model,
               const ReadingSettings& reading);

  const std::string& name() const override { return name_; }
  Measurement measure(SentenceEmbedder& model, Communicator& communicator,
                      const std::vector<Measurement>& earlier) const override;

  const TokenStore& sentences() const { return store_; }
  const ReadReport& report() const { return report_; }

 private:
  std::string name_;
  GeometrySettings settings_;
  ReadReport report_;
  TokenStore store_;
  std::vector<std::string> tokens_;  ///< strings of the vocabulary
};

/// Makes a task of these settings, with notes on its inputs.
ListedTask make_task(const std::string& name, const GeometryTaskSettings& settings, const SentenceModel& model,
                     const ReadingSettings& reading);

}  // namespace gausscse
