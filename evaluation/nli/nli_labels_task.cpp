#include "evaluation/nli/nli_labels_task.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "data/corpus/nli_pair.hpp"
#include "dist/group_work.hpp"
#include "inference/embed_sentences.hpp"
#include "model/objective/pair_classifier.hpp"
#include "model/parallel_tasks.hpp"
#include "model/sentence_encoder.hpp"

namespace gausscse {

namespace {

static_assert(PairClassifier::labels == gold_labels && std::size(gold_label_names) == gold_labels);

ClassifierActivation activation_of(const std::string& name, const SentenceModel& model) {
  if (model.properties.classifier) return *model.properties.classifier;
  throw InputError(concat("the task ", quoted(name),
                          " (nli_labels) asks the model's classifier of pairs, but the model ",
                          "has none: only a training with objective.kind pair_classification or ",
                          "augmented_classification, alone or as a term of a sum, leaves one"));
}

/// Returns the classifier's parameters one after another.
at::Tensor classifier_parameters(const SentenceEncoder& encoder, const std::string& name) {
  const ParameterStore& parameters = encoder.parameters();
  std::vector<at::Tensor> values;
  for (const ParameterSpec& spec : PairClassifier::parameters(encoder.width())) {
    const auto found =
        std::find_if(parameters.specs().begin(), parameters.specs().end(),
                     [&](const ParameterSpec& each) { return each.name == spec.name && each.shape == spec.shape; });
    if (found == parameters.specs().end())
      throw InputError(concat("the task ", quoted(name), " (nli_labels): the model's ", spec.name,
                              " is missing or not ", "that of a classifier of embeddings of width ", encoder.width(),
                              ": the model is damaged, get it again"));
    values.push_back(parameters.value(spec.name).flatten());
  }
  return at::cat(values);
}

}  // namespace

NliLabelsTask::NliLabelsTask(std::string name, const NliLabelsTaskSettings& settings, const SentenceModel& model,
                             const ReadingSettings& reading)
    : name_(std::move(name)),
      activation_(activation_of(name_, model)),
      pairs_(read_nli_pairs(settings.file, settings.rows, UnlabelledPairs::leave_out, model,
                            reading.with(settings.layout))) {}

Measurement NliLabelsTask::measure(SentenceEmbedder& model, Communicator& communicator,
                                   const std::vector<Measurement>&) const {
  const SentenceEncoder* const encoder = encoder_of(model);
  GAUSSCSE_CHECK(encoder, "a task of a classifier was made for a model that has one");
  const at::Tensor classifier = classifier_parameters(*encoder, name_);
  const at::Tensor embeddings = embed_sentences_in_place(model, sentences(), communicator, kept_);
  Measurement measurement;
  run_on_root(communicator, [&] {
    std::vector<std::uint8_t> predicted = predictions(embeddings, classifier.to(embeddings.device()));
    measurement.task = name_;
    measurement.kind = NliLabelsTaskSettings::kind;
    measurement.metrics = metric_values_of(predicted);
    measurement.columns.push_back({"label", pairs_.label});
    measurement.columns.push_back({"prediction", std::move(predicted)});
    measurement.columns.push_back({"cluster", pairs_.cluster});
  });
  return measurement;
}

std::vector<std::uint8_t> NliLabelsTask::predictions(const at::Tensor& embeddings, const at::Tensor& classifier) const {
  const PairClassifier network(classifier, embeddings.size(1), activation_);
  const auto pairs = static_cast<std::int64_t>(pairs_.label.size());
  const at::Tensor predicted = at::empty({pairs}, embeddings.options().dtype(at::kByte));
  // In one task: the number of threads decides how LibTorch cuts a product.
  run_tasks(1, 1, [&](std::int64_t, int) {
    for_each_block(embeddings, pairs_.rows(),
                   [&](std::int64_t begin, const at::Tensor& premise, const at::Tensor& hypothesis) {
                     predicted.narrow(0, begin, premise.size(0))
                         .copy_(network.forward(premise, hypothesis).log_probabilities.argmax(1));
                   });
  });
  const at::Tensor on_host = predicted.cpu();
  const auto* const values = on_host.const_data_ptr<std::uint8_t>();
  return {values, values + pairs};
}

std::vector<Metric> NliLabelsTask::metric_values_of(const std::vector<std::uint8_t>& predictions) const {
  std::array<std::array<std::int64_t, gold_labels>, gold_labels> confusion{};
  for (std::size_t i = 0; i < predictions.size(); ++i) ++confusion[pairs_.label[i]][predictions[i]];
  const auto pairs = static_cast<double>(predictions.size());
  std::int64_t right = 0;
  for (std::size_t label = 0; label < gold_labels; ++label) right += confusion[label][label];
  std::vector<Metric> metrics{{"pairs", pairs, Unit::count}, {"accuracy", static_cast<double>(right) / pairs}};
  for (std::size_t label = 0; label < gold_labels; ++label) {
    std::int64_t of_label = 0;
    for (const std::int64_t count : confusion[label]) of_label += count;
    metrics.push_back({concat("accuracy.", gold_label_names[label]),
                       of_label > 0 ? static_cast<double>(confusion[label][label]) / static_cast<double>(of_label)
                                    : std::numeric_limits<double>::quiet_NaN()});
  }
  for (std::size_t label = 0; label < gold_labels; ++label)
    for (std::size_t said = 0; said < gold_labels; ++said)
      metrics.push_back({concat("confusion.", gold_label_names[label], ".", gold_label_names[said]),
                         static_cast<double>(confusion[label][said]), Unit::count});
  return metrics;
}

ListedTask make_task(const std::string& name, const NliLabelsTaskSettings& settings, const SentenceModel& model,
                     const ReadingSettings& reading) {
  auto labels = std::make_unique<NliLabelsTask>(name, settings, model, reading);
  const NliPairs& pairs = labels->pairs();
  ListedTask task{std::move(labels)};
  describe_nli_pairs(pairs, model, task);
  return task;
}

}  // namespace gausscse
