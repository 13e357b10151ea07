#pragma once

#include <ATen/Parallel.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/choice.hpp"
#include "inference/calibration/risk_answers.hpp"
#include "inference/embed_texts.hpp"
#include "inference/model_calibration.hpp"
#include "inference/pair_evidence.hpp"
#include "inference/search/hit_probability.hpp"
#include "inference/search/similarity_matrix.hpp"
#include "inference/search/top_rows.hpp"
#include "inference/sentence_model.hpp"
#include "inference/verdict.hpp"
#include "model/objective/similarity.hpp"
#include "python/arrays.hpp"

namespace gausscse {

using AnswerTuple = std::tuple<double, std::optional<std::string>, std::optional<std::string>>;
using HitTuple = std::tuple<std::uint64_t, double, double, double, double>;

/// Returns a text, or nothing for null.
inline std::optional<std::string> text_of(const char* text) {
  return text == nullptr ? std::nullopt : std::optional<std::string>(text);
}

/// Model as Python has it.
class PythonModel {
 public:
  PythonModel(const std::string& path, const std::string& pooling, const std::string& precision, std::size_t max_tokens,
              std::size_t threads)
      : PythonModel(opened({.path = path, .pooling = pooling, .precision = precision, .max_tokens = max_tokens}), path,
                    threads) {}

  nb::tuple embed(std::vector<std::string> sentences, const nb::object& on_batch) {
    const EmbeddingWatch watch = [&](std::size_t done) {
      const nb::gil_scoped_acquire locked;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!on_batch.is_none()) on_batch(done);
    };
    const EmbeddedTexts embedded = alone([&] { return embed_texts(std::move(sentences), model_, threads_, watch); });
    return nb::make_tuple(array_of(embedded.rows), embedded.notes.warnings);
  }

  Array similarity(const Rows& a, const Rows& b) {
    return array_of(alone([&] { return similarity_matrix(tensor_of(a), tensor_of(b), kind(), threads_); }));
  }

  Array similarity_pairwise(const Rows& a, const Rows& b) {
    return array_of(alone([&] { return pairwise_similarity(tensor_of(a), tensor_of(b), kind()); }));
  }

  /// Returns the hits of each query: row, ordering similarity, both similarities and difference of log-variances.
  std::vector<std::vector<HitTuple>> search(const Rows& queries, const Rows& corpus, std::size_t top,
                                            const std::string& direction_name) {
    const auto direction = parse_choice<SearchDirection>("direction", direction_name);
    return alone([&] {
      TopRows search(tensor_of(queries), kind(), direction, top, threads_);
      search.add(tensor_of(corpus), 0);
      std::vector<std::vector<HitTuple>> result;
      for (const std::vector<SearchHit>& hits : search.hits()) {
        std::vector<HitTuple>& of_query = result.emplace_back();
        for (const SearchHit& hit : hits)
          of_query.emplace_back(hit.row, ordering_similarity(hit, direction), hit.query_given_row, hit.row_given_query,
                                hit.log_var_difference);
      }
      return result;
    });
  }

  /// Returns the probability of a hit in the direction of its search; nothing without a calibration.
  std::optional<double> hit_probability_of(double query_given_row, double row_given_query, double log_var_difference,
                                           const std::string& direction) const {
    if (!calibration_.calibration) return std::nullopt;
    return hit_probability({.row = 0,
                            .query_given_row = query_given_row,
                            .row_given_query = row_given_query,
                            .log_var_difference = log_var_difference},
                           parse_choice<SearchDirection>("direction", direction), *calibration_.calibration);
  }

  /// Returns the verdict of `gausscse score` on each pair.
  std::vector<std::string> verdicts(const std::vector<double>& forward, const std::vector<double>& backward,
                                    double tolerance) const {
    std::vector<std::string> verdicts;
    for (std::size_t i = 0; i < forward.size(); ++i)
      verdicts.emplace_back(verdict_of(forward.at(i), backward.at(i), model_.properties, tolerance));
    return verdicts;
  }

  /// Returns for each pair of rows the probability that the first entails the second, and with a risk, over 0, the
  /// answer and its direction as `gausscse score --risk`. `log_length_ratios` are those of PairEvidence, one a pair, or
  /// empty where they are not known.
  std::vector<AnswerTuple> answers(const Rows& first, const Rows& second, const std::vector<double>& log_length_ratios,
                                   const std::string& calibrator, double risk) const {
    const RiskAnswers answers(calibration_.calibration.value(), parse_choice<Calibrator>("calibrator", calibrator),
                              risk);
    std::vector<PairEvidence> pairs =
        alone([&] { return evidence_of_rows(tensor_of(first), tensor_of(second), kind()); });
    std::vector<AnswerTuple> result;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (!log_length_ratios.empty()) pairs[i].log_length_ratio = log_length_ratios.at(i);
      const RiskAnswer answer = answers.answer(pairs[i]);
      result.emplace_back(answer.probability, text_of(answer.verdict), text_of(answer.direction));
    }
    return result;
  }

  std::optional<double> confidence_at_risk(double risk, const std::string& calibrator) const {
    return calibration_.calibration.value().confidence_at_risk(risk,
                                                               parse_choice<Calibrator>("calibrator", calibrator));
  }

  bool is_calibrated() const { return calibration_.calibration.has_value(); }
  const std::string& calibration_problem() const { return calibration_.problem; }
  std::string similarity_name() const { return std::string(name_of(kind())); }
  bool gaussian() const { return is_gaussian(kind()); }
  std::int64_t width() const { return model_.embedder->width(); }
  std::size_t max_tokens() const { return model_.max_tokens; }
  std::optional<double> threshold() const { return model_.properties.threshold; }
  const std::vector<std::string>& warnings() const { return model_.notes.warnings; }

 protected:
  /// Takes a model and its calibration from the folder `path`, or no calibration where that is empty.
  PythonModel(SentenceModel model, const std::string& path, std::size_t threads)
      : model_(std::move(model)), threads_(threads) {
    if (path.empty()) return;
    calibration_ = alone([&] { return calibration_for(model_, path); });
    for (const std::string& text : {calibration_.problem, calibration_.warning})
      if (!text.empty()) model_.notes.warnings.push_back(text);
  }

  SentenceModel& model() { return model_; }
  void set_threads() const { at::set_num_threads(static_cast<int>(threads_)); }
  static SentenceModel opened(const SentenceModelOptions& options) {
    return alone([&] { return open_sentence_model(options, at::kCPU); });
  }

 private:
  Similarity kind() const { return model_.properties.similarity; }

  SentenceModel model_;
  ModelCalibration calibration_;
  std::size_t threads_;
};

}  // namespace gausscse
