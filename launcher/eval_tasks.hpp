#pragma once

#include <string>

#include "launcher/measured_model.hpp"
#include "launcher/process.hpp"

namespace gausscse {

struct EvalTasksArguments {
  MeasuredModelOptions model;
  std::string tasks;  ///< a file of tasks
  std::string json;   ///< where a report goes; empty: nowhere
};

/// Measures a model by the tasks of a file, on all ranks; rank 0 prints the figures. Collective.
void eval_tasks(const EvalTasksArguments& arguments, Process& process);

}  // namespace gausscse
