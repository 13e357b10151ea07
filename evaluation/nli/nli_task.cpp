#include "evaluation/nli/nli_task.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_vector_norm.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "base/error.hpp"
#include "data/corpus/corpus_readers.hpp"
#include "data/corpus/nli_pair.hpp"
#include "dist/group_work.hpp"
#include "evaluation/mteb/scores.hpp"
#include "evaluation/nli/nli_calibration.hpp"
#include "inference/embed_sentences.hpp"
#include "inference/pair_scores.hpp"
#include "model/objective/similarity.hpp"
#include "model/similarities/list.hpp"

namespace gausscse {

namespace {

/// Returns sum over d of log standard deviation = half the sum of log-variances; [n, 2*dimension] -> [n].
at::Tensor log_std_sum(const at::Tensor& rows) {
  const std::int64_t dimension = rows.size(1) / 2;
  return rows.narrow(1, dimension, dimension).sum(1, false, at::kDouble).mul_(0.5);
}

/// Returns the cosines of the means of rows [mean | log_var]; [n, 2*dimension] -> [n]. A GPU needs little memory for
/// it: products are float32 there, their sums float64.
at::Tensor cosines_of_means(const at::Tensor& premise, const at::Tensor& hypothesis) {
  const std::int64_t dimension = premise.size(1) / 2;
  const at::Tensor p = premise.narrow(1, 0, dimension), q = hypothesis.narrow(1, 0, dimension);
  if (p.is_cpu()) return pairwise_cosine(p.contiguous(), q.contiguous());
  const auto lengths = [](const at::Tensor& rows) { return at::linalg_vector_norm(rows, 2, 1, false, at::kDouble); };
  return p.mul(q).sum(1, false, at::kDouble).div_(lengths(p)).div_(lengths(q)).nan_to_num_(0);
}

void check_two_way_pairs(const std::filesystem::path& file, const NliScoring& scoring, const CorpusLayout& layout) {
  if (scoring.two_way_pairs != setting::TwoWayPairs::drop || detect_format(file, layout) != CorpusFormat::sick_semeval)
    return;
  throw InputError(
      concat(file.string(),
             ": two_way_pairs is drop, but this file of SICK does not mark pairs that entail both ways (it has ",
             "no columns entailment_AB and entailment_BA), so they would stay in the direction metrics: give the full ",
             "release, SICK.txt, or set two_way_pairs to keep"));
}

/// Throws InputError for held-out pairs that all are entailments, as of training files without contradicted hypotheses:
/// accuracy and AUPRC need others.
void check_held_out_pairs(const std::string& name, const NliPairs& pairs) {
  if (!pairs.held_out || pairs.report.pairs_with(NliLabel::entailment) < pairs.report.pairs) return;
  throw InputError(concat("the task ", quoted(name), " (nli) cannot measure the held-out examples: all ",
                          pairs.report.pairs, " pairs are entailments, as the training files have no contradicted ",
                          "hypotheses; accuracy and AUPRC need other pairs, too: name a file of pairs with labels in ",
                          "tasks.", name, ".files, or use a task of kind sts with a file"));
}

}  // namespace

NliTask::NliTask(std::string name, const NliTaskSettings& settings, const SentenceModel& model,
                 const ReadingSettings& reading)
    : name_(std::move(name)),
      threshold_(settings.threshold),
      scoring_{.two_way_pairs = settings.two_way_pairs.value_or(reading.scoring.two_way_pairs),
               .no_gold_label = settings.no_gold_label.value_or(reading.scoring.no_gold_label),
               .auprc = settings.auprc.value_or(reading.scoring.auprc)},
      similarity_(model.properties.similarity),
      mteb_scores_(reading.mteb_scores),
      calibration_(reading.calibration),
      threads_(static_cast<int>(reading.threads)) {
  for (const std::filesystem::path& file : settings.file.empty() ? reading.held_out.files : std::vector{settings.file})
    check_two_way_pairs(file, scoring_, settings.layout.over(reading.layout));
  pairs_ = read_nli_pairs(settings.file, settings.rows_read(), UnlabelledPairs::keep, model,
                          reading.with(settings.layout), settings.by);
  if (pairs_.report.pairs_with(NliLabel::entailment) == 0)
    throw InputError(concat(source_of_pairs(settings.file), ": none of its ", pairs_.report.pairs,
                            " pairs is an entailment (", pairs_.report.labels_text(),
                            "): neither accuracy nor direction can be measured: ",
                            pairs_.held_out ? "give a larger data.dev_fraction, or a file" : "give another set"));
  check_held_out_pairs(name_, pairs_);
}

Measurement NliTask::measure(SentenceEmbedder& model, Communicator& communicator,
                             const std::vector<Measurement>& earlier) const {
  const at::Tensor embeddings = embed_sentences_in_place(model, sentences(), communicator, kept_);
  Measurement measurement;
  run_on_root(communicator, [&] { measurement = score(embeddings, earlier); });
  return measurement;
}

Measurement NliTask::score(const at::Tensor& embeddings, const std::vector<Measurement>& earlier) const {
  NliScores scores = scores_of(embeddings);
  Measurement measurement;
  measurement.task = name_;
  measurement.kind = NliTaskSettings::kind;
  measurement.metrics = nli_metrics(pairs_, scores, scoring_, given_threshold(earlier));
  if (mteb_scores_) measurement.mteb_scores = mteb_scores(embeddings, scores);
  std::vector<Column> of_probabilities = add_probabilities(scores, embeddings.size(1), earlier, measurement);
  std::vector<Column>& columns = measurement.columns;
  columns.push_back({"sim_hypothesis_premise", std::move(scores.hypothesis_premise)});
  if (has_direction(similarity_)) columns.push_back({"sim_premise_hypothesis", std::move(scores.premise_hypothesis)});
  if (is_gaussian(similarity_)) {
    columns.push_back({"log_std_premise", std::move(scores.log_std_premise)});
    columns.push_back({"log_std_hypothesis", std::move(scores.log_std_hypothesis)});
  }
  columns.push_back({"label", pairs_.label});
  columns.push_back({"entails_both_ways", pairs_.both_ways});
  columns.push_back({"premise_characters", pairs_.premise_characters});
  columns.push_back({"hypothesis_characters", pairs_.hypothesis_characters});
  columns.push_back({"cluster", pairs_.cluster});
  if (!pairs_.group_key.empty()) columns.push_back({"group", pairs_.group});
  std::move(of_probabilities.begin(), of_probabilities.end(), std::back_inserter(columns));
  return measurement;
}

NliScores NliTask::scores_of(const at::Tensor& embeddings) const {
  const auto pairs = static_cast<std::int64_t>(pairs_.premise.size());
  NliScores scores;
  std::vector<std::vector<float>*> columns{&scores.hypothesis_premise};
  if (has_direction(similarity_)) columns.push_back(&scores.premise_hypothesis);
  if (is_gaussian(similarity_))
    columns.insert(columns.end(), {&scores.log_std_premise, &scores.log_std_hypothesis, &scores.cosine});
  const auto count = static_cast<std::int64_t>(columns.size());
  const at::Tensor values = at::empty({count, pairs}, embeddings.options().dtype(at::kFloat));
  const auto score = [&](std::int64_t begin, const at::Tensor& premise, const at::Tensor& hypothesis) {
    const at::Tensor of_block = values.narrow(1, begin, premise.size(0));
    of_block[0].copy_(pairwise_similarity(hypothesis, premise, similarity_));
    if (has_direction(similarity_)) of_block[1].copy_(pairwise_similarity(premise, hypothesis, similarity_));
    if (!is_gaussian(similarity_)) return;
    of_block[count - 3].copy_(log_std_sum(premise));
    of_block[count - 2].copy_(log_std_sum(hypothesis));
    of_block[count - 1].copy_(cosines_of_means(premise, hypothesis));
  };
  for_each_block(embeddings, pairs_.rows(), score);
  // All that a GPU sends to the host.
  const at::Tensor on_host = values.cpu();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const float* const begin = on_host.const_data_ptr<float>() + static_cast<std::int64_t>(c) * pairs;
    columns[c]->assign(begin, begin + pairs);
  }
  return scores;
}

std::optional<double> NliTask::given_threshold(const std::vector<Measurement>& earlier) const {
  if (threshold_ == own_threshold) return std::nullopt;
  NliTaskSettings settings;
  settings.threshold = threshold_;
  if (const auto number = fixed_threshold_of(settings)) return number;
  const Measurement* source = find_measurement(earlier, threshold_);
  if (!source)
    throw InputError(concat("the task ", quoted(name_), " takes its threshold from ", quoted(threshold_),
                            ", which was not measured"));
  return metric_of(*source, "threshold");
}

std::vector<Column> NliTask::add_probabilities(const NliScores& scores, std::int64_t width,
                                               const std::vector<Measurement>& earlier,
                                               Measurement& measurement) const {
  const std::vector<PairEvidence> evidence = evidence_of(pairs_, scores, width / 2);
  const bool own = threshold_ == own_threshold;
  std::optional<Calibration> calibration = calibration_;
  if (own) {
    calibration = calibration_of(pairs_, evidence, scoring_, similarity_, name_);
    if (calibration) measurement.calibration = calibration->text();
  } else if (const Measurement* source = find_measurement(earlier, threshold_)) {
    calibration.reset();
    if (!source->calibration.empty()) calibration = Calibration::parse(source->calibration, source->task);
  }
  if (!calibration) return {};
  const NliProbabilities probabilities(*calibration, own, pairs_, evidence, scoring_);
  std::vector<Metric> metrics = probabilities.metrics(threads_);
  std::move(metrics.begin(), metrics.end(), std::back_inserter(measurement.metrics));
  return probabilities.columns();
}

std::vector<Metric> NliTask::mteb_scores(const at::Tensor& embeddings, const NliScores& scores) const {
  std::vector<RowPair> pairs;
  std::vector<double> own;
  std::vector<std::uint8_t> positive;
  for (std::size_t i = 0; i < pairs_.label.size(); ++i) {
    if (!counts(pairs_, scoring_, i)) continue;
    pairs.push_back({pairs_.premise[i], pairs_.hypothesis[i]});
    own.push_back(static_cast<double>(scores.hypothesis_premise[i]));
    positive.push_back(static_cast<NliLabel>(pairs_.label[i]) == NliLabel::entailment);
  }
  const std::int64_t width = is_gaussian(similarity_) ? embeddings.size(1) / 2 : embeddings.size(1);
  return mteb::pair_classification_scores(pair_similarities(embeddings.cpu(), width, pairs, std::move(own)), positive);
}

ListedTask make_task(const std::string& name, const NliTaskSettings& settings, const SentenceModel& model,
                     const ReadingSettings& reading) {
  auto nli = std::make_unique<NliTask>(name, settings, model, reading);
  const NliPairs& pairs = nli->pairs();
  ListedTask task{std::move(nli)};
  task.pairs = pairs.report.pairs;
  describe_nli_pairs(pairs, model, task);
  return task;
}

}  // namespace gausscse
