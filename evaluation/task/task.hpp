#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dist/communicator.hpp"
#include "model/sentence_embedder.hpp"
#include "results/measurement.hpp"

namespace gausscse {

/// Something that a model is measured by, while it is trained or afterwards.
///
///     std::vector<Measurement> measurements;
///     for (const Task* task : tasks)  // in this order on all ranks
///       measurements.push_back(task->measure(model, communicator, measurements));
class Task {
 public:
  virtual ~Task() = default;
  virtual const std::string& name() const = 0;
  /// Measures on all ranks, by sentence vectors or by layers. Rank 0 has the measurement, and computes its metrics
  /// alone, so that ranks on unlike processors cannot come to unlike ones; the others get an empty one. `earlier`, on
  /// rank 0, has the earlier measurements of the same model. An InputError is thrown on all ranks. Collective.
  virtual Measurement measure(SentenceEmbedder& model, Communicator& communicator,
                              const std::vector<Measurement>& earlier) const = 0;
  /// Returns the bytes of the model's device that the task holds between measurements. All tasks of a training measure
  /// one model.
  virtual std::int64_t bytes_kept() const { return 0; }
};

}  // namespace gausscse
