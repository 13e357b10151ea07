#include "config/trial/trial_rules.hpp"

#include <algorithm>
#include <variant>

#include "base/error.hpp"
#include "config/tasks/task_layout.hpp"
#include "config/trial/backbone_rules.hpp"
#include "model/similarities/list.hpp"

namespace gausscse {

namespace {

/// Returns the place of a key, or of the nearest thing around it that was written.
std::string place(const YamlNode& root, std::string_view name) {
  const YamlNode* map = &root;
  const YamlPosition* position = &root.position;
  while (!name.empty()) {
    const std::size_t dot = name.find('.');
    const YamlNode::Entry* entry = find_entry(*map, name.substr(0, dot));
    if (!entry) break;
    position = &entry->position;
    map = &entry->value;
    name = dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1);
  }
  return to_string(*position);
}

using Add = AddProblem;

void check_data(const Trial::Data& data, const Add& add) {
  for (const auto& [key, problem] : problems_of_labels(data.layout)) add(concat("data.", key), problem);
  std::vector<std::filesystem::path> sorted = data.train;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    add("data.train",
        concat(quoted(twice->string(), 200), " is named twice: its pairs would count double, remove one"));
}

/// Checks a part: the objective itself, or a term of a sum; its keys begin with `section`.
void check_part(const Trial& trial, const std::string& section, const ObjectiveSettings& part, const Add& add) {
  const std::string kind = concat(section, ".kind ", name_of(part.kind));
  const bool gaussian_head = trial.model.head.kind == HeadKind::gaussian;
  const bool gaussian_objective = part.kind == ObjectiveKind::gaussian_contrastive;
  if (gaussian_head != (gaussian_objective || part.of_means))
    add("model.head.kind", concat(name_of(trial.model.head.kind), " does not go with ", kind,
                                  gaussian_objective ? ", which compares Gaussians: choose gaussian"
                                  : part.of_means    ? ", which compares the means of Gaussians here: choose gaussian"
                                                     : ", which compares vectors: choose mlp_tanh or none"));
  const bool labelled = trial.data.examples == ExampleKind::labelled_pairs;
  if (labelled != needs_labels(part))
    add("data.examples",
        concat(name_of(trial.data.examples), " do not go with ", kind,
               labelled ? ", which takes every pair for an entailment: choose triples or entailment_pairs"
                        : ", which learns from labels: choose labelled_pairs"));
  if (roles_of(part) == 3 && trial.data.examples == ExampleKind::entailment_pairs)
    add("data.examples",
        concat("entailment_pairs have no contradicted hypotheses, which the objective needs: choose triples, or ",
               gaussian_objective ? concat(section, ".loss ent or ent+rev without with_simcse")
                                  : concat(section, ".hard_negatives: false")));
}

void check_sum(const Trial& trial, const Add& add) {
  const auto add_of_terms = [&](const auto&... text) { add("objective.terms", concat(text...)); };
  if (trial.objective.terms.empty())
    return add_of_terms(
        "is missing: a sum has terms, objective: {kind: sum, terms: {NAME: {kind: pair_classification, ",
        "weight: 0.5}}}");
  const ObjectiveTerm* classifier = nullptr;
  const std::vector<ObjectiveTerm> computed = terms_of(trial.objective);
  for (const ObjectiveTerm& term : computed) {
    check_part(trial, concat("objective.terms.", term.name), term.objective, add);
    if (!classifier_of(term.objective)) continue;
    if (classifier)
      add_of_terms(quoted(classifier->name), " and ", quoted(term.name),
                   " would each train a classifier, and a model has only ",
                   "one: remove one of the two, or give it the weight 0");
    classifier = &term;
  }
  if (computed.empty()) add_of_terms("all weights are 0: nothing would be trained, give a term a weight above 0");
}

void check_objective(const Trial& trial, const Add& add) {
  if (trial.objective.kind == ObjectiveKind::sum)
    check_sum(trial, add);
  else
    check_part(trial, "objective", trial.objective, add);
}

/// Checks that held-out examples are measured, and that tasks without files have some to measure.
void check_held_out(const Trial& trial, const Add& add) {
  bool measured = false;
  for (const TaskSettings& task : trial.tasks) {
    if (!measures_held_out(task)) continue;
    measured = true;
    if (trial.data.dev_fraction == 0)
      add(concat("tasks.", task.name, ".files"),
          "is missing: name a file, or hold examples of the training files out with data: {dev_fraction: 0.1}");
  }
  if (trial.data.dev_fraction > 0 && !measured)
    add("data.dev_fraction",
        "no task measures the examples that it holds out: add a task without files, such as "
        "tasks: {dev: {kind: nli, eval_every: 100}}, or remove it");
}

void check_tasks(const Trial& trial, const Add& add) {
  const bool has_classifier = classifier_of(trial.objective).has_value();
  for (const TaskSettings& task : trial.tasks)
    for (const auto& [name, problem] : problems_of(task, {task.eval_every, trial.training.max_steps, has_classifier}))
      add(concat("tasks.", task.name, ".", name), problem);
}

/// Checks the parameters that a training changes, and their start values.
void check_parameters(const Trial& trial, const Add& add) {
  const Trial::Head& head = trial.model.head;
  if (head.init == setting::HeadInit::identity && head.kind != HeadKind::gaussian)
    add("model.head.init", concat("identity goes with model.head.kind gaussian only, not with ", name_of(head.kind),
                                  ": choose random or weights"));
  if (trial.training.parameters != setting::TrainedParameters::head) {
    if (trial.training.precision == Precision::int8)
      add("training.precision",
          "int8 is for embedding, so that only a head can be trained with it: choose bf16 or fp32, or add "
          "training.parameters: head");
    return;
  }
  if (trial.training.precision == Precision::int8 && trial.device == setting::Device::cuda &&
      trial.model.backbone.vectors.empty())
    add("device",
        "cuda does not go with training.precision: int8, which GPUs do not have: choose device: cpu, or bf16");
  if (head.kind == HeadKind::none)
    add("training.parameters", "head: the model has none, as model.head.kind is none: choose gaussian or mlp_tanh");
  if (trial.training.pooling_divisor == PoolingDivisor::longest)
    add("training.parameters",
        "head: a sentence's vector is computed once for all batches: choose training.pooling_divisor: tokens");
  for (const TaskSettings& task : trial.tasks)
    if (std::holds_alternative<GeometryTaskSettings>(task.of_kind))
      add(concat("tasks.", task.name),
          "geometry looks into the layers, which training.parameters: head does not change: measure the encoder by "
          "`gausscse geometry`");
}

/// Refuses keys whose result depends on the number of ranks, for a trial that asks for the same bits on any number.
void check_rank_invariance(const Trial& trial, const Add& add) {
  if (trial.reproducibility != setting::Reproducibility::rank_invariant) return;
  if (trial.training.exchange == setting::Exchange::ring)
    add("training.exchange",
        "the ring adds up in an order that depends on the number of ranks: choose gather, or reproducibility: fast");
  if (trial.device == setting::Device::cuda)
    add("device",
        "cuda does not go with reproducibility: rank_invariant, as sums on GPUs are not those of any number of ranks: "
        "choose device: cpu, or reproducibility: fast");
}

void check_select(const Trial& trial, const Add& add) {
  const Trial::Select& select = trial.select;
  if (select.task.empty() && select.metric.empty()) return;
  if (trial.training.max_steps > 0 && select.from_step > trial.training.max_steps)
    add("select.from_step", concat("is ", select.from_step, ", more than the ", trial.training.max_steps,
                                   " steps of training.max_steps: no state could be chosen"));
  if (select.task.empty())
    return add("select.task", concat("is missing: name the task that gives ", quoted(select.metric)));
  if (select.metric.empty())
    return add("select.figure", concat("is missing: name a metric of the task ", quoted(select.task)));
  std::vector<std::string> tasks;
  for (const TaskSettings& task : trial.tasks) tasks.push_back(task.name);
  const auto found = std::find_if(trial.tasks.begin(), trial.tasks.end(),
                                  [&](const TaskSettings& task) { return task.name == select.task; });
  if (found == trial.tasks.end())
    return add("select.task", concat(quoted(select.task), " is none of the tasks", nearest_name(select.task, tasks)));
  if (found->eval_every == 0)
    add("select.task", concat(quoted(select.task), " is not measured while training: give it eval_every: <steps>"));
  const bool has_directions = has_direction(similarity_of(trial.objective));
  const MetricNames names = metric_names_of(*found, has_directions);
  if (!has_directions && names.needs_directions(select.metric))
    return add("select.figure", concat(select.metric, " does not exist: the cosine of two sentences has no direction"));
  if (!names.may_have(select.metric))
    add("select.figure", concat("the task ", quoted(select.task), " gives no metric ", quoted(select.metric),
                                nearest_name(select.metric, names.whole),
                                " (docs/tasks.md lists those of a task of kind ", name_of(kind_of(*found)), ")"));
}

bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

/// Checks that a run does not write its own inputs.
void check_output(const Trial& trial, const Add& add) {
  const std::filesystem::path model = trial.output / "model";
  const auto check = [&](const std::string& key, const std::filesystem::path& path) {
    if (!path.empty() && is_inside(path, model))
      add(key, concat(quoted(path.string(), 200), " lies in ", quoted(model.string(), 200),
                      ", which this run writes: choose another output"));
  };
  check("model.backbone.path", trial.model.backbone.path);
  check("model.backbone.tokenizer", trial.model.backbone.tokenizer);
  check("model.backbone.vectors", trial.model.backbone.vectors);
  check("model.backbone.texts", trial.model.backbone.texts);
  for (const std::filesystem::path& path : trial.data.train) check("data.train", path);
  for (const TaskSettings& task : trial.tasks)
    for (const std::filesystem::path& path : files_of(task)) check(concat("tasks.", task.name, ".files"), path);
}

}  // namespace

void check_trial_rules(const Trial& trial, const YamlNode& root, ProblemList& problems) {
  const Add add = [&](const std::string& key, const std::string& problem) {
    problems.add(concat(place(root, key), ": ", key, ": ", problem));
  };
  check_backbone(trial, add);
  check_objective(trial, add);
  check_tasks(trial, add);
  check_held_out(trial, add);
  check_data(trial.data, add);
  check_rank_invariance(trial, add);
  check_parameters(trial, add);
  check_select(trial, add);
  check_output(trial, add);
}

}  // namespace gausscse
