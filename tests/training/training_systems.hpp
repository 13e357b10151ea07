#pragma once

#include <memory>
#include <vector>

#include "model/objective/configured_objective.hpp"
#include "model/sentence_encoder.hpp"
#include "tests/model/encoder/small_models.hpp"

namespace gausscse {

/// A model and the objective that it is trained by.
struct TrainingSystem {
  const char* name;
  ObjectiveSettings objective;
  HeadSettings head = {};
  PoolingKind pooling = PoolingKind::first_token;
  PoolingDivisor divisor = PoolingDivisor::tokens;
  EncoderConfig::Architecture architecture = EncoderConfig::Architecture::bert;
  /// Factor of float32's errors: a shift of all means is seen by their scaling alone, so that its gradient cancels.
  double cancellation = 1;

  ConfiguredObjective make() const {
    const auto settings = small_settings(architecture, at::kFloat);
    return ConfiguredObjective(objective, head_width(head.kind, settings.encoder.hidden_size));
  }

  SentenceEncoderSettings encoder(at::ScalarType type, bool fixed_tiles) const {
    auto settings = small_settings(architecture, type);
    settings.head = head;
    settings.objective = make().parameters();
    settings.pooling = pooling;
    settings.fixed_tiles = fixed_tiles;
    return settings;
  }
};

inline const std::vector<TrainingSystem>& training_systems() {
  const HeadSettings mlp{HeadKind::mlp_tanh}, no_head{HeadKind::none};
  constexpr auto cosine = ObjectiveKind::cosine_contrastive, supervised = ObjectiveKind::supervised_contrastive;
  static const std::vector<TrainingSystem> all{
      {"ent", {.loss = Loss::ent}},
      {"ent+con+rev", {.loss = Loss::ent_con_rev}},
      {"ent+rev with SimCSE", {.loss = Loss::ent_rev, .with_simcse = true}},
      {"SimCSE", {.kind = cosine, .hard_negative_weight = 0.5}, mlp, PoolingKind::max},
      {"pairs", {.kind = cosine, .hard_negatives = false}, no_head, PoolingKind::mean_without_first},
      {"pairs both ways", {.kind = cosine, .directions = Directions::both}, no_head, PoolingKind::mean},
      {"classification",
       {.kind = ObjectiveKind::pair_classification, .activation = ClassifierActivation::tanh},
       no_head,
       PoolingKind::mean_without_first},
      {"supervised, limited",
       {.kind = supervised, .temperature = 2, .positives = 2, .negatives = 3},
       no_head,
       PoolingKind::mean},
      {"augmented",
       {.kind = ObjectiveKind::augmented_classification, .positives = 2, .negatives = 4},
       no_head,
       PoolingKind::mean_without_first},
      {"sum",
       {.kind = ObjectiveKind::sum,
        .terms = {{"contrastive", 0.7, {.kind = supervised, .temperature = 2, .positives = 2}},
                  {"classification", 0.3, {.kind = ObjectiveKind::pair_classification}}}},
       no_head,
       PoolingKind::mean_without_first,
       PoolingDivisor::longest},
      {"scaled pooled vectors",
       {.loss = Loss::ent_con_rev, .similarity = Similarity::joint},
       {HeadKind::gaussian, MeanLayer::identity, MeanScale::unit},
       PoolingKind::mean,
       PoolingDivisor::tokens,
       EncoderConfig::Architecture::bert,
       10},
      {"scaled means and a hidden layer",
       {.loss = Loss::ent_rev},
       {HeadKind::gaussian, MeanLayer::tanh, MeanScale::unit, LogVarLayer::mlp, 7}},
      {"ent+con+rev without known ones", {.false_negatives = FalseNegatives::mask_known}},
      {"pairs both ways without equal ones",
       {.kind = cosine, .false_negatives = FalseNegatives::mask_equal, .directions = Directions::both},
       no_head,
       PoolingKind::mean},
      {"supervised without known ones",
       {.kind = supervised, .temperature = 2, .false_negatives = FalseNegatives::mask_known, .positives = 2},
       no_head,
       PoolingKind::mean},
      {.name = "MPNet", .objective = {.loss = Loss::ent_con_rev}, .architecture = EncoderConfig::Architecture::mpnet},
      {.name = "MPNet's pairs",
       .objective = {.kind = cosine, .hard_negatives = false},
       .head = no_head,
       .pooling = PoolingKind::mean,
       .architecture = EncoderConfig::Architecture::mpnet},
      {.name = "DistilBERT",
       .objective = {.kind = cosine, .hard_negatives = false},
       .head = no_head,
       .pooling = PoolingKind::mean,
       .architecture = EncoderConfig::Architecture::distilbert}};
  return all;
}

}  // namespace gausscse
