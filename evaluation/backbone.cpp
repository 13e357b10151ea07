#include "evaluation/backbone.hpp"

#include <algorithm>
#include <iterator>
#include <variant>

namespace gausscse {

std::vector<TaskSettings> tasks_of_backbone(std::span<const TaskSettings> tasks) {
  std::vector<TaskSettings> measured;
  std::copy_if(tasks.begin(), tasks.end(), std::back_inserter(measured), [](const TaskSettings& task) {
    return std::visit([](const auto& of_kind) { return of_kind.measures_vectors; }, task.of_kind);
  });
  return measured;
}

SentenceModel backbone_of(const SentenceModel& model) {
  SentenceModel backbone;
  backbone.tokenizer = model.tokenizer;
  backbone.properties = model.properties;
  backbone.properties.similarity = Similarity::cosine;
  backbone.properties.classifier.reset();
  backbone.positions = model.positions;
  backbone.max_tokens = model.max_tokens;
  return backbone;
}

std::vector<Measurement> measure_backbone(const TaskList& tasks, SentenceEmbedder& backbone,
                                          Communicator& communicator) {
  std::vector<Measurement> measurements = measure_tasks(
      tasks, [](const ListedTask&) { return true; }, backbone, communicator);
  // Metrics alone: values of single pairs would add half the size of a result.
  for (Measurement& measurement : measurements) measurement.columns.clear();
  return measurements;
}

}  // namespace gausscse
