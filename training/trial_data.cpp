#include "training/trial_data.hpp"

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/shard_names.hpp"
#include "data/corpus/corpus_readers.hpp"
#include "inference/notes.hpp"

namespace gausscse {

namespace {

void warn_of_missing_shards(const std::string& what, const std::vector<std::filesystem::path>& files,
                            TrainingObserver& observer) {
  if (const std::string missing = missing_shards_text(files); !missing.empty())
    observer.on_warning(concat(what, ": ", missing));
}

/// Rank 0 alone opens the files once more.
void tell_columns(const Trial::Data& data, const ControlGroup& ranks, TrainingObserver& observer) {
  if (!ranks.is_root()) return;
  warn_of_missing_shards("data.train", data.train, observer);
  const bool pairs = data.examples == ExampleKind::entailment_pairs;
  for (const std::filesystem::path& file : data.train)
    observer.on_note(
        concat("columns of ", file.string(), ": ",
               columns_text(file, pairs ? Contradictions::left_out : Contradictions::needed, data.layout)));
}

void tell_counts(const TokenStore& store, TrainingObserver& observer) {
  const CorpusCounts& counts = store.counts();
  observer.on_note(concat("training data: ", counts.pairs, " pairs or rows read, ", counts.without_gold_label,
                          " without gold label, ", counts.duplicates, " duplicates, ", counts.premises, " premises, ",
                          counts.examples, " examples, ", store.sentences(), " sentences, ", store.tokens(), " tokens",
                          store.from_cache() ? " (from the cache)" : ""));
  if (counts.conflicting > 0)
    observer.on_note(concat(counts.conflicting,
                            " hypotheses are both entailed and contradicted by their premise: no example has them"));
  for (const std::string& message : store.bad_line_messages()) observer.on_warning(message);
  for (const std::string& warning : store.warnings()) observer.on_warning(warning);
}

CorpusOptions corpus_options(const Trial& trial) {
  return {.bad_lines = trial.data.bad_lines,
          .triples_per_premise = trial.data.triples,
          .seed = static_cast<std::uint64_t>(trial.training.seed),
          .trim = trial.data.trim,
          .examples = trial.data.examples,
          .layout = trial.data.layout,
          .dev_fraction = trial.data.dev_fraction};
}

TaskList load_tasks(const Trial& trial, const TrialData& data, std::size_t threads, TrainingObserver& observer) {
  for (const TaskSettings& task : trial.tasks) warn_of_missing_shards(task.name, files_of(task), observer);
  TaskList tasks = tasks_of_trial(trial, trial.tasks, data.model, threads);
  for (const ListedTask& task : tasks) {
    for (const std::string& note : task.notes) observer.on_note(note);
    for (const std::string& warning : task.warnings) observer.on_warning(warning);
  }
  return tasks;
}

/// Returns the places of the stores in memory of the first ranks of the nodes of this host's name, `own` where it is
/// this rank. Collective: the others wait for the first ranks.
std::vector<std::string> places_on_this_host(const std::string& own, ControlGroup& ranks) {
  const std::string here = host_name() + ' ';
  std::vector<std::string> places;
  for (const std::string& place : ranks.all_gather_text(own.empty() ? own : here + own))
    if (place.starts_with(here)) places.push_back(place.substr(here.size()));
  return places;
}

/// Returns the encoder of a backbone: its config.json or a named architecture, with the trial's dropout.
EncoderConfig encoder_config_of(const Trial& trial, const ModelFolder& backbone) {
  EncoderConfig config = trial.model.backbone.architecture == setting::Architecture::none
                             ? read_encoder_config(backbone.encoder)
                             : named_encoder_config(name_of(trial.model.backbone.architecture));
  if (trial.training.dropout) config.hidden_dropout = config.attention_dropout = *trial.training.dropout;
  if (trial.training.max_tokens > static_cast<std::int64_t>(config.max_tokens()))
    throw InputError(concat("training.max_tokens is ", trial.training.max_tokens,
                            ", but the encoder has positions for ", config.max_tokens(), " tokens: give at most that"));
  if (trial.training.from_layer >= config.layers)
    throw InputError(concat("training.parameters is {from_layer: ", trial.training.from_layer,
                            "}, but the encoder has ", config.layers, " layers, counted from 0: give from_layer 0 to ",
                            config.layers - 1, ", or training.parameters: head to train no layer"));
  return config;
}

void tell_folder(const Trial& trial, const ModelFolder& backbone, const Tokenizer& tokenizer,
                 TrainingObserver& observer) {
  for (const std::string& note : backbone.notes) observer.on_note(note);
  for (const std::string& warning : backbone.warnings) observer.on_warning(warning);
  if (backbone.pooling && trial.model.pooling && backbone.pooling != trial.model.pooling)
    observer.on_note(concat(trial.model.backbone.path.string(), ": its own pooling is ", name_of(*backbone.pooling),
                            ", model.pooling is ", name_of(*trial.model.pooling)));
  const auto max_tokens = static_cast<std::size_t>(trial.training.max_tokens);
  for (const std::string& warning : tokenizer.warnings()) observer.on_warning(warning);
  for (const std::string& warning : exceeded_limits(tokenizer, max_tokens, max_tokens)) observer.on_warning(warning);
}

PoolingKind pooling_of(const Trial& trial, std::optional<PoolingKind> own) {
  if (trial.model.pooling) return *trial.model.pooling;
  if (own) return *own;
  throw InputError(
      concat("model.pooling is own, but ",
             trial.model.backbone.path.empty() ? "a named architecture" : trial.model.backbone.path.string(),
             " does not say how to pool token states (it is no folder `model` of a finished run, and has "
             "no modules.json): give model.pooling ",
             listed_words<PoolingKind>()));
}

/// Throws InputError where held-out examples leave less than a batch to train on.
void check_examples_left(const Trial& trial, std::size_t examples) {
  const auto batch_size = static_cast<std::size_t>(trial.training.batch_size);
  if (trial.data.dev_fraction == 0 || examples >= batch_size ||
      (examples > 0 && trial.data.last_batch == setting::LastBatch::keep))
    return;
  throw InputError(concat("data.dev_fraction ", trial.data.dev_fraction, " leaves ", examples,
                          " examples to train on, less than one batch of training.batch_size ", batch_size,
                          ": give a smaller fraction or a smaller batch size"));
}

/// Reports the shares of unknown tokens and of cut sentences of each training file.
void tell_token_counts(const Trial& trial, const TrialData& data, TrainingObserver& observer) {
  Notes notes;
  const std::vector<TokenCounts>& counts = data.train->token_counts();
  for (std::size_t file = 0; file < counts.size(); ++file)
    note_token_counts(trial.data.train.at(file).string(), counts[file], data.model.max_tokens, data.model.positions,
                      notes);
  for (const std::string& note : notes.info) observer.on_note(note);
  for (const std::string& warning : notes.warnings) observer.on_warning(warning);
}

/// Reads the folder of the encoder but its weights.
void read_backbone(const Trial& trial, TrainingObserver& observer, TrialData& data) {
  const ModelFolder backbone = backbone_folder(trial);
  data.encoder = encoder_config_of(trial, backbone);
  data.own_pooling = own_pooling(trial.model.backbone.path, backbone);
  data.pooling = pooling_of(trial, data.own_pooling);
  data.model.tokenizer = open_tokenizer(backbone.encoder);
  tell_folder(trial, backbone, *data.model.tokenizer, observer);
  if (trial.model.backbone.architecture != setting::Architecture::none)
    data.encoder.vocabulary_size = static_cast<std::int64_t>(data.model.tokenizer->vocabulary_size());
  if (const std::string warning = check_vocabulary(*data.model.tokenizer, data.encoder); !warning.empty())
    observer.on_warning(warning);
  data.model.positions = data.encoder.max_tokens();
  data.model.max_tokens = static_cast<std::size_t>(trial.training.max_tokens);
}

/// Reads the vectors that take the encoder's place.
void read_vectors_of(const Trial& trial, TrainingObserver& observer, TrialData& data) {
  const RowVectors& vectors = data.vectors.emplace(trial);
  data.encoder.hidden_size = vectors.width();
  data.model.tokenizer = vectors.tokenizer();
  data.model.positions = data.model.max_tokens = no_limit_of_tokens;
  observer.on_note(
      concat(trial.model.backbone.vectors.string(), ": ", vectors.rows(), " vectors of ", vectors.width(), " values"));
  if (const std::string note = vectors.note(); !note.empty()) observer.on_note(note);
}

}  // namespace

ModelProperties properties_of(const Trial& trial) {
  return {.similarity = similarity_of(trial.objective),
          .classifier = classifier_of(trial.objective),
          .max_tokens = trial.training.max_tokens,
          .trim = trial.data.trim,
          .evaluation = to_words(trial.evaluation)};
}

TaskList tasks_of_trial(const Trial& trial, std::span<const TaskSettings> tasks, const SentenceModel& model,
                        std::size_t threads) {
  return make_tasks(tasks, model,
                    {.threads = threads,
                     .scoring = trial.evaluation,
                     .bad_lines = trial.data.bad_lines,
                     .layout = trial.data.layout,
                     .held_out = {trial.data.train, corpus_options(trial)}});
}

ModelFolder backbone_folder(const Trial& trial) {
  const Trial::Backbone& backbone = trial.model.backbone;
  return read_model_folder(backbone.path.empty() ? backbone.tokenizer : backbone.path, FolderPart::encoder);
}

TrialData load_trial_data(const Trial& trial, std::size_t threads, ControlGroup& ranks, TrainingObserver& observer) {
  TrialData data;
  if (trial.model.backbone.vectors.empty())
    read_backbone(trial, observer, data);
  else
    read_vectors_of(trial, observer, data);
  data.model.properties = properties_of(trial);
  // Before the training data, which take longest.
  data.tasks = load_tasks(trial, data, threads, observer);

  TokenStoreOptions options;
  options.corpus = corpus_options(trial);
  options.max_tokens = static_cast<std::size_t>(trial.training.max_tokens);
  options.threads = threads;
  // Rows are found faster than a cache is read, and every sentence is to be looked for.
  if (!data.vectors) options.cache_folder = token_cache_folder(trial.data);
  if (ranks.local_rank() == 0) {
    data.train.emplace(TokenStore::open_or_build(trial.data.train, *data.model.tokenizer, options));
    if (data.vectors) data.vectors->check_complete(trial);
  }
  options.places = places_on_this_host(data.train ? data.train->place() : "", ranks);
  if (ranks.local_rank() != 0)
    data.train.emplace(TokenStore::open_or_build(trial.data.train, *data.model.tokenizer, options));
  check_examples_left(trial, data.train->examples());
  tell_columns(trial.data, ranks, observer);
  tell_counts(*data.train, observer);
  if (!data.vectors) tell_token_counts(trial, data, observer);
  return data;
}

}  // namespace gausscse
