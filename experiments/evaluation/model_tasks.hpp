#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "data/tokenizer/tokenizer.hpp"
#include "experiments/evaluation/model_task.hpp"
#include "experiments/trial/task_settings.hpp"
#include "model/choices.hpp"

namespace gausscse {

/// What tasks must know of a model to read for it.
struct TaskModel {
  const Tokenizer& tokenizer;
  std::size_t positions;   ///< tokens that the encoder can take
  std::size_t max_tokens;  ///< that sentences are cut to where the model embeds them
  std::size_t threads = 1;
  SimilarityKind similarity = SimilarityKind::per_dimension;  ///< of a Gaussian model
};

/// A task, and what the user should know of what it read.
struct NamedTask {
  std::unique_ptr<ModelTask> task;
  std::vector<std::string> notes, warnings;
};

/// Makes the tasks in their order. Throws InputError as they do.
std::vector<NamedTask> make_tasks(std::span<const TaskSettings> settings, const TaskModel& model);

}  // namespace gausscse
