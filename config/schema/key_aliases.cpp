#include "config/schema/key_aliases.hpp"

#include <algorithm>
#include <iterator>

namespace gausscse {

namespace {

constexpr std::string_view whole_batch = "the batch of all ranks together, not of one device",
                           embedded_at_once =
                               "examples embedded at a time; the batch stays whole, and so its negatives",
                           part_of_steps = "a part of all steps, from 0 to 1",
                           no_fp16 = "bf16 or fp32; there is no fp16",
                           by_premise = "a share from 0 to below 1, of premises; a task without files measures it";

constexpr KeyAlias words[] = {
    {"num_train_epochs", "training.epochs", ""},
    {"num_epochs", "training.epochs", ""},
    {"n_epochs", "training.epochs", ""},
    {"max_epochs", "training.epochs", ""},
    {"per_device_train_batch_size", "training.batch_size", whole_batch},
    {"per_gpu_train_batch_size", "training.batch_size", whole_batch},
    {"train_batch_size", "training.batch_size", whole_batch},
    {"bs", "training.batch_size", whole_batch},
    {"gradient_accumulation_steps", "training.micro_batch", embedded_at_once},
    {"gradient_checkpointing", "training.micro_batch", embedded_at_once},
    {"mini_batch_size", "training.micro_batch", embedded_at_once},
    {"lr", "training.learning_rate", ""},
    {"peak_lr", "training.learning_rate", ""},
    {"warmup_steps", "training.warmup_ratio", part_of_steps},
    {"num_warmup_steps", "training.warmup_ratio", part_of_steps},
    {"lr_scheduler_type", "training.schedule", ""},
    {"lr_scheduler", "training.schedule", ""},
    {"scheduler", "training.schedule", ""},
    {"wd", "training.weight_decay", ""},
    {"max_grad_norm", "training.clip_norm", ""},
    {"gradient_clip_val", "training.clip_norm", ""},
    {"adam_epsilon", "training.epsilon", ""},
    {"max_seq_length", "training.max_tokens", "special tokens included"},
    {"max_seq_len", "training.max_tokens", "special tokens included"},
    {"max_length", "training.max_tokens", "special tokens included"},
    {"fp16", "training.precision", no_fp16},
    {"bf16", "training.precision", "bf16 or fp32"},
    {"mixed_precision", "training.precision", no_fp16},
    {"use_amp", "training.precision", no_fp16},
    {"random_seed", "training.seed", ""},
    {"data_seed", "training.seed", "one seed for all random choices"},
    {"save_steps", "training.checkpoint_every", ""},
    {"checkpoint_save_steps", "training.checkpoint_every", ""},
    {"save_total_limit", "training.keep_checkpoint", "true keeps the last one when the run has ended"},
    {"report_to", "training.tensorboard", "true or false"},
    {"logging_dir", "training.tensorboard", "true or false; the folder is `tensorboard` in the output folder"},
    {"output_dir", "output", ""},
    {"output_folder", "output", ""},
    {"out_dir", "output", ""},
    {"output_path", "output", ""},
    {"out", "output", ""},
    {"save_dir", "output", ""},
    {"model_name_or_path", "model.backbone.path", "a folder, not a name on a hub"},
    {"model_name", "model.backbone.path", "a folder, not a name on a hub"},
    {"encoder", "model.backbone.path", "a folder, not a name on a hub"},
    {"tokenizer_name", "model.backbone.tokenizer", "a folder, not a name on a hub"},
    {"pooler_type", "model.pooling", ""},
    {"pooling_mode", "model.pooling", ""},
    {"train_file", "data.train", ""},
    {"train_files", "data.train", ""},
    {"train_dataset", "data.train", "files"},
    {"train_data", "data.train", ""},
    {"dev_file", "tasks", "a task each, of a name of your own"},
    {"test_file", "tasks", "a task each, of a name of your own"},
    {"validation_file", "tasks", "a task each, of a name of your own"},
    {"validation_split", "data.dev_fraction", by_premise},
    {"validation_split_percentage", "data.dev_fraction", by_premise},
    {"test_size", "data.dev_fraction", by_premise},
    {"cache_dir", "data.cache", ""},
    {"dataloader_drop_last", "data.last_batch", ""},
    {"drop_last", "data.last_batch", ""},
    {"batch_sampler", "data.batches", "no_duplicates for BatchSamplers.NO_DUPLICATES"},
    {"temp", "objective.temperature", ""},
    {"scale", "objective.temperature", "its reciprocal: a scale of 20 is a temperature of 0.05"},
    {"hard_negative_weight", "objective.hard_negative_weight", ""},
    {"eval_steps", "tasks", "eval_every, a key of each task"},
    {"evaluation_steps", "tasks", "eval_every, a key of each task"},
    {"eval_strategy", "tasks", "eval_every, a key of each task"},
    {"evaluation_strategy", "tasks", "eval_every, a key of each task"},
    {"eval_dataset", "tasks", "files, a key of each task"},
    {"evaluator", "tasks", "kind, a key of each task"},
    {"metric_for_best_model", "select", "keys task and figure"},
    {"load_best_model_at_end", "select", "keys task and figure"},
    {"early_stopping_patience", "select.patience", "in measurements of select.task"},
    {"patience", "select.patience", "in measurements of select.task"},
};

}  // namespace

std::span<const KeyAlias> key_aliases() {
  return words;
}

const KeyAlias* other_word(std::string_view word) {
  std::string plain(word);
  std::replace(plain.begin(), plain.end(), '-', '_');
  const auto found =
      std::find_if(std::begin(words), std::end(words), [&](const KeyAlias& entry) { return entry.word == plain; });
  return found == std::end(words) ? nullptr : found;
}

}  // namespace gausscse
