#include "config/trial/backbone_rules.hpp"

#include "base/error.hpp"

namespace gausscse {

namespace {

/// Checks a backbone of given vectors.
void check_vectors(const Trial& trial, const AddProblem& add) {
  const Trial::Backbone& backbone = trial.model.backbone;
  if (backbone.vectors.empty())
    return add("model.backbone.vectors", "is missing: model.backbone.texts are the sentences of its rows");
  if (backbone.texts.empty())
    add("model.backbone.texts",
        "is missing: name the text file with the sentence of each row of model.backbone.vectors");
  const auto exclude = [&](const char* key, bool is_given) {
    if (is_given)
      add(concat("model.backbone.", key),
          "does not go with model.backbone.vectors, which replace the encoder: remove one of the two");
  };
  exclude("path", !backbone.path.empty());
  exclude("architecture", backbone.architecture != setting::Architecture::none);
  exclude("tokenizer", !backbone.tokenizer.empty());
  if (backbone.init != setting::Init::weights)
    add("model.backbone.init", "\"random\" goes with model.backbone.architecture only; vectors are given");
  if (trial.training.parameters != setting::TrainedParameters::head)
    add("training.parameters", concat(name_of(trial.training.parameters),
                                      ": model.backbone.vectors have no encoder to train: choose training.parameters: "
                                      "head"));
}

}  // namespace

void check_backbone(const Trial& trial, const AddProblem& add) {
  using setting::Architecture;
  using setting::Init;
  const Trial::Backbone& backbone = trial.model.backbone;
  if (!backbone.vectors.empty() || !backbone.texts.empty()) return check_vectors(trial, add);
  if (backbone.architecture == Architecture::none) {
    if (backbone.path.empty())
      return add("model.backbone",
                 "is missing: add model: {backbone: {path: <a model folder>}}, or "
                 "model: {backbone: {architecture: <a name>, init: random, tokenizer: <a folder>}}, or "
                 "model: {backbone: {vectors: <a file>, texts: <a file>}}");
    if (backbone.init != Init::weights)
      add("model.backbone.init", "\"random\" goes with model.backbone.architecture only; a path has its own weights");
    if (!backbone.tokenizer.empty())
      add("model.backbone.tokenizer",
          "goes with model.backbone.architecture only; the folder of a path has its tokenizer");
    return;
  }
  if (!backbone.path.empty())
    return add("model.backbone.architecture",
               "does not go with model.backbone.path, which has its own: remove one of the two");
  if (backbone.init != Init::random)
    add("model.backbone.architecture", "a name brings no weights: add init: random, or give model.backbone.path");
  if (backbone.tokenizer.empty())
    add("model.backbone.tokenizer", "is missing: a name brings no tokenizer, give the folder of one");
}

}  // namespace gausscse
