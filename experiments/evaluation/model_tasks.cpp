#include "experiments/evaluation/model_tasks.hpp"

#include <string>
#include <variant>

#include "base/error.hpp"
#include "experiments/evaluation/geometry/geometry_task.hpp"
#include "experiments/evaluation/sts/sts_task.hpp"

namespace gausscse {

namespace {

void tell_cut_sentences(const std::string& name, const TokenStore& store, std::size_t max_tokens, NamedTask& task) {
  if (store.cut_sentences() > 0)
    task.warnings.push_back(
        concat(name, ": ", store.cut_sentences(), " sentences have more than ", max_tokens, " tokens and are cut"));
}

NamedTask make_task(const std::string& name, const StsTaskSettings& settings, const TaskModel& model) {
  auto sts = std::make_unique<StsTask>(
      name, settings,
      StsModelSettings{.max_tokens = model.max_tokens, .threads = model.threads, .similarity = model.similarity},
      model.tokenizer);
  NamedTask task;
  task.notes.push_back(concat(name, ": ", sts->pairs(), " pairs, ", sts->sentences().sentences(), " sentences"));
  for (const std::string& subset : sts->missing())
    task.warnings.push_back(concat(name, ": the subset ", subset, " is missing: the year is partial, its figures are ",
                                   "not those of the whole year"));
  tell_cut_sentences(name, sts->sentences(), model.max_tokens, task);
  task.task = std::move(sts);
  return task;
}

NamedTask make_task(const std::string& name, const GeometryTaskSettings& settings, const TaskModel& model) {
  auto geometry = std::make_unique<GeometryTask>(name, settings, model.tokenizer, model.positions, model.threads);
  NamedTask task;
  task.notes.push_back(concat(name, ": ", geometry->sentences().sentences(), " sentences"));
  tell_cut_sentences(name, geometry->sentences(), model.positions, task);
  task.task = std::move(geometry);
  return task;
}

}  // namespace

std::vector<NamedTask> make_tasks(std::span<const TaskSettings> settings, const TaskModel& model) {
  std::vector<NamedTask> tasks;
  for (const TaskSettings& task : settings)
    tasks.push_back(
        std::visit([&](const auto& of_kind) { return make_task(task.name, of_kind, model); }, task.of_kind));
  return tasks;
}

}  // namespace gausscse
