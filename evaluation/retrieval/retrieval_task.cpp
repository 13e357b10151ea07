#include "evaluation/retrieval/retrieval_task.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "config/tasks/retrieval_metrics.hpp"
#include "data/corpus/corpus_readers.hpp"
#include "data/corpus/string_table.hpp"
#include "data/retrieval/beir_folder.hpp"
#include "data/retrieval/entailment_queries.hpp"
#include "dist/group_work.hpp"
#include "evaluation/metrics/ranking.hpp"
#include "evaluation/retrieval/document_ranks.hpp"
#include "evaluation/retrieval/hit_calibration.hpp"
#include "evaluation/retrieval/retrieval_columns.hpp"
#include "inference/embed_sentences.hpp"
#include "inference/search/check_embeddings.hpp"
#include "model/similarities/list.hpp"

namespace gausscse {

namespace {

RetrievalFrom source_of(const RetrievalTaskSettings& settings, const CorpusLayout& layout) {
  if (settings.from) return *settings.from;
  if (settings.reads_beir()) return RetrievalFrom::beir;
  return detect_format(settings.path, layout) == CorpusFormat::sick_full ? RetrievalFrom::sick : RetrievalFrom::nli;
}

RetrievalSet read_set(const RetrievalTaskSettings& settings, bool trim, const ReadingSettings& reading,
                      ReadReport& report) {
  const RetrievalFrom source = source_of(settings, reading.layout);
  if (source == RetrievalFrom::beir)
    return read_beir_folder(beir_files(settings.path, settings.split), trim, reading.bad_lines, report);
  const ReadOptions options{.bad_lines = reading.bad_lines,
                            .sick_set = settings.rows == setting::SickRows::dev ? "TRIAL" : "TEST",
                            .trim = trim,
                            .labels = NliLabels::three_or_two,
                            .layout = reading.layout};
  return source == RetrievalFrom::nli ? read_entailed_hypotheses(settings.path, options, report)
                                      : read_one_way_sentences(settings.path, options, report);
}

/// Rankings that a model gives, and the beginnings of the names of their metrics.
struct Rankings {
  std::vector<RankedBy> orders{RankedBy::cosine};
  std::vector<std::string> prefixes{""};
};

Rankings rankings_of(Similarity similarity) {
  if (!is_gaussian(similarity)) return {};
  if (!has_direction(similarity)) return {{RankedBy::entails, RankedBy::cosine}, {"", cosine_prefix}};
  return {{RankedBy::entails, RankedBy::entailed_by, RankedBy::cosine}, {"", entailed_by_prefix, cosine_prefix}};
}

/// Returns a query's values of `retrieval_metrics`, in their order.
std::vector<double> values_of(std::span<const RankedDocument> relevant) {
  return {recall_at(1, relevant),           recall_at(10, relevant), recall_at(100, relevant),
          reciprocal_rank_at(10, relevant), ndcg_at(10, relevant),   average_precision(relevant)};
}

}  // namespace

RetrievalTask::RetrievalTask(std::string name, const RetrievalTaskSettings& settings, const SentenceModel& model,
                             const ReadingSettings& reading)
    : name_(std::move(name)),
      hits_fitted_on_(reading.hits_fitted_on),
      calibration_(reading.hit_calibration),
      similarity_(model.properties.similarity),
      threads_(reading.threads),
      set_(read_set(settings, model.properties.trim, reading.with(settings.layout), report_)) {
  StringTable table;
  for (const std::string& document : set_.documents) documents_.push_back(table.intern(document));
  for (const RetrievalQuery& query : set_.queries) queries_.push_back(table.intern(query.text));
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < table.size(); ++i) sentences.emplace_back(table[static_cast<std::uint32_t>(i)]);
  store_.emplace(TokenStore::from_sentences(sentences, *model.tokenizer, default_max_tokens(model), reading.threads));
}

Measurement RetrievalTask::measure(SentenceEmbedder& model, Communicator& communicator,
                                   const std::vector<Measurement>& earlier) const {
  const at::Tensor embeddings = embed_sentences_in_place(model, *store_, communicator, kept_);
  Measurement measurement;
  run_on_root(communicator, [&] { measurement = score(embeddings.cpu(), earlier); });
  return measurement;
}

Measurement RetrievalTask::score(const at::Tensor& embeddings, const std::vector<Measurement>& earlier) const {
  check_embeddings(embeddings, similarity_, concat("the task ", quoted(name_), ": sentence"), 0);
  const Rankings rankings = rankings_of(similarity_);
  const std::vector<DocumentRanks> ranks =
      document_ranks({embeddings, queries_, documents_}, set_.queries, similarity_, rankings.orders, threads_);
  Measurement measurement;
  measurement.task = name_;
  measurement.kind = RetrievalTaskSettings::kind;
  std::vector<std::string> names;
  std::vector<std::int64_t> relevant;
  for (const RetrievalQuery& query : set_.queries) {
    names.push_back(query.name);
    relevant.push_back(static_cast<std::int64_t>(query.relevant.size()));
  }
  measurement.columns.push_back({retrieval_columns::query, std::move(names)});
  measurement.columns.push_back({retrieval_columns::relevant, std::move(relevant)});
  for (std::size_t ranking = 0; ranking < ranks.size(); ++ranking) {
    std::vector<std::vector<double>> columns(retrieval_metrics.size());
    for (std::size_t i = 0; i < set_.queries.size(); ++i) {
      std::vector<RankedDocument> ranked;
      for (std::size_t r = 0; r < set_.queries[i].relevant.size(); ++r)
        ranked.push_back({ranks[ranking][i][r], static_cast<double>(set_.queries[i].relevant[r].grade)});
      const std::vector<double> values = values_of(ranked);
      for (std::size_t metric = 0; metric < values.size(); ++metric) columns[metric].push_back(values[metric]);
    }
    for (std::size_t metric = 0; metric < columns.size(); ++metric) {
      const std::string name = concat(rankings.prefixes[ranking], retrieval_metrics[metric]);
      const double sum = std::accumulate(columns[metric].begin(), columns[metric].end(), 0.0);
      measurement.metrics.push_back({name, sum / static_cast<double>(columns[metric].size())});
      measurement.columns.push_back({name, std::move(columns[metric])});
    }
  }
  measurement.metrics.push_back({"queries", static_cast<double>(set_.queries.size()), Unit::count});
  measurement.metrics.push_back({"documents", static_cast<double>(set_.documents.size()), Unit::count});
  add_hit_metrics(embeddings, earlier, measurement);
  return measurement;
}

void RetrievalTask::add_hit_metrics(const at::Tensor& embeddings, const std::vector<Measurement>& earlier,
                                    Measurement& measurement) const {
  if (hits_fitted_on_.empty() && !calibration_) return;
  const std::vector<LabelledHit> hits = labelled_hits({embeddings, queries_, documents_}, set_, similarity_, threads_);
  const std::string hash = hash_of_set(set_);
  std::optional<Calibration> calibration = calibration_;
  if (name_ == hits_fitted_on_) {
    CalibrationNumbers numbers;
    numbers.similarity = similarity_;
    numbers.set = name_;
    numbers.data_hash = hash;
    numbers.rows = set_.documents.size();
    calibration = fit_hit_calibration(hits, std::move(numbers));
    if (calibration) measurement.calibration = calibration->text();
  } else if (const Measurement* source = find_measurement(earlier, hits_fitted_on_)) {
    if (!source->calibration.empty()) calibration = Calibration::parse(source->calibration, source->task);
  }
  if (!calibration) return;
  const bool own = calibration->is_of_hits() && calibration->numbers().data_hash == hash;
  for (Metric& metric : hit_metrics(*calibration, own, hits, static_cast<int>(threads_)))
    measurement.metrics.push_back(std::move(metric));
}

ListedTask make_task(const std::string& name, const RetrievalTaskSettings& settings, const SentenceModel& model,
                     const ReadingSettings& reading) {
  auto made = std::make_unique<RetrievalTask>(name, settings, model, reading);
  const RetrievalTask& retrieval = *made;
  const RetrievalSet& set = retrieval.set();
  ListedTask task{std::move(made)};
  task.of_sick = set.of_sick;
  task.notes.push_back(concat(name, ": ", set.queries.size(), " queries, ", set.documents.size(), " documents"));
  if (set.without_relevant > 0)
    task.notes.push_back(concat(name, ": ", set.without_relevant, " queries without a relevant document are left out"));
  const auto own = std::count_if(set.queries.begin(), set.queries.end(),
                                 [](const RetrievalQuery& query) { return query.left_out.has_value(); });
  if (own > 0)
    task.notes.push_back(concat(name, ": for ", own, " queries the document with their own id or text is left out"));
  describe_tokens(retrieval.sentences().token_counts().front(), default_max_tokens(model), model, task);
  warn_of_bad_lines(retrieval.report(), task);
  return task;
}

}  // namespace gausscse
