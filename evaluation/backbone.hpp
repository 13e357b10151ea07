#pragma once

#include <span>
#include <vector>

#include "config/tasks/task_settings.hpp"
#include "evaluation/task_list.hpp"

namespace gausscse {

/// Returns the tasks that can measure a backbone, an encoder as it is.
std::vector<TaskSettings> tasks_of_backbone(std::span<const TaskSettings> tasks);

/// Returns the backbone of `model` as tasks read their data for it: the cosine of pooled vectors, with the tokenizer
/// and the limits of `model`.
SentenceModel backbone_of(const SentenceModel& model);

/// Measures a backbone by tasks that were made for it. Rank 0 has the metrics, without columns, others have none.
/// Collective.
std::vector<Measurement> measure_backbone(const TaskList& tasks, SentenceEmbedder& backbone,
                                          Communicator& communicator);

}  // namespace gausscse
