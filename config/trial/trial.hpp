#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/schema/yaml_node.hpp"
#include "config/tasks/task_settings.hpp"
#include "config/trial/trial_choices.hpp"
#include "data/corpus/choices.hpp"
#include "data/corpus/corpus_layout.hpp"
#include "model/choices.hpp"
#include "model/head/head_settings.hpp"
#include "model/objective/objective_settings.hpp"

namespace gausscse {

/// Settings of one training run, as its trial file gives them. The members have the names of the file's keys;
/// docs/trial_keys.md has each key's meaning, range and default. Values a reader has accepted lie in the ranges given
/// there. Paths are absolute.
struct Trial {
  struct Backbone {
    /// A Hugging Face model folder; empty where `architecture` or `vectors` are given.
    std::filesystem::path path;
    /// `none` where `path` or `vectors` are given.
    setting::Architecture architecture = setting::Architecture::none;
    setting::Init init = setting::Init::weights;
    /// Folder of the tokenizer files; empty where they lie in `path`.
    std::filesystem::path tokenizer;
    /// Files of the sentences' vectors, a matrix, and of their texts, a line for each row; empty where there is an
    /// encoder.
    std::filesystem::path vectors = {}, texts = {};
    bool operator==(const Backbone&) const = default;
  };

  struct Head : HeadSettings {
    setting::HeadInit init = setting::HeadInit::weights;
    /// Log-variance of all dimensions at an `identity` start; nothing where the data decide.
    std::optional<double> log_var_start = {};
    bool operator==(const Head&) const = default;
  };

  struct Model {
    Backbone backbone;
    /// Nothing: that of the folder `backbone.path`.
    std::optional<PoolingKind> pooling = PoolingKind::first_token;
    Head head;
    GaussianModules sentence_transformers = GaussianModules::mean;  ///< modules that the saved model has
    bool operator==(const Model&) const = default;
  };

  struct Data {
    std::vector<std::filesystem::path> train;
    ExampleKind examples = ExampleKind::triples;
    ExampleOrder order = ExampleOrder::shuffled;
    ExampleBatches batches = ExampleBatches::any;
    BadLines bad_lines = BadLines::error;
    bool trim = false;
    TriplesPerPremise triples = TriplesPerPremise::one;
    /// Empty: the default folder, see `token_cache_folder`.
    std::filesystem::path cache;
    setting::LastBatch last_batch = setting::LastBatch::drop;
    CorpusLayout layout = {};
    /// Share of the premises that are held out of training, for tasks without files; 0: none.
    double dev_fraction = 0;
    bool operator==(const Data&) const = default;
  };

  struct Training {
    setting::TrainedParameters parameters = setting::TrainedParameters::all;
    /// First layer that `from_layer` trains, counted from 0.
    std::int64_t from_layer = 0;
    std::int64_t epochs = 1;
    /// Examples of a step, over all ranks together.
    std::int64_t batch_size = 64;
    double learning_rate = 3e-5;
    /// Highest learning rate of the parameters of head and objective; nothing: `learning_rate`.
    std::optional<double> head_learning_rate = {};
    double warmup_ratio = 0.1;
    double weight_decay = 0.01;
    bool decay_biases_and_norms = true;
    setting::Schedule schedule = setting::Schedule::warmup_decay;
    std::int64_t max_tokens = 64;
    /// Divisor of mean_without_first.
    PoolingDivisor pooling_divisor = PoolingDivisor::tokens;
    Precision precision = Precision::bfloat16;
    std::int64_t seed = 0;
    std::int64_t max_steps = 0;
    std::int64_t checkpoint_every = 0;
    /// Minutes between checkpoints; 0: none by time.
    double checkpoint_minutes = 10;
    /// True if the checkpoint after the last step stays when the run has ended.
    bool keep_checkpoint = false;
    /// True if curves are also written as event files of TensorBoard.
    bool tensorboard = false;
    double clip_norm = 0.0;
    /// AdamW's epsilon, added to the root of the second moment.
    double epsilon = 1e-8;
    /// Examples a rank embeds at a time; 0 is its whole share of the batch.
    std::int64_t micro_batch = 0;
    /// Parts that a batch is cut into for `rank_invariant`.
    std::int64_t virtual_shards = 8;
    setting::Exchange exchange = setting::Exchange::automatic;
    /// Probability; nothing where the model's config.json decides.
    std::optional<double> dropout;
    bool operator==(const Training&) const = default;
  };

  /// Metric whose highest value marks the best state.
  struct Select {
    std::string task;  ///< empty: no state is selected, the last one is kept
    std::string metric;
    std::int64_t patience = 0;   ///< measurements without a better state after which a training ends; 0: never
    std::int64_t from_step = 0;  ///< earlier states are not candidates
    bool operator==(const Select&) const = default;
  };

  setting::Recipe recipe = setting::Recipe::released;
  Model model;
  ObjectiveSettings objective;
  setting::Reproducibility reproducibility = setting::Reproducibility::fast;
  setting::Device device = setting::Device::automatic;
  Data data;
  Training training;
  NliScoring evaluation;  ///< for NLI tasks that do not set it themselves
  bool measures_backbone = true;
  std::vector<TaskSettings> tasks;
  Select select;
  std::filesystem::path output;

  bool operator==(const Trial&) const = default;
};

/// Returns the trial that a YAML text describes: the recipe's defaults, the text's keys over them, `overrides`
/// ("a.b=value", the value written as in the file) over those. Relative paths are made absolute from `base_folder`.
/// `source` names the text in messages. Throws InputError that lists every problem found (at most 20), each with its
/// place, the key's full name, the value and the allowed values.
Trial parse_trial(std::string_view yaml, std::string_view source, const std::filesystem::path& base_folder,
                  const std::vector<std::string>& overrides = {});

/// Returns `parse_trial` of a file; relative paths, those of overrides too, start from the file's folder. Throws
/// InputError where the file cannot be read as well.
///
///     const Trial trial = read_trial("trial.yaml", {"training.seed=2", "output=runs/seed2"});
///     std::cout << to_yaml(trial);  // every key, the recipe's defaults included
Trial read_trial(const std::filesystem::path& path, const std::vector<std::string>& overrides = {});

/// Returns the trial as a trial file with every key, defaults included; `parse_trial` of it gives an equal trial.
std::string to_yaml(const Trial& trial);

/// Returns the device that the trial asks of its ranks: `device`, but `auto` is the CPU under rank_invariant and in
/// int8, which GPUs do not have.
setting::Device device_of(const Trial& trial);

/// Returns the folder of tokenised corpora and vectors of sentences. It is `data.cache`, else `tokens` in the folder
/// that the environment variable GAUSSCSE_CACHE names, else `~/.cache/gausscse/tokens`. Empty (keep none) where there
/// is no home folder either.
std::filesystem::path token_cache_folder(const Trial::Data& data);

/// Value of a trial file's key `format`; the number rises when a file that was right would be read differently.
inline constexpr std::string_view trial_format = "gausscse-trial/2";

/// Returns the trial that a map of YAML describes: its recipe's defaults, the map's keys over them. Relative paths are
/// made absolute from `base_folder`. All that is wrong is added to `problems`, and the trial then not to be used.
/// Throws InputError where the map is of another format.
Trial read_trial_map(const YamlNode& root, const std::filesystem::path& base_folder, ProblemList& problems);

/// Puts every override ("a.b=value", the value in YAML) into the document as if it were written there, in place of an
/// earlier value; later ones win. An override that cannot be read is added to `problems`. `root` must be a map.
void apply_overrides(const std::vector<std::string>& overrides, YamlNode& root, ProblemList& problems);

}  // namespace gausscse
