#include "evaluation/sts/sts_task.hpp"

#include <utility>

#include "base/error.hpp"
#include "data/corpus/sentence.hpp"
#include "data/corpus/string_table.hpp"
#include "data/sts/semeval_year.hpp"
#include "data/sts/sts_file.hpp"
#include "dist/group_work.hpp"
#include "evaluation/metrics/correlation.hpp"
#include "evaluation/mteb/scores.hpp"
#include "evaluation/sts/sts_columns.hpp"
#include "inference/embed_sentences.hpp"

namespace gausscse {

namespace {

struct ReadSubsets {
  std::vector<StsSubset> subsets;
  std::vector<std::string> missing;
  bool of_semeval = false;
};

ReadSubsets read_subsets(const StsTaskSettings& settings, const ReadingSettings& reading, ReadReport& report) {
  ReadSubsets read;
  for (const std::filesystem::path& file : settings.files) {
    if (std::filesystem::is_directory(file)) {
      SemEvalYear year = read_semeval_year(file, static_cast<int>(settings.year), reading.bad_lines, report);
      read.of_semeval = true;
      for (StsSubset& subset : year.subsets) read.subsets.push_back(std::move(subset));
      for (std::string& name : year.missing) read.missing.push_back(std::move(name));
    } else {
      read.subsets.push_back({file.stem().string(), read_sts_file(file, reading.bad_lines, report, reading.layout)});
    }
  }
  return read;
}

}  // namespace

std::vector<Metric> sts_metrics(const std::string& prefix, std::span<const ScoredSubset> subsets) {
  std::vector<double> scores, gold;
  std::vector<Metric> of_subsets;
  double sum = 0, weighted = 0;
  for (const ScoredSubset& subset : subsets) {
    const double correlation = spearman(subset.scores, subset.gold);
    of_subsets.push_back({prefix + "spearman." + subset.name, correlation});
    sum += correlation;
    weighted += correlation * static_cast<double>(subset.scores.size());
    scores.insert(scores.end(), subset.scores.begin(), subset.scores.end());
    gold.insert(gold.end(), subset.gold.begin(), subset.gold.end());
  }
  std::vector<Metric> metrics{{prefix + "spearman", spearman(scores, gold)},
                              {prefix + "spearman_mean", sum / static_cast<double>(subsets.size())},
                              {prefix + "spearman_wmean", weighted / static_cast<double>(scores.size())}};
  if (subsets.size() > 1) metrics.insert(metrics.end(), of_subsets.begin(), of_subsets.end());
  return metrics;
}

StsTask::StsTask(std::string name, const StsTaskSettings& settings, const SentenceModel& model,
                 const ReadingSettings& reading)
    : name_(std::move(name)), similarity_(model.properties.similarity), mteb_scores_(reading.mteb_scores) {
  ReadSubsets read = read_subsets(settings, reading.with(settings.layout), report_);
  of_semeval_ = read.of_semeval;
  missing_ = std::move(read.missing);
  StringTable table;
  const auto number_of = [&](const std::string& sentence) {
    return table.intern(settings.collapse_white_space ? with_single_blanks(sentence) : sentence);
  };
  for (const StsSubset& subset : read.subsets) {
    for (const Subset& other : subsets_)
      if (other.name == subset.name)
        throw InputError(concat("the task ", quoted(name_), " has two subsets that are called ", quoted(subset.name),
                                ": make it two tasks"));
    subsets_.push_back({subset.name, subset.pairs.size()});
    for (const StsPair& pair : subset.pairs) {
      const std::uint32_t first = number_of(pair.first);
      pairs_.push_back({first, number_of(pair.second)});
      gold_.push_back(pair.score);
    }
  }
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < table.size(); ++i) sentences.emplace_back(table[static_cast<std::uint32_t>(i)]);
  store_.emplace(TokenStore::from_sentences(sentences, *model.tokenizer, default_max_tokens(model), reading.threads));
}

std::vector<ScoredSubset> StsTask::of_subsets(const std::vector<double>& scores) const {
  std::vector<ScoredSubset> scored;
  auto score = scores.begin();
  auto gold = gold_.begin();
  for (const Subset& subset : subsets_) {
    const auto count = static_cast<std::ptrdiff_t>(subset.pairs);
    scored.push_back({subset.name, {score, score + count}, {gold, gold + count}});
    score += count;
    gold += count;
  }
  return scored;
}

std::vector<Metric> StsTask::mteb_scores(const at::Tensor& embeddings, std::int64_t width,
                                         std::vector<double> own) const {
  return mteb::sts_scores(pair_similarities(embeddings.cpu(), width, pairs_, std::move(own)), gold_);
}

Measurement StsTask::measure(SentenceEmbedder& model, Communicator& communicator,
                             const std::vector<Measurement>&) const {
  const at::Tensor embeddings = embed_sentences_in_place(model, *store_, communicator, kept_);
  Measurement result;
  result.task = name_;
  result.kind = StsTaskSettings::kind;
  for (const std::string& subset : missing_)
    result.remark += (result.remark.empty() ? "partial, without " : ", ") + subset;
  const auto add = [&](const std::string& prefix, const char* column, const std::vector<double>& scores) {
    const std::vector<Metric> metrics = sts_metrics(prefix, of_subsets(scores));
    result.metrics.insert(result.metrics.end(), metrics.begin(), metrics.end());
    result.columns.push_back({column, scores});
  };
  run_on_root(communicator, [&] {
    const bool gaussian = is_gaussian(similarity_);
    const std::int64_t width = gaussian ? model.width() / 2 : model.width();
    std::vector<double> own = cosine_scores(embeddings, width, pairs_);
    add("", sts_columns::cosine, own);
    if (gaussian) {
      own = symmetric_scores(embeddings, similarity_, pairs_);
      add("symmetric_", sts_columns::symmetric_similarity, own);
    }
    result.columns.push_back({sts_columns::gold, gold_});
    std::vector<std::int64_t> subset_of_pair;
    for (std::size_t i = 0; i < subsets_.size(); ++i)
      subset_of_pair.insert(subset_of_pair.end(), subsets_[i].pairs, static_cast<std::int64_t>(i));
    result.columns.push_back({sts_columns::subset, std::move(subset_of_pair)});
    if (mteb_scores_) result.mteb_scores = mteb_scores(embeddings, width, std::move(own));
    result.metrics.push_back({"pairs", static_cast<double>(pairs()), Unit::count});
    if (of_semeval_) result.metrics.push_back({"missing_subsets", static_cast<double>(missing_.size()), Unit::count});
  });
  return result;
}

ListedTask make_task(const std::string& name, const StsTaskSettings& settings, const SentenceModel& model,
                     const ReadingSettings& reading) {
  auto made = std::make_unique<StsTask>(name, settings, model, reading);
  const StsTask& sts = *made;
  ListedTask task{std::move(made)};
  task.pairs = sts.pairs();
  task.notes.push_back(concat(name, ": ", sts.pairs(), " pairs, ", sts.sentences().sentences(), " sentences"));
  for (const std::string& subset : sts.missing())
    task.warnings.push_back(concat(name, ": the subset ", subset,
                                   " is missing: the year is partial, so its metrics are ",
                                   "not those of the whole year"));
  describe_tokens(sts.sentences().token_counts().front(), default_max_tokens(model), model, task);
  warn_of_bad_lines(sts.report(), task);
  return task;
}

}  // namespace gausscse
