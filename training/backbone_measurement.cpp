#include "training/backbone_measurement.hpp"

#include <algorithm>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace gausscse {

namespace {

/// Returns the tasks that can measure it. One whose threshold is another's is left out without that.
std::vector<TaskSettings> tasks_of_vectors(const Trial& trial) {
  std::vector<TaskSettings> tasks;
  std::copy_if(trial.tasks.begin(), trial.tasks.end(), std::back_inserter(tasks), [](const TaskSettings& task) {
    return std::visit([](const auto& of_kind) { return of_kind.measures_vectors; }, task.of_kind);
  });
  return tasks;
}

}  // namespace

bool has_measured_backbone(const Trial& trial) {
  return trial.measures_backbone && trial.model.backbone.init == setting::Init::weights &&
         !tasks_of_vectors(trial).empty();
}

StateResult measure_backbone(const Trial& trial, const TrialData& data, std::size_t threads, SentenceEncoder& encoder,
                             Communicator& communicator, TrainingObserver& observer) {
  const PoolingKind pooling = data.own_pooling.value_or(data.pooling);
  SentenceModel plain;
  plain.tokenizer = data.model.tokenizer;
  plain.properties = data.model.properties;
  plain.properties.similarity = Similarity::cosine;
  plain.properties.classifier.reset();
  plain.positions = data.model.positions;
  plain.max_tokens = data.model.max_tokens;
  const TaskList tasks = tasks_of_trial(trial, tasks_of_vectors(trial), plain, threads);
  PooledEmbedder backbone(encoder, pooling);
  StateResult state{backbone_state, 0, {}};
  state.tasks = measure_tasks(
      tasks, [](const ListedTask&) { return true; }, backbone, communicator);
  // Metrics alone: values of single pairs would add half of what a result takes.
  for (Measurement& measurement : state.tasks) measurement.columns.clear();
  observer.on_backbone(state, data.vectors ? std::nullopt : std::optional(pooling));
  return state;
}

}  // namespace gausscse
