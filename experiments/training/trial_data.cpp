#include "experiments/training/trial_data.hpp"

#include <string>

#include "base/error.hpp"

namespace gausscse {

namespace {

void tell_counts(const TokenStore& store, std::int64_t max_tokens, TrainingObserver& observer) {
  const CorpusCounts& counts = store.counts();
  observer.on_note(concat("training data: ", counts.pairs, " pairs or rows read, ", counts.without_gold_label,
                          " without gold label, ", counts.duplicates, " duplicates, ", counts.premises, " premises, ",
                          counts.triples, " triples, ", store.sentences(), " sentences, ", store.tokens(), " tokens",
                          store.from_cache() ? " (from the cache)" : ""));
  if (counts.conflicting > 0)
    observer.on_note(concat(counts.conflicting,
                            " hypotheses are both entailed and contradicted by their premise: no triple has them"));
  if (store.cut_sentences() > 0)
    observer.on_warning(
        concat(store.cut_sentences(), " training sentences have more than ", max_tokens, " tokens and are cut"));
  if (counts.bad_lines > 0)
    observer.on_warning(concat(counts.bad_lines, " bad lines of the training data are left out"));
  for (const std::string& message : store.bad_line_messages()) observer.on_warning(message);
  for (const std::string& warning : store.warnings()) observer.on_warning(warning);
}

std::unique_ptr<NliTask> load_task(const std::string& name, NliTask::Role role, const std::filesystem::path& file,
                                   const Tokenizer& tokenizer, const NliTaskSettings& settings,
                                   TrainingObserver& observer) {
  auto task = std::make_unique<NliTask>(name, role, file, tokenizer, settings);
  observer.on_note(
      concat(name, ": ", task->report().pairs, " pairs, ", task->report().without_gold_label, " without gold label"));
  if (task->sentences().cut_sentences() > 0)
    observer.on_warning(concat(name, ": ", task->sentences().cut_sentences(), " sentences have more than ",
                               settings.max_tokens, " tokens and are cut"));
  if (task->report().bad_lines > 0)
    observer.on_warning(concat(name, ": ", task->report().bad_lines, " bad lines are left out"));
  for (const std::string& message : task->report().bad_line_messages) observer.on_warning(message);
  return task;
}

std::vector<TestSet> load_test_sets(const Trial& trial, const Tokenizer& tokenizer, const NliTaskSettings& settings,
                                    TrainingObserver& observer) {
  // Of an own dev set nothing but the threshold is told, so that it need not tell two-way pairs.
  NliTaskSettings of_own_dev = settings;
  of_own_dev.scoring.two_way_pairs = setting::TwoWayPairs::keep;
  std::vector<TestSet> sets;
  for (const auto& [name, file] : trial.data.test) {
    TestSet set;
    set.test = load_task(name, NliTask::Role::test, file, tokenizer, settings, observer);
    if (const std::filesystem::path* own_dev = own_dev_of(trial, name))
      set.own_dev = load_task("dev of " + name, NliTask::Role::dev, *own_dev, tokenizer, of_own_dev, observer);
    sets.push_back(std::move(set));
  }
  return sets;
}

}  // namespace

const std::filesystem::path* own_dev_of(const Trial& trial, const std::string& test) {
  if (trial.evaluation.threshold != setting::Threshold::own_dev) return nullptr;
  for (const auto& [name, file] : trial.data.own_dev)
    if (name == test) return &file;
  throw InputError(concat("evaluation.threshold is own_dev, but data.own_dev has no set for ", quoted(test)));
}

NliTaskSettings nli_settings(const Trial& trial, std::size_t threads) {
  return {.similarity = trial.similarity,
          .scoring = {.threshold = trial.evaluation.threshold,
                      .two_way_pairs = trial.evaluation.two_way_pairs,
                      .no_gold_label = trial.data.no_gold_label,
                      .auprc = trial.evaluation.auprc},
          .bad_lines = trial.data.bad_lines,
          .trim = trial.data.trim,
          .max_tokens = static_cast<std::size_t>(trial.training.max_tokens),
          .threads = threads};
}

EncoderConfig encoder_config_of(const Trial& trial) {
  EncoderConfig config = trial.backbone.architecture == setting::Architecture::none
                             ? read_encoder_config(trial.backbone.path)
                             : named_encoder_config(name_of(trial.backbone.architecture));
  if (trial.training.dropout) config.hidden_dropout = config.attention_dropout = *trial.training.dropout;
  if (trial.training.max_tokens > static_cast<std::int64_t>(config.max_tokens()))
    throw InputError(concat("training.max_tokens is ", trial.training.max_tokens,
                            ", but the encoder has positions for ", config.max_tokens(), " tokens: give at most that"));
  return config;
}

void check_vocabulary(const Tokenizer& tokenizer, const EncoderConfig& encoder) {
  const auto ids = static_cast<std::int64_t>(tokenizer.vocabulary_size());
  if (ids == encoder.vocabulary_size) return;
  throw InputError(concat("the tokenizer has ", ids, " ids, but the vocabulary_size of the encoder's config.json is ",
                          encoder.vocabulary_size,
                          ids > encoder.vocabulary_size
                              ? ": some tokens would have no embedding"
                              : ": a vocabulary file that lost lines would silently turn words into unknown ones",
                          "; give the tokenizer files that belong to the encoder (where its embeddings are padded, "
                          "fill the vocabulary up with [unused...] entries)"));
}

TrialData load_trial_data(const Trial& trial, std::size_t threads, Communicator& communicator,
                          TrainingObserver& observer) {
  TrialData data;
  data.encoder = encoder_config_of(trial);
  data.tokenizer = open_tokenizer(trial.backbone.tokenizer.empty() ? trial.backbone.path : trial.backbone.tokenizer);
  if (trial.backbone.architecture != setting::Architecture::none)
    data.encoder.vocabulary_size = static_cast<std::int64_t>(data.tokenizer->vocabulary_size());
  check_vocabulary(*data.tokenizer, data.encoder);

  // Before the training data, which take longest.
  const NliTaskSettings settings = nli_settings(trial, threads);
  data.dev = load_task("dev", NliTask::Role::dev, trial.data.dev, *data.tokenizer, settings, observer);
  data.tests = load_test_sets(trial, *data.tokenizer, settings, observer);

  TokenStoreOptions options;
  options.corpus.bad_lines = trial.data.bad_lines;
  options.corpus.trim = trial.data.trim;
  options.corpus.triples_per_premise = trial.data.triples;
  options.corpus.seed = static_cast<std::uint64_t>(trial.training.seed);
  options.max_tokens = static_cast<std::size_t>(trial.training.max_tokens);
  options.threads = threads;
  options.cache_folder = token_cache_folder(trial.data);
  if (communicator.local_rank() == 0)
    data.train.emplace(TokenStore::open_or_build(trial.data.train, *data.tokenizer, options));
  communicator.local_barrier();
  if (communicator.local_rank() != 0)
    data.train.emplace(TokenStore::open_or_build(trial.data.train, *data.tokenizer, options));
  tell_counts(*data.train, trial.training.max_tokens, observer);

  return data;
}

}  // namespace gausscse
