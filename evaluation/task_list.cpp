#include "evaluation/task_list.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <variant>

#include "base/error.hpp"
#include "data/corpus/corpus_readers.hpp"
#include "evaluation/geometry/geometry_task.hpp"
#include "evaluation/nli/nli_labels_task.hpp"
#include "evaluation/nli/nli_task.hpp"
#include "evaluation/sts/sts_task.hpp"
#include "evaluation/transfer/transfer_task.hpp"

namespace gausscse {

namespace {

void tell_cut_sentences(const std::string& name, std::size_t cut, std::size_t max_tokens, ListedTask& task) {
  if (cut > 0)
    task.warnings.push_back(concat(name, ": ", cut, " sentences have more than ", max_tokens, " tokens and are cut"));
}

void tell_report(const std::string& name, const ReadReport& report, ListedTask& task) {
  std::string note = concat(name, ": ", report.pairs, " pairs, ", report.without_gold_label, " without gold label");
  if (report.not_entailed > 0)
    note += concat("; labels of two ways: ", report.not_entailed, " pairs count as no entailment");
  task.notes.push_back(std::move(note));
}

void tell_bad_lines(const std::string& name, const ReadReport& report, ListedTask& task) {
  if (report.bad_lines > 0) task.warnings.push_back(concat(name, ": ", report.bad_lines, " bad lines are left out"));
  task.warnings.insert(task.warnings.end(), report.bad_line_messages.begin(), report.bad_line_messages.end());
}

ListedTask make_task(const std::string& name, const NliTaskSettings& settings, const SentenceModel& model,
                     const ReadingSettings& reading) {
  auto nli = std::make_unique<NliTask>(name, settings, model, reading);
  ListedTask task;
  task.pairs = nli->report().pairs;
  tell_report(name, nli->report(), task);
  tell_cut_sentences(name, nli->sentences().cut_sentences(), model.max_tokens, task);
  tell_bad_lines(name, nli->report(), task);
  task.task = std::move(nli);
  return task;
}

ListedTask make_task(const std::string& name, const StsTaskSettings& settings, const SentenceModel& model,
                     const ReadingSettings& reading) {
  auto sts = std::make_unique<StsTask>(name, settings, model, reading);
  ListedTask task;
  task.pairs = sts->pairs();
  task.notes.push_back(concat(name, ": ", sts->pairs(), " pairs, ", sts->sentences().sentences(), " sentences"));
  for (const std::string& subset : sts->missing())
    task.warnings.push_back(concat(name, ": the subset ", subset,
                                   " is missing: the year is partial, so its metrics are ",
                                   "not those of the whole year"));
  tell_cut_sentences(name, sts->sentences().cut_sentences(), whole_sentence_tokens(model), task);
  tell_bad_lines(name, sts->report(), task);
  task.task = std::move(sts);
  return task;
}

ListedTask make_task(const std::string& name, const GeometryTaskSettings& settings, const SentenceModel& model,
                     const ReadingSettings& reading) {
  auto geometry = std::make_unique<GeometryTask>(name, settings, model, reading);
  ListedTask task;
  task.notes.push_back(concat(name, ": ", geometry->sentences().sentences(), " sentences"));
  tell_cut_sentences(name, geometry->sentences().cut_sentences(), model.positions, task);
  tell_bad_lines(name, geometry->report(), task);
  task.keep_untrained = true;
  task.keep_at = settings.vectors_at;
  task.task = std::move(geometry);
  return task;
}

ListedTask make_task(const std::string& name, const NliLabelsTaskSettings& settings, const SentenceModel& model,
                     const ReadingSettings& reading) {
  auto labels = std::make_unique<NliLabelsTask>(name, settings, model, reading);
  ListedTask task;
  tell_report(name, labels->report(), task);
  tell_cut_sentences(name, labels->sentences().cut_sentences(), model.max_tokens, task);
  tell_bad_lines(name, labels->report(), task);
  task.task = std::move(labels);
  return task;
}

ListedTask make_task(const std::string& name, const TransferTaskSettings& settings, const SentenceModel& model,
                     const ReadingSettings& reading) {
  auto transfer = std::make_unique<TransferTask>(name, settings, model, reading);
  ListedTask task;
  task.notes.push_back(concat(name, ": ", transfer->sentences(), " sentences of ",
                              settings.tasks.size() - transfer->missing().size(), " tasks"));
  for (const TransferTask::Missing& missing : transfer->missing())
    task.warnings.push_back(concat(name, ": the task ", name_of(missing.dataset), " is left out, as ",
                                   missing.file.string(), " is missing: there is no average accuracy"));
  tell_cut_sentences(name, transfer->cut_sentences(), whole_sentence_tokens(model), task);
  tell_bad_lines(name, transfer->report(), task);
  task.task = std::move(transfer);
  return task;
}

/// Returns whether a task measures SICK, in any of its forms.
bool is_of_sick(const TaskSettings& task) {
  const std::filesystem::path* file = nullptr;
  if (const auto* nli = std::get_if<NliTaskSettings>(&task.of_kind)) file = &nli->file;
  if (const auto* labels = std::get_if<NliLabelsTaskSettings>(&task.of_kind)) file = &labels->file;
  if (!file) return false;
  const CorpusFormat format = detect_format(*file);
  return format == CorpusFormat::sick_full || format == CorpusFormat::sick_semeval;
}

/// Leaves all tasks of a kind on SICK but the first out of averages.
void count_sick_once(std::span<const TaskSettings> settings, TaskList& tasks) {
  std::map<std::size_t, std::string> counted;  // by kind, the task that counts
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].development || !is_of_sick(settings[i])) continue;
    const auto [first, is_new] = counted.try_emplace(settings[i].of_kind.index(), settings[i].name);
    if (is_new) continue;
    tasks[i].development = true;
    tasks[i].notes.push_back(
        concat(settings[i].name, ": SICK again, as in ", first->second, ", so it counts in no average"));
  }
}

}  // namespace

TaskList make_tasks(std::span<const TaskSettings> settings, const SentenceModel& model,
                    const ReadingSettings& reading) {
  TaskList tasks;
  for (const TaskSettings& each : settings) {
    tasks.push_back(
        std::visit([&](const auto& of_kind) { return make_task(each.name, of_kind, model, reading); }, each.of_kind));
    tasks.back().eval_every = each.eval_every;
    tasks.back().threshold_from = threshold_task_of(each);
  }
  for (ListedTask& task : tasks)
    task.development = task.eval_every > 0 || std::any_of(tasks.begin(), tasks.end(), [&](const ListedTask& other) {
                         return other.threshold_from == task.task->name();
                       });
  count_sick_once(settings, tasks);
  return tasks;
}

std::vector<Measurement> measure_tasks(const TaskList& tasks, const std::function<bool(const ListedTask&)>& wanted,
                                       SentenceEmbedder& model, Communicator& communicator) {
  std::vector<Measurement> measured;
  const auto measure = [&](const ListedTask& listed) {
    const auto begin = std::chrono::steady_clock::now();
    Measurement measurement = listed.task->measure(model, communicator, measured);
    measurement.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    measurement.development = listed.development;
    if (communicator.is_root()) measured.push_back(std::move(measurement));
  };
  const auto needed = [&](const ListedTask& source) {
    return wanted(source) || std::any_of(tasks.begin(), tasks.end(), [&](const ListedTask& task) {
             return task.threshold_from == source.task->name() && wanted(task);
           });
  };
  for (const ListedTask& task : tasks)
    if (task.threshold_from.empty() && needed(task)) measure(task);
  for (const ListedTask& task : tasks)
    if (!task.threshold_from.empty() && wanted(task)) measure(task);

  std::vector<Measurement> in_order;
  for (const ListedTask& task : tasks) {
    if (!wanted(task)) continue;
    for (Measurement& measurement : measured)
      if (measurement.task == task.task->name()) in_order.push_back(std::move(measurement));
  }
  return in_order;
}

}  // namespace gausscse
