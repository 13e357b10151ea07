#pragma once

#include <string>
#include <vector>

#include "dist/communicator.hpp"
#include "model/sentence_encoder.hpp"

namespace gausscse {

/// A figure under its name. Correlations and cosines are fractions; what does not exist is NaN.
struct Figure {
  std::string name;
  double value = 0;
  bool is_count = false;
};

/// What a task measured.
struct TaskFigures {
  std::string task;
  std::vector<Figure> figures;
  std::string remark;  ///< what a reader of the figures must know; may be empty
};

/// Something that any model can be measured by, whatever it was trained for.
class ModelTask {
 public:
  virtual ~ModelTask() = default;
  virtual const std::string& name() const = 0;
  /// Measures on all ranks; the figures are on rank 0. Collective.
  virtual TaskFigures measure(SentenceEncoder& encoder, Communicator& communicator) const = 0;
};

}  // namespace gausscse
