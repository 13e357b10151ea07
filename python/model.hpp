#pragma once

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/choice.hpp"
#include "base/error.hpp"
#include "inference/calibration/feature_shift.hpp"
#include "inference/calibration/risk_answers.hpp"
#include "inference/embed_texts.hpp"
#include "inference/model_calibration.hpp"
#include "inference/pair_evidence.hpp"
#include "inference/search/hit_answers.hpp"
#include "inference/search/model_embeddings.hpp"
#include "inference/search/similarity_matrix.hpp"
#include "inference/search/top_rows.hpp"
#include "inference/sentence_model.hpp"
#include "inference/verdict.hpp"
#include "model/objective/similarity.hpp"
#include "python/arrays.hpp"
#include "python/interpreter.hpp"

namespace gausscse {

using AnswerTuple = std::tuple<double, std::optional<std::string>, std::optional<std::string>>;
using HitTuple = std::tuple<std::uint64_t, double, double, double, std::optional<double>, std::optional<double>,
                            std::optional<std::string>>;

/// Returns a text, or nothing for null.
inline std::optional<std::string> text_of(const char* text) {
  return text == nullptr ? std::nullopt : std::optional<std::string>(text);
}

/// Model as Python has it.
class PythonModel {
 public:
  PythonModel(const std::string& path, const std::string& pooling, const std::string& precision, std::size_t max_tokens,
              std::size_t threads, const std::string& calibration)
      : PythonModel(opened({.path = path, .pooling = pooling, .precision = precision, .max_tokens = max_tokens}), path,
                    calibration, threads) {}

  /// Embeds the sentences behind a prompt, see PromptChoice. Returns rows, warnings and the prompt.
  nb::tuple embed(std::vector<std::string> sentences, const nb::object& on_batch,
                  const std::optional<std::string>& prompt, const std::string& prompt_name) {
    const bool has_callback = !on_batch.is_none();
    const EmbeddingWatch watch = [&](std::size_t done) {
      watch_for_interrupts();
      if (!has_callback) return;
      const nb::gil_scoped_acquire locked;
      on_batch(done);
    };
    std::string used;
    const EmbeddedTexts embedded = alone([&] {
      const PromptOfCall of_call(model_, {prompt, prompt_name});
      used = model_.prompt;
      return embed_texts(std::move(sentences), model_, threads_, watch);
    });
    return nb::make_tuple(array_of(embedded.rows), embedded.notes.warnings, used);
  }

  Array similarity(const Rows& a, const Rows& b) {
    return array_of(
        alone([&] { return similarity_matrix(tensor_of(a), tensor_of(b), kind(), threads_, watch_for_interrupts); }));
  }

  Array similarity_pairwise(const Rows& a, const Rows& b) {
    return array_of(alone([&] {
      set_threads();
      at::Tensor similarities = at::empty({static_cast<std::int64_t>(a.shape(0))}, at::kFloat);
      for_each_block(a, b, [&](const at::Tensor& p, const at::Tensor& q, std::int64_t first) {
        similarities.narrow(0, first, p.size(0)).copy_(pairwise_similarity(p, q, kind()));
      });
      return similarities;
    }));
  }

  /// Returns the hits of each query (row, ordering similarity, both similarities, difference of log-variances, and with
  /// a calibration probability and verdict), and warnings. An empty calibrator is the usual one; a risk of 0 gives no
  /// verdicts.
  std::tuple<std::vector<std::vector<HitTuple>>, std::vector<std::string>> search(const Rows& queries,
                                                                                  const Rows& corpus, std::size_t top,
                                                                                  const std::string& direction_name,
                                                                                  const std::string& calibrator_name,
                                                                                  double risk) {
    const auto direction = parse_choice<SearchDirection>("direction", direction_name);
    std::optional<Calibrator> calibrator;
    if (!calibrator_name.empty()) calibrator = parse_choice<Calibrator>("calibrator", calibrator_name);
    std::optional<HitAnswers> answers;
    const std::optional<Calibration>& calibration = hits_.calibration ? hits_.calibration : calibration_.calibration;
    if (calibration) answers.emplace(*calibration, direction, calibrator, risk);
    return alone([&] {
      TopRows search(tensor_of(queries), kind(), direction, answers ? answers->hits_for(top) : top, threads_);
      search.add(tensor_of(corpus), 0, watch_for_interrupts);
      std::vector<std::vector<HitTuple>> result;
      for (const std::vector<SearchHit>& hits : search.hits()) {
        const std::vector<HitAnswer> of_hits = answers ? answers->answer(hits) : std::vector<HitAnswer>(hits.size());
        std::vector<HitTuple>& of_query = result.emplace_back();
        for (std::size_t i = 0; i < std::min(top, hits.size()); ++i)
          of_query.emplace_back(hits[i].row, ordering_similarity(hits[i], direction), hits[i].query_given_row,
                                hits[i].row_given_query,
                                gaussian() ? std::optional(hits[i].log_var_difference) : std::nullopt,
                                of_hits[i].probability, text_of(of_hits[i].verdict));
      }
      return std::tuple(std::move(result),
                        answers ? answers->warnings("the queries", corpus.shape(0)) : std::vector<std::string>());
    });
  }

  /// Returns the verdict of `gausscse score` on each pair.
  std::vector<std::string> verdicts(const std::vector<double>& forward, const std::vector<double>& backward,
                                    double tolerance) const {
    std::vector<std::string> verdicts;
    for (std::size_t i = 0; i < forward.size(); ++i)
      verdicts.emplace_back(verdict_of(forward.at(i), backward.at(i), model_.properties, tolerance));
    return verdicts;
  }

  /// Returns for each pair of rows the probability that the first entails the second, and a warning, which may be
  /// empty, on pairs that are unlike those of the calibration. With a risk over 0 each pair also has the answer and its
  /// direction as `gausscse score --risk`. `log_length_ratios` are those of PairEvidence, one a pair, or empty where
  /// they are not known.
  std::tuple<std::vector<AnswerTuple>, std::string> answers(const Rows& first, const Rows& second,
                                                            const std::vector<double>& log_length_ratios,
                                                            const std::string& calibrator, double risk) const {
    const RiskAnswers answers(calibration_.calibration.value(), parse_choice<Calibrator>("calibrator", calibrator),
                              risk);
    std::vector<PairEvidence> pairs;
    alone([&] {
      set_threads();
      for_each_block(first, second, [&](const at::Tensor& p, const at::Tensor& q, std::int64_t) {
        const std::vector<PairEvidence> some = evidence_of_rows(p, q, kind());
        pairs.insert(pairs.end(), some.begin(), some.end());
      });
    });
    FeatureShift shift(answers.calibration(), PairSelection::given);
    std::vector<AnswerTuple> result;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (!log_length_ratios.empty()) pairs[i].log_length_ratio = log_length_ratios.at(i);
      shift.add(pairs[i]);
      const RiskAnswer answer = answers.answer(pairs[i]);
      result.emplace_back(answer.probability, text_of(answer.verdict), text_of(answer.direction));
    }
    return {std::move(result), shift.warning("the pairs")};
  }

  std::optional<double> confidence_at_risk(double risk, const std::string& calibrator) const {
    return calibration_.calibration.value().confidence_at_risk(risk,
                                                               parse_choice<Calibrator>("calibrator", calibrator));
  }

  /// Returns the texts by which files of its embeddings name it; none for a head that was trained here.
  const std::map<std::string, std::string>& description(const std::string& version) {
    if (description_.empty() && !path_.empty())
      description_ = alone([&] { return description_of_embeddings(path_, model_, version); });
    return description_;
  }

  bool has_hit_calibration() const { return hits_.calibration.has_value(); }
  bool is_calibrated() const { return calibration_.calibration.has_value(); }
  const std::string& calibration_problem() const { return calibration_.problem; }
  std::string similarity_name() const { return std::string(name_of(kind())); }
  bool gaussian() const { return is_gaussian(kind()); }
  std::int64_t width() const { return model_.embedder->width(); }
  std::size_t max_tokens() const { return model_.max_tokens; }
  std::optional<double> threshold() const { return model_.properties.threshold; }
  const std::vector<std::string>& warnings() const { return model_.notes.warnings; }

 protected:
  /// Takes a model without a calibration.
  PythonModel(SentenceModel model, std::size_t threads) : model_(std::move(model)), threads_(threads) {}

  /// Takes a model and the calibrations in the file `calibration`, unless that is empty, and in the folder `path`.
  PythonModel(SentenceModel model, const std::string& path, const std::string& calibration, std::size_t threads)
      : PythonModel(std::move(model), threads) {
    path_ = path;
    if (!calibration.empty()) take_calibration(path, calibration);
    take_calibration(path, "");
    for (const ModelCalibration* each : {&calibration_, &hits_})
      for (const std::string& text : {each->problem, each->warning})
        if (!text.empty()) model_.notes.warnings.push_back(text);
  }

  SentenceModel& model() { return model_; }
  void set_threads() const { at::set_num_threads(static_cast<int>(threads_)); }
  static SentenceModel opened(const SentenceModelOptions& options) {
    return alone([&] {
      return open_sentence_model(options, at::kCPU, [](std::uint64_t, std::uint64_t) { watch_for_interrupts(); });
    });
  }

 private:
  /// Puts a prompt before sentences, if one is chosen, until the end of a call.
  class PromptOfCall {
   public:
    PromptOfCall(SentenceModel& model, const PromptChoice& choice)
        : model_(model), tokenizer_(model.tokenizer), prompt_(model.prompt) {
      if (choice.text || !choice.name.empty()) model_.take_prompt(choice);
    }
    PromptOfCall(const PromptOfCall&) = delete;
    PromptOfCall& operator=(const PromptOfCall&) = delete;
    ~PromptOfCall() {
      model_.tokenizer = tokenizer_;
      model_.prompt = prompt_;
    }

   private:
    SentenceModel& model_;
    std::shared_ptr<const Tokenizer> tokenizer_;
    std::string prompt_;
  };

  /// Takes the calibration of a file, or of the model's folder where it is empty, by its kind: one of hits for
  /// searches, one of pairs for all else. A given file comes first. Throws InputError where it belongs to another
  /// model.
  void take_calibration(const std::string& path, const std::string& file) {
    ModelCalibration found = alone([&] { return calibration_for(model_, path, file, CalibrationUse::search); });
    if (!found.problem.empty() && !file.empty()) throw InputError(found.problem);
    ModelCalibration& taken = found.calibration && found.calibration->is_of_hits() ? hits_ : calibration_;
    if (!taken.calibration) taken = std::move(found);
  }

  /// Calls `compute` with blocks of pairs of rows, and the number of the first pair of each.
  template <typename Compute>
  static void for_each_block(const Rows& first, const Rows& second, const Compute& compute) {
    constexpr std::int64_t pairs_of_block = 16384;
    const at::Tensor p = tensor_of(first), q = tensor_of(second);
    for (std::int64_t pair = 0; pair < p.size(0); pair += pairs_of_block) {
      watch_for_interrupts();
      const std::int64_t pairs = std::min(pairs_of_block, p.size(0) - pair);
      compute(p.narrow(0, pair, pairs), q.narrow(0, pair, pairs), pair);
    }
  }

  Similarity kind() const { return model_.properties.similarity; }

  SentenceModel model_;
  ModelCalibration calibration_, hits_;  ///< calibrations of pairs and of hits
  std::string path_;                     ///< folder or file of the model; empty for a head that was trained here
  std::map<std::string, std::string> description_;
  std::size_t threads_;
};

}  // namespace gausscse
