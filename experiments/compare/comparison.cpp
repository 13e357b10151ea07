#include "experiments/compare/comparison.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "experiments/statistics/descriptive.hpp"

namespace gausscse {

namespace {

/// The name of a task or average with its metrics, one place a trial; null where a trial has none.
struct ComparedTask {
  std::string name;
  std::vector<const std::vector<Figure>*> in_a, in_b;
};

GroupFigure group_figure(const std::vector<const std::vector<Figure>*>& trials, const std::string& name) {
  GroupFigure group;
  for (const std::vector<Figure>* figures : trials) {
    const Figure* figure = figures ? find_figure(*figures, name) : nullptr;
    if (figure && !std::isnan(figure->value)) group.values.push_back(figure->value);
  }
  group.mean = mean_of(group.values);
  group.deviation = sample_deviation(group.values);
  return group;
}

void add_figures(const ComparedTask& task, std::vector<FigureComparison>& to) {
  std::vector<Figure> figures;
  for (const auto* trials : {&task.in_a, &task.in_b})
    for (const std::vector<Figure>* of_trial : *trials)
      for (const Figure& figure : of_trial ? *of_trial : std::vector<Figure>())
        if (!find_figure(figures, figure.name)) figures.push_back(figure);
  for (const Figure& figure : figures) {
    FigureComparison compared;
    compared.task = task.name;
    compared.figure = figure.name;
    compared.unit = figure.unit;
    compared.a = group_figure(task.in_a, figure.name);
    compared.b = group_figure(task.in_b, figure.name);
    compared.difference = compared.b.mean - compared.a.mean;
    if (compared.a.values.size() > 1 && compared.b.values.size() > 1)
      compared.welch = welch_test(compared.a.values, compared.b.values);
    to.push_back(std::move(compared));
  }
}

/// Names of tasks, in the order in which the trials first have them.
std::vector<std::string> tasks_of(const ComparedGroup& group) {
  std::vector<std::string> tasks;
  for (const ComparedTrial& trial : group.trials)
    for (const Measurement& task : trial.kept.tasks) add_once(tasks, task.task);
  return tasks;
}

std::string list_of(const std::vector<std::string>& texts) {
  return texts.empty() ? "none" : joined(texts);
}

std::vector<const std::vector<Figure>*> figures_of_task(const ComparedGroup& group, const std::string& task) {
  std::vector<const std::vector<Figure>*> figures;
  for (const ComparedTrial& trial : group.trials) {
    const Measurement* measurement = find_measurement(trial.kept.tasks, task);
    figures.push_back(measurement ? &measurement->figures : nullptr);
  }
  return figures;
}

/// Averages of each trial of a group.
std::vector<std::vector<Average>> averages_of_group(const ComparedGroup& group) {
  std::vector<std::vector<Average>> averages;
  for (const ComparedTrial& trial : group.trials) averages.push_back(averages_of(trial.kept.tasks));
  return averages;
}

std::vector<const std::vector<Figure>*> figures_of_kind(const std::vector<std::vector<Average>>& trials,
                                                        const std::string& kind) {
  std::vector<const std::vector<Figure>*> figures;
  for (const std::vector<Average>& averages : trials) {
    const auto found =
        std::find_if(averages.begin(), averages.end(), [&](const Average& average) { return average.kind == kind; });
    figures.push_back(found == averages.end() ? nullptr : &found->figures);
  }
  return figures;
}

bool any_of_them(const std::vector<const std::vector<Figure>*>& trials) {
  return std::any_of(trials.begin(), trials.end(), [](const auto* figures) { return figures != nullptr; });
}

/// Averages are compared where they are over the same tasks.
void add_averages(const ComparedGroup& a, const ComparedGroup& b, Comparison& comparison) {
  const auto of_a = averages_of_group(a), of_b = averages_of_group(b);
  std::vector<std::string> kinds;
  for (const std::vector<Average>& averages : of_a)
    for (const Average& average : averages) add_once(kinds, average.kind);
  for (const std::string& kind : kinds) {
    const ComparedTask task{"average." + kind, figures_of_kind(of_a, kind), figures_of_kind(of_b, kind)};
    if (any_of_them(task.in_b)) add_figures(task, comparison.figures);
  }
}

void note_tasks_of_one(const std::vector<std::string>& tasks, const std::vector<std::string>& others, const char* side,
                       std::vector<std::string>& notes) {
  for (const std::string& task : tasks)
    if (!is_among(others, task)) notes.push_back(concat("the task ", quoted(task), " is in ", side, " only"));
}

}  // namespace

Comparison compare_groups(ComparedGroup a, ComparedGroup b, int threads) {
  Comparison comparison;
  const std::vector<std::string> of_a = tasks_of(a), of_b = tasks_of(b);
  for (const std::string& task : of_a)
    if (is_among(of_b, task)) {
      check_items(a, b, task);
      add_figures({task, figures_of_task(a, task), figures_of_task(b, task)}, comparison.figures);
    }
  if (comparison.figures.empty())
    throw InputError(concat("there is nothing to compare: ", a.name, " has the tasks ", list_of(of_a), "; ", b.name,
                            " has the tasks ", list_of(of_b), ": name tasks alike in both"));
  note_tasks_of_one(of_a, of_b, "A", comparison.notes);
  note_tasks_of_one(of_b, of_a, "B", comparison.notes);
  if (comparison.notes.empty()) add_averages(a, b, comparison);
  for (FigureComparison& figure : comparison.figures) test_items(a, b, figure, threads, comparison.notes);
  comparison.configuration = configuration_differences(a, b);
  comparison.provenance = provenance_differences(a, b);
  comparison.a = std::move(a);
  comparison.b = std::move(b);
  return comparison;
}

}  // namespace gausscse
