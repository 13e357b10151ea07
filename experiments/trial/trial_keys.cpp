#include <algorithm>

#include "experiments/trial/trial_key.hpp"
#include "experiments/trial/trial_key_kinds.hpp"

namespace gausscse {

namespace {

using namespace key_kinds;  // the table below reads as a table

constexpr std::int64_t many = 1'000'000'000;
constexpr std::int64_t any_seed = std::numeric_limits<std::int64_t>::max();

std::vector<TrialKey> make_keys() {
  return {
      format_key("Version of the trial format."),
      choice("recipe", Field(&Trial::recipe),
             "Whose defaults: the authors' released program, or the paper's text. Every key overrides it."),

      path("backbone.path", {&Trial::backbone, &Trial::Backbone::path}, "A Hugging Face model folder."),
      choice("backbone.architecture", Field(&Trial::backbone, &Trial::Backbone::architecture),
             "Instead of a path: the shape of a named model, for `init: random`."),
      choice("backbone.init", Field(&Trial::backbone, &Trial::Backbone::init),
             "Weights from the model folder, or random ones."),
      path("backbone.tokenizer", {&Trial::backbone, &Trial::Backbone::tokenizer},
           "Folder of the tokenizer files, with `architecture`; a model folder has its own."),

      choice("loss", Field(&Trial::loss), "Denominator: entailed, plus contradicted, plus reversed candidates."),
      choice("similarity", Field(&Trial::similarity), "Mean over dimensions of 1/(1+kl), or 1/(1+sum of kl)."),

      choice("head.mean", Field(&Trial::head, &Trial::Head::mean), "Activation of the mean."),
      choice("pooling", Field(&Trial::pooling), "What of a sentence's last hidden states stands for it."),
      choice("reproducibility", Field(&Trial::reproducibility),
             "rank_invariant: the same bits for any number of ranks; fast: the same up to rounding."),

      required(paths("data.train", {&Trial::data, &Trial::Data::train},
                     "NLI files (jsonl, txt; of SICK.txt the TRAIN rows), or one triples CSV with the header "
                     "sent0,sent1,hard_neg.")),
      required(path("data.dev", {&Trial::data, &Trial::Data::dev},
                    "NLI file for the AUPRC while training and for the threshold; of SICK.txt the TRIAL rows.")),
      named_paths("data.test", {&Trial::data, &Trial::Data::test},
                  "NLI files to test on, under the names of the results; of SICK.txt the TEST rows."),
      named_paths("data.own_dev", {&Trial::data, &Trial::Data::own_dev},
                  "For `threshold: own_dev`: under each name of data.test, the NLI file its threshold is chosen on; of "
                  "SICK.txt the TRIAL rows."),
      choice("data.bad_lines", Field(&Trial::data, &Trial::Data::bad_lines),
             "A line that cannot be used: an error, or counted, listed and left out."),
      boolean("data.trim", {&Trial::data, &Trial::Data::trim},
              "Whether white space at the ends of sentences is removed. RoBERTa's tokens depend on it, BERT's do not."),
      choice("data.triples", Field(&Trial::data, &Trial::Data::triples),
             "From NLI files: one triple of a premise, chosen by the seed, or all combinations."),
      choice("data.no_gold_label", Field(&Trial::data, &Trial::Data::no_gold_label),
             "Evaluation pairs without a gold label: counted as no entailment, or left out."),
      optional_path("data.cache", {&Trial::data, &Trial::Data::cache},
                    "Folder for tokenised corpora; \"\" is `$GAUSSCSE_CACHE/tokens`, else `~/.cache/gausscse/tokens`."),
      choice("data.last_batch", Field(&Trial::data, &Trial::Data::last_batch), "An incomplete last batch of an epoch."),

      integer("training.epochs", {&Trial::training, &Trial::Training::epochs}, 1, many, "Passes over the triples."),
      integer("training.batch_size", {&Trial::training, &Trial::Training::batch_size}, 1, 10'000'000,
              "Triples of a step, over all ranks."),
      number("training.learning_rate", {&Trial::training, &Trial::Training::learning_rate},
             {.lowest = 0.0, .above_lowest = true}, "Highest learning rate of the schedule."),
      number("training.temperature", {&Trial::training, &Trial::Training::temperature},
             {.lowest = 1e-4, .highest = 1e4}, "Divides the similarities in the loss."),
      number("training.warmup_ratio", {&Trial::training, &Trial::Training::warmup_ratio},
             {.lowest = 0.0, .highest = 1.0}, "Part of the steps in which `warmup_decay` and `warmup_constant` rise."),
      number("training.weight_decay", {&Trial::training, &Trial::Training::weight_decay},
             {.lowest = 0.0, .highest = 1.0}, "AdamW's, multiplied by the learning rate of the step."),
      boolean("training.decay_biases_and_norms", {&Trial::training, &Trial::Training::decay_biases_and_norms},
              "Whether weight decay acts on biases and layer norms, too."),
      choice("training.schedule", Field(&Trial::training, &Trial::Training::schedule),
             "Linear warm-up, then linear decay to 0 or the same rate to the end; or linear increase up to the last "
             "step."),
      integer("training.max_tokens", {&Trial::training, &Trial::Training::max_tokens}, 3, 65'536,
              "Longer sentences are cut to as many tokens, special ones included."),
      choice("training.precision", Field(&Trial::training, &Trial::Training::precision),
             "Of matrix products; weights, statistics and softmax are float32."),
      integer("training.seed", {&Trial::training, &Trial::Training::seed}, 0, any_seed,
              "Of every random choice: triples, order, dropout, initial head."),
      integer("training.eval_every", {&Trial::training, &Trial::Training::eval_every}, 0, many,
              "Steps between evaluations on dev; 0: only before the first and after the last step."),
      integer("training.max_steps", {&Trial::training, &Trial::Training::max_steps}, 0, many,
              "Steps in all, whatever the epochs; 0: by epochs."),
      integer("training.checkpoint_every", {&Trial::training, &Trial::Training::checkpoint_every}, 0, many,
              "Steps between checkpoints; 0: none by steps."),
      number("training.checkpoint_minutes", {&Trial::training, &Trial::Training::checkpoint_minutes}, {.lowest = 0.0},
             "Minutes between checkpoints; 0: none by time."),
      choice("training.keep", Field(&Trial::training, &Trial::Training::keep),
             "Which state is saved: that of the best dev AUPRC, or the last."),
      number("training.clip_norm", {&Trial::training, &Trial::Training::clip_norm}, {.lowest = 0.0},
             "Longest gradient norm, larger ones are scaled down; 0: off."),
      number("training.epsilon", {&Trial::training, &Trial::Training::epsilon},
             {.lowest = 0.0, .highest = 1.0, .above_lowest = true}, "AdamW's, added to the root of the second moment."),
      integer("training.micro_batch", {&Trial::training, &Trial::Training::micro_batch}, 0, 10'000'000,
              "Triples a rank embeds at a time, which bounds memory and changes no result; 0: its whole share."),
      integer("training.virtual_shards", {&Trial::training, &Trial::Training::virtual_shards}, 1, 4096,
              "For rank_invariant: parts of a batch that are computed each by itself; ranks beyond them have nothing "
              "to do."),
      number_or("training.dropout", {&Trial::training, &Trial::Training::dropout},
                {.lowest = 0.0, .highest = 1.0, .below_highest = true}, "from_config",
                "Probability for hidden states and attention; from_config: as the model's config.json says."),

      choice(
          "evaluation.threshold", Field(&Trial::evaluation, &Trial::Evaluation::threshold),
          "Where a test set's threshold comes from: data.dev (SNLI's, in the paper), or the set's own data.own_dev."),
      choice("evaluation.two_way_pairs", Field(&Trial::evaluation, &Trial::Evaluation::two_way_pairs),
             "Pairs that entail both ways in the direction task; drop needs SICK.txt, SICK's other files do not tell."),
      choice("evaluation.auprc", Field(&Trial::evaluation, &Trial::Evaluation::auprc),
             "Precision and recall at every distinct score, or at thresholds 0, 0.001, ..., 1."),

      required(path("output", Field(&Trial::output), "Folder for the results and the model.")),
  };
}

}  // namespace

std::string TrialKey::section() const {
  const std::size_t dot = name.find('.');
  return dot == std::string::npos ? "" : name.substr(0, dot);
}

std::string TrialKey::word() const {
  return name.substr(name.find('.') + 1);
}

const std::vector<TrialKey>& trial_keys() {
  static const std::vector<TrialKey> keys = make_keys();
  return keys;
}

bool is_trial_section(std::string_view name) {
  return !name.empty() && std::any_of(trial_keys().begin(), trial_keys().end(),
                                      [&](const TrialKey& key) { return key.section() == name; });
}

}  // namespace gausscse
