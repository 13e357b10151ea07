#include <limits>

#include "config/schema/key_kinds.hpp"
#include "config/schema/key_with_number.hpp"
#include "config/trial/trial_keys.hpp"

namespace gausscse {

namespace {

using namespace key_kinds;  // the table below reads as a table

using Training = Trial::Training;

constexpr std::int64_t any_seed = std::numeric_limits<std::int64_t>::max();

/// Returns the effect of `epochs`: with max_steps they only divide the steps.
Effect effect_of_epochs(const Trial& trial) {
  return trial.training.max_steps > 0 ? Effect::result : Effect::result_and_speed;
}

/// Returns the effect of the shards: under rank_invariant they decide the order of sums, and so bits; else they are not
/// used.
Effect effect_of_shards(const Trial& trial) {
  return trial.reproducibility == setting::Reproducibility::fast ? Effect::place : Effect::result_and_speed;
}

/// Returns whether a head or classifier is trained along with layers, so that its learning rate may be another.
bool has_head_and_layers(const Trial& trial) {
  return trial.training.parameters != setting::TrainedParameters::head &&
         (trial.model.head.kind != HeadKind::none || classifier_of(trial.objective).has_value());
}

}  // namespace

Keys<Trial> training_keys() {
  return {
      with_number(setting::TrainedParameters::from_layer, at(&Trial::training, &Training::from_layer), integer(0, 1000),
                  at(&Trial::training, &Training::parameters),
                  key("training.parameters", at(&Trial::training, &Training::parameters),
                      "Parameters that are trained: all; those of the head and the objective, where each distinct "
                      "sentence goes through the encoder once, without dropout; or these and the layers from one on, "
                      "counted from 0.")),
      changeable(affects_by(effect_of_epochs, key("training.epochs", at(&Trial::training, &Training::epochs),
                                                  integer(1, many), "Passes over the examples."))),
      key("training.batch_size", at(&Trial::training, &Training::batch_size), integer(1, 10'000'000),
          "Examples of a step, over all ranks together."),
      changeable(affects(Effect::result,
                         key("training.learning_rate", at(&Trial::training, &Training::learning_rate),
                             number({.lowest = 0.0, .above_lowest = true}), "Highest learning rate of the schedule."))),
      only_for("training.parameters all or from_layer, and a head or a pair classifier", has_head_and_layers,
               changeable(affects(
                   Effect::result,
                   key("training.head_learning_rate", at(&Trial::training, &Training::head_learning_rate),
                       or_word("same", number({.lowest = 0.0, .above_lowest = true})),
                       "Highest learning rate of the parameters of the head and the pair classifier, which follow the "
                       "same warm-up and schedule; same: learning_rate.")))),
      changeable(affects(Effect::result, key("training.warmup_ratio", at(&Trial::training, &Training::warmup_ratio),
                                             number({.lowest = 0.0, .highest = 1.0}),
                                             "Share of the steps, from 0 to 1, during which the rate of `warmup_decay` "
                                             "and `warmup_constant` rises."))),
      affects(Effect::result, key("training.weight_decay", at(&Trial::training, &Training::weight_decay),
                                  number({.lowest = 0.0, .highest = 1.0}),
                                  "AdamW's weight decay, multiplied by the learning rate of the step.")),
      affects(Effect::result,
              key("training.decay_biases_and_norms", at(&Trial::training, &Training::decay_biases_and_norms),
                  "Whether weight decay acts on biases and layer norms, too.")),
      changeable(affects(
          Effect::result,
          key("training.schedule", at(&Trial::training, &Training::schedule),
              "Linear warm-up, then linear decay to 0 or the same rate to the end; or linear increase up to the last "
              "step."))),
      key("training.max_tokens", at(&Trial::training, &Training::max_tokens), integer(3, 65'536),
          "Largest number of tokens of a sentence, special ones included; longer sentences are cut."),
      only_for(
          "model.pooling mean_without_first",
          [](const Trial& trial) { return trial.model.pooling == PoolingKind::mean_without_first; },
          key("training.pooling_divisor", at(&Trial::training, &Training::pooling_divisor),
              "Divisor of the sum over a sentence's tokens in training: their number, or that of the longest "
              "sentence of the same field in the batch; evaluation always divides by their number.")),
      key("training.precision", at(&Trial::training, &Training::precision),
          "Precision of matmuls; weights, statistics and softmax are float32. int8 is for training.parameters head, "
          "on cores: the encoder's matmuls have it, and the head's that of bf16. A head on model.backbone.vectors has "
          "fp32."),
      affects(Effect::result, key("training.seed", at(&Trial::training, &Training::seed), integer(0, any_seed),
                                  "Seed of every random choice: triples, order, dropout, initial head.")),
      changeable(key("training.max_steps", at(&Trial::training, &Training::max_steps), integer(0, many),
                     "Steps of the training, which override epochs; 0: all steps of the epochs.")),
      affects(Effect::place, key("training.checkpoint_every", at(&Trial::training, &Training::checkpoint_every),
                                 integer(0, many), "Steps between checkpoints; 0: none by steps.")),
      affects(Effect::place, key("training.checkpoint_minutes", at(&Trial::training, &Training::checkpoint_minutes),
                                 number({.lowest = 0.0}), "Minutes between checkpoints; 0: none by time.")),
      affects(Effect::place, key("training.keep_checkpoint", at(&Trial::training, &Training::keep_checkpoint),
                                 "Whether a checkpoint after the last step stays in the output folder, so that `train "
                                 "--continue` can train on; it takes up to four times the room of the weights.")),
      affects(Effect::place, key("training.tensorboard", at(&Trial::training, &Training::tensorboard),
                                 "Whether curves are also written for TensorBoard, into `tensorboard` in the output "
                                 "folder.")),
      affects(Effect::result,
              key("training.clip_norm", at(&Trial::training, &Training::clip_norm), number({.lowest = 0.0}),
                  "Largest gradient norm; larger gradients are scaled down; 0: off.")),
      affects(Effect::result, key("training.epsilon", at(&Trial::training, &Training::epsilon),
                                  number({.lowest = 0.0, .highest = 1.0, .above_lowest = true}),
                                  "AdamW's epsilon, added to the root of the second moment.")),
      affects(
          Effect::speed,
          key("training.micro_batch", at(&Trial::training, &Training::micro_batch), integer(0, 10'000'000),
              "Examples that a rank embeds at a time, which bounds memory; 0: its whole local batch, or a part that "
              "fits into memory. Under fast the last bits may differ.")),
      affects_by(effect_of_shards,
                 key("training.virtual_shards", at(&Trial::training, &Training::virtual_shards), integer(1, 4096),
                     "For rank_invariant: parts of a batch that are computed separately; ranks beyond their number "
                     "stay idle.")),
      affects(Effect::speed,
              key("training.exchange", at(&Trial::training, &Training::exchange),
                  "Whether all candidates are gathered on every rank or travel around the ring of ranks, which bounds "
                  "memory and compares each pair twice; auto: the ring if gathering takes more than 1 GiB per rank.")),
      only_for(
          "training.parameters all or from_layer",
          [](const Trial& trial) { return trial.training.parameters != setting::TrainedParameters::head; },
          key("training.dropout", at(&Trial::training, &Training::dropout),
              or_word("from_config", number({.lowest = 0.0, .highest = 1.0, .below_highest = true})),
              "Dropout probability of hidden states and attention; from_config: that of the model's "
              "config.json.")),
  };
}

}  // namespace gausscse
