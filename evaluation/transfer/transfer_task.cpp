#include "evaluation/transfer/transfer_task.hpp"

#include <limits>
#include <utility>

#include "base/error.hpp"
#include "data/corpus/string_table.hpp"
#include "evaluation/transfer/transfer_accuracy.hpp"
#include "inference/embed_sentences.hpp"

namespace gausscse {

namespace {

Metric percent_metric(const std::string& metric, TransferDataset dataset, double percent) {
  return {concat(metric, ".", name_of(dataset)), percent / 100};
}

}  // namespace

TransferTask::NumberedDataset TransferTask::read(TransferDataset dataset, const SentenceModel& model,
                                                 const ReadingSettings& reading) {
  const TransferExamples examples = read_transfer_dataset(dataset, settings_.folder, reading.bad_lines, report_);
  const bool pairs = layout_of(dataset).pairs;
  StringTable table;
  const auto numbered = [&](const std::vector<TransferExample>& set) {
    NumberedSet numbers;
    for (const TransferExample& example : set) {
      numbers.first.push_back(table.intern(example.first));
      if (pairs) numbers.second.push_back(table.intern(example.second));
      numbers.labels.push_back(example.label);
    }
    return numbers;
  };
  NumberedSet train = numbered(examples.train), development = numbered(examples.development),
              test = numbered(examples.test);
  check_enough_examples(train.labels, layout_of(dataset), classifier_,
                        concat(settings_.folder.string(), ": ", name_of(dataset)));
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < table.size(); ++i) sentences.emplace_back(table[static_cast<std::uint32_t>(i)]);
  return {dataset, std::move(train), std::move(development), std::move(test),
          TokenStore::from_sentences(sentences, *model.tokenizer, default_max_tokens(model), reading.threads)};
}

TransferTask::TransferTask(std::string name, const TransferTaskSettings& settings, const SentenceModel& model,
                           const ReadingSettings& reading)
    : name_(std::move(name)),
      settings_(settings),
      classifier_(classifier_settings(settings.mode, static_cast<std::uint32_t>(settings.seed))),
      similarity_(model.properties.similarity) {
  for (const TransferDataset dataset : settings.tasks) {
    const std::vector<std::filesystem::path> missing = missing_transfer_files(dataset, settings.folder);
    if (missing.empty())
      datasets_.push_back(read(dataset, model, reading));
    else
      missing_.push_back({dataset, missing.front()});
  }
  if (datasets_.empty())
    throw InputError(
        concat("the task ", quoted(name_), " has nothing to measure: ", missing_.front().file.string(),
               " is missing, and so are files of all its other tasks: give a folder laid out as SentEval's ",
               "data/downstream"));
}

TokenCounts TransferTask::token_counts() const {
  TokenCounts counts;
  for (const NumberedDataset& each : datasets_) counts.add(each.store.token_counts().front());
  return counts;
}

Measurement TransferTask::measure(SentenceEmbedder& model, Communicator& communicator,
                                  const std::vector<Measurement>&) const {
  const std::int64_t width = is_gaussian(similarity_) ? model.width() / 2 : model.width();
  SharedFits fits(communicator);
  std::vector<Metric> of_tasks;
  double sum = 0;
  for (const NumberedDataset& each : datasets_) {
    const TransferLayout& layout = layout_of(each.dataset);
    TransferFeatures features;
    {
      const at::Tensor embeddings = embed_sentences(model, each.store, communicator);
      const auto features_of = [&](const NumberedSet& set) {
        return TransferSet{layout.pairs ? pair_features(embeddings, width, set.first, set.second)
                                        : sentence_features(embeddings, width, set.first),
                           set.labels};
      };
      features = {features_of(each.train), features_of(each.development), features_of(each.test)};
    }
    const TransferAccuracy accuracy = transfer_accuracy(features, layout, classifier_, fits);
    sum += accuracy.accuracy;
    of_tasks.push_back(percent_metric("accuracy", each.dataset, accuracy.accuracy));
    of_tasks.push_back(percent_metric("dev_accuracy", each.dataset, accuracy.development));
    if (each.dataset == TransferDataset::mrpc) of_tasks.push_back(percent_metric("f1", each.dataset, accuracy.f1));
  }
  if (!communicator.is_root()) return {};
  const double mean =
      missing_.empty() ? sum / static_cast<double>(datasets_.size()) / 100 : std::numeric_limits<double>::quiet_NaN();
  Measurement result;
  result.task = name_;
  result.kind = TransferTaskSettings::kind;
  result.metrics.push_back({"accuracy", mean});
  result.metrics.insert(result.metrics.end(), of_tasks.begin(), of_tasks.end());
  for (const Missing& missing : missing_)
    result.remark += concat(result.remark.empty() ? "partial, without " : ", ", name_of(missing.dataset));
  return result;
}

ListedTask make_task(const std::string& name, const TransferTaskSettings& settings, const SentenceModel& model,
                     const ReadingSettings& reading) {
  auto made = std::make_unique<TransferTask>(name, settings, model, reading);
  const TransferTask& transfer = *made;
  ListedTask task{std::move(made)};
  task.notes.push_back(concat(name, ": ", transfer.token_counts().sentences, " sentences of ",
                              settings.tasks.size() - transfer.missing().size(), " tasks"));
  for (const TransferTask::Missing& missing : transfer.missing())
    task.warnings.push_back(concat(name, ": the task ", name_of(missing.dataset), " is left out, as ",
                                   missing.file.string(), " is missing: there is no average accuracy"));
  describe_tokens(transfer.token_counts(), default_max_tokens(model), model, task);
  warn_of_bad_lines(transfer.report(), task);
  return task;
}

}  // namespace gausscse
