#include "training/backbone_measurement.hpp"

#include <algorithm>
#include <string>

#include "config/tasks/nli_thresholds.hpp"
#include "evaluation/backbone.hpp"

namespace gausscse {

bool has_measured_backbone(const Trial& trial) {
  return trial.measures_backbone && trial.model.backbone.init == setting::Init::weights &&
         !tasks_of_backbone(trial.tasks).empty();
}

StateResult measure_backbone(const Trial& trial, const TrialData& data, std::size_t threads, SentenceEncoder& encoder,
                             Communicator& communicator, TrainingObserver& observer) {
  const PoolingKind pooling = data.own_pooling.value_or(data.pooling);
  const TaskList tasks = tasks_of_trial(trial, tasks_of_backbone(trial.tasks), backbone_of(data.model), threads);
  PooledEmbedder backbone(encoder, pooling);
  const StateResult state{backbone_state, 0, measure_backbone(tasks, backbone, communicator)};
  observer.on_backbone(state, data.vectors ? std::nullopt : std::optional(pooling));
  return state;
}

const Measurement* source_of_threshold(const Trial& trial, const std::vector<Measurement>& measurements) {
  const std::vector<std::string> tasks = tasks_with_own_threshold(trial.tasks);
  if (tasks.empty()) return nullptr;
  const auto selecting = std::find(tasks.begin(), tasks.end(), trial.select.task);
  return find_measurement(measurements, selecting == tasks.end() ? tasks.front() : *selecting);
}

}  // namespace gausscse
