#pragma once

#include <string>
#include <vector>

#include "data/corpus/token_store.hpp"
#include "experiments/evaluation/task.hpp"
#include "experiments/evaluation/task_model.hpp"
#include "experiments/trial/task_settings.hpp"

namespace gausscse {

/// The geometry of a text's tokens in every layer. Figures have the names of LayerGeometry, those of layer l followed
/// by `.l`, and without it those of the last layer; `rogue.share_of_top.1` to `.3`, `rogue.reaching.0.1`, `.0.2` and
/// `.0.5`, and `informativity.K`.
class GeometryTask : public Task {
 public:
  /// Reads the text and tokenises it to at most the encoder's positions. Throws InputError as `read_sentences`,
  /// and for a model without layers.
  GeometryTask(std::string name, const GeometryTaskSettings& settings, const TaskModel& model);

  const std::string& name() const override { return name_; }
  Measurement measure(SentenceEmbedder& model, Communicator& communicator,
                      const std::vector<Measurement>& earlier) const override;

  const TokenStore& sentences() const { return store_; }

 private:
  std::string name_;
  GeometrySettings settings_;
  TokenStore store_;
};

}  // namespace gausscse
