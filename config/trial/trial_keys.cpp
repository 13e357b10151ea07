#include "config/trial/trial_keys.hpp"

#include <initializer_list>

#include "config/schema/key_kinds.hpp"
#include "config/trial/task_map.hpp"
#include "config/trial/trial.hpp"
#include "model/objective/objective_settings.hpp"

namespace gausscse {

namespace {

using namespace key_kinds;  // the table below reads as a table

using Model = Trial::Model;
using Backbone = Trial::Backbone;
using Head = Trial::Head;

Key<Trial> format_key() {
  return {.name = "format",
          .allowed = std::string(trial_format),
          .meaning = "Version of the trial format.",
          .required = true,
          .read =
              [](const YamlNode& node, const KeyContext&, Trial&) {
                if (read_text(node) != trial_format)
                  throw ValueProblem{node.position, concat(describe(node), " is not a format this program knows")};
              },
          .write = [](const Trial&, YAML::Emitter& out) { out << std::string(trial_format); }};
}

bool has_gaussian_head(const Trial& trial) {
  return trial.model.head.kind == HeadKind::gaussian;
}

/// Returns whether a head may begin at the pooled vector; with `weights` it does where there are none of its kind.
bool may_start_at_identity(const Trial& trial) {
  const Head& head = trial.model.head;
  return has_gaussian_head(trial) && (head.init == setting::HeadInit::identity ||
                                      (head.init == setting::HeadInit::weights && head.mean == MeanLayer::identity));
}

bool selects_a_state(const Trial& trial) {
  return !trial.select.task.empty();
}

Key<Trial> tasks_key() {
  return {.name = "tasks",
          .allowed = "a map from names to tasks",
          .meaning = "Tasks that measure the model during training and at the end; their keys are below.",
          .read = [](const YamlNode& node, const KeyContext& context,
                     Trial& trial) { trial.tasks = read_task_map(node, context); },
          .is_set = [](const Trial& trial) { return !trial.tasks.empty(); },
          .write = [](const Trial& trial, YAML::Emitter& out) { write_task_map(trial.tasks, out); },
          .holds_names = true};
}

Keys<Trial> model_keys() {
  return {
      format_key(),
      affects(Effect::result,
              key("recipe", at(&Trial::recipe), "Recipe whose defaults apply; any key in the file overrides them.")),

      key("model.backbone.path", at(&Trial::model, &Model::backbone, &Backbone::path), "A Hugging Face model folder."),
      key("model.backbone.architecture", at(&Trial::model, &Model::backbone, &Backbone::architecture),
          "Instead of a path: the shape of a named model, for `init: random`."),
      key("model.backbone.init", at(&Trial::model, &Model::backbone, &Backbone::init),
          "Weights from the model folder, or random ones."),
      key("model.backbone.tokenizer", at(&Trial::model, &Model::backbone, &Backbone::tokenizer),
          "Folder of the tokenizer files, with `architecture`; a model folder has its own."),
      key("model.backbone.vectors", at(&Trial::model, &Model::backbone, &Backbone::vectors),
          "Instead of an encoder: file of sentence vectors, float32 [sentences, dimensions] (.npy, .npz, .h5, "
          ".safetensors, .parquet), on which a head alone is trained."),
      key("model.backbone.texts", at(&Trial::model, &Model::backbone, &Backbone::texts),
          "With `vectors`: text file of their sentences, one per line, in the order of the rows."),
      key("model.pooling", at(&Trial::model, &Model::pooling), or_word("own", choice<PoolingKind>()),
          "How a sentence's last hidden states are pooled into one vector; own: as the backbone's folder says, which "
          "is "
          "then one of sentence-transformers or of a run."),
      key("model.head.kind", at(&Trial::model, &Model::head, &Head::kind),
          "How the pooled vector becomes the embedding: mean and log-variance, a linear layer with tanh, or "
          "unchanged."),
      only_for(
          "model.head.kind gaussian", has_gaussian_head,
          affects(Effect::result, key("model.head.mean", at(&Trial::model, &Model::head, &Head::mean),
                                      "Layer that makes the mean of the pooled vector: linear with tanh, linear, or "
                                      "none: the vector is the mean."))),
      only_for("model.head.kind gaussian", has_gaussian_head,
               affects(Effect::result, key("model.head.scale", at(&Trial::model, &Model::head, &Head::scale),
                                           "unit: the pooled vector, and behind its layer the mean, are scaled to the "
                                           "length sqrt(dimensions)."))),
      only_for("model.head.kind gaussian", has_gaussian_head,
               key("model.head.log_var", at(&Trial::model, &Model::head, &Head::log_var),
                   "Layers that make the log-variance of the pooled vector: one, or two with tanh between them.")),
      only_for(
          "model.head.log_var mlp",
          [](const Trial& trial) { return has_gaussian_head(trial) && trial.model.head.log_var == LogVarLayer::mlp; },
          key("model.head.log_var_width", at(&Trial::model, &Model::head, &Head::log_var_width),
              integer(1, most_log_var_width), "Dimensions of the hidden layer of the log-variance.")),
      only_for(
          "model.head.kind gaussian or mlp_tanh, or an objective with a pair classifier",
          [](const Trial& trial) {
            return trial.model.head.kind != HeadKind::none || classifier_of(trial.objective).has_value();
          },
          key("model.head.init", at(&Trial::model, &Model::head, &Head::init),
              "Weights of the head and the pair classifier: those of a run's model, if they are of this kind, else "
              "random ones by the seed, or, of a mean without a layer, as identity; identity: the layer of the mean is "
              "the identity, and the log-variance is log_var_start for all sentences.")),
      only_for("model.head.init identity, or weights with model.head.mean identity", may_start_at_identity,
               affects(Effect::result,
                       key("model.head.log_var_start", at(&Trial::model, &Model::head, &Head::log_var_start),
                           or_word("data", number({.lowest = -50.0, .highest = 50.0})),
                           "Log-variance of every dimension at an identity start; data: in each dimension the "
                           "logarithm of the mean squared difference between the means of two sentences."))),
      only_for(
          "model.head.kind gaussian", has_gaussian_head,
          affects(Effect::speed, key("model.sentence_transformers", at(&Trial::model, &Model::sentence_transformers),
                                     "Dense modules of the saved model: only the mean's, for every program, or also "
                                     "the log-variance's before it, for sentence-transformers only."))),
  };
}

Keys<Trial> device_keys() {
  return {
      key("reproducibility", at(&Trial::reproducibility),
          "rank_invariant: the same bits for any number of ranks; fast: the same up to rounding."),
      affects(Effect::speed, key("device", at(&Trial::device),
                                 "Device of the ranks: cores, a GPU each, or auto: GPUs if every rank has one, else "
                                 "cores. rank_invariant and int8 need cores, which auto then takes.")),
  };
}

Keys<Trial> run_keys() {
  return {
      affects(Effect::result, key("evaluation.two_way_pairs", at(&Trial::evaluation, &NliScoring::two_way_pairs),
                                  "Pairs of NLI tasks that entail both ways, in the direction metrics; drop needs "
                                  "SICK.txt, as SICK's other "
                                  "files do not mark them.")),
      affects(Effect::result, key("evaluation.no_gold_label", at(&Trial::evaluation, &NliScoring::no_gold_label),
                                  "Pairs of NLI tasks without a gold label: counted as no entailment or left out.")),
      affects(
          Effect::result,
          key("evaluation.auprc", at(&Trial::evaluation, &NliScoring::auprc),
              "AUPRC of NLI tasks: precision and recall at every distinct score, or at thresholds 0, 0.001, ..., 1.")),

      affects(Effect::speed, key("evaluation.backbone", at(&Trial::measures_backbone),
                                 "Whether tasks also measure the backbone as it is before the training: the cosine of "
                                 "its pooled vectors, by its own pooling.")),

      changeable(tasks_key()),
      changeable(key("select.task", at(&Trial::select, &Trial::Select::task), text("the name of a task"),
                     "Task whose metric chooses the best state, which is kept; without it the last state is kept.")),
      changeable(affects(Effect::result, key("select.figure", at(&Trial::select, &Trial::Select::metric),
                                             text("the name of a metric"), "Metric of that task; higher is better."))),
      only_for("select.task", selects_a_state,
               changeable(key("select.patience", at(&Trial::select, &Trial::Select::patience), integer(0, many),
                              "Measurements of that task without a better state after which the training ends; 0: "
                              "never."))),
      only_for(
          "select.task", selects_a_state,
          changeable(affects(Effect::result,
                             key("select.from_step", at(&Trial::select, &Trial::Select::from_step), integer(0, many),
                                 "States after fewer steps are not chosen; 1 leaves out the untrained one.")))),

      required(affects(Effect::place, key("output", at(&Trial::output), "Folder for the results and the model."))),
  };
}

Keys<Trial> joined(std::initializer_list<Keys<Trial>> parts) {
  Keys<Trial> all;
  for (const Keys<Trial>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace

const Keys<Trial>& trial_keys() {
  static const Keys<Trial> keys =
      joined({model_keys(), objective_keys(), device_keys(), data_keys(), training_keys(), run_keys()});
  return keys;
}

}  // namespace gausscse
