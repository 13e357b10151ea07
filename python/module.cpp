#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/choice.hpp"
#include "base/error.hpp"
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

// The extension of the Python package: classes and functions of inference/ with arrays of numpy as arguments. The
// package's Python files make the interface of it that docs/python.md describes.

namespace nb = nanobind;

namespace gausscse {

namespace {

using Rows = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Array = nb::ndarray<nb::numpy, float>;

/// Returns a tensor that shares the memory of `rows`, which it must not outlive and does not change.
at::Tensor tensor_of(const Rows& rows) {
  return at::from_blob(const_cast<float*>(rows.data()),
                       {static_cast<std::int64_t>(rows.shape(0)), static_cast<std::int64_t>(rows.shape(1))},
                       at::kFloat);
}

/// Returns an array that owns the tensor.
Array array_of(const at::Tensor& tensor) {
  auto* const owned = new at::Tensor(tensor.contiguous());
  const nb::capsule owner(owned, [](void* pointer) noexcept { delete static_cast<at::Tensor*>(pointer); });
  std::vector<std::size_t> shape;
  for (const std::int64_t size : owned->sizes()) shape.push_back(static_cast<std::size_t>(size));
  return Array(owned->mutable_data_ptr<float>(), shape.size(), shape.data(), owner);
}

/// Returns what `compute` returns. It runs without Python's lock, and no other call of a model runs meanwhile, as the
/// threads of LibTorch are a setting of the process.
template <typename Compute>
auto alone(const Compute& compute) {
  static std::mutex one_call;
  const nb::gil_scoped_release unlocked;
  const std::lock_guard<std::mutex> only(one_call);
  return compute();
}

using AnswerTuple = std::tuple<double, std::optional<std::string>, std::optional<std::string>>;
using HitTuple = std::tuple<std::uint64_t, double, double, double, double>;

/// Returns a text, or nothing for null.
std::optional<std::string> text_of(const char* text) {
  return text == nullptr ? std::nullopt : std::optional<std::string>(text);
}

/// Model as Python has it.
class PythonModel {
 public:
  PythonModel(const std::string& path, const std::string& pooling, const std::string& precision, std::size_t max_tokens,
              std::size_t threads)
      : model_(opened({.path = path, .pooling = pooling, .precision = precision, .max_tokens = max_tokens})),
        calibration_(alone([&] { return calibration_for(model_, path); })),
        threads_(threads) {
    for (const std::string& text : {calibration_.problem, calibration_.warning})
      if (!text.empty()) model_.notes.warnings.push_back(text);
  }

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

 private:
  static SentenceModel opened(const SentenceModelOptions& options) {
    return alone([&] { return open_sentence_model(options, at::kCPU); });
  }

  Similarity kind() const { return model_.properties.similarity; }

  SentenceModel model_;
  ModelCalibration calibration_;
  std::size_t threads_;
};

}  // namespace

NB_MODULE(_gausscse, module) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const InputError& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    }
  });
  nb::class_<PythonModel>(module, "Model")
      .def(nb::init<const std::string&, const std::string&, const std::string&, std::size_t, std::size_t>())
      .def("embed", &PythonModel::embed, nb::arg("sentences"), nb::arg("on_batch").none())
      .def("similarity", &PythonModel::similarity)
      .def("similarity_pairwise", &PythonModel::similarity_pairwise)
      .def("search", &PythonModel::search)
      .def("hit_probability", &PythonModel::hit_probability_of)
      .def("verdicts", &PythonModel::verdicts)
      .def("answers", &PythonModel::answers)
      .def("confidence_at_risk", &PythonModel::confidence_at_risk)
      .def_prop_ro("is_calibrated", &PythonModel::is_calibrated)
      .def_prop_ro("calibration_problem", &PythonModel::calibration_problem)
      .def_prop_ro("similarity_name", &PythonModel::similarity_name)
      .def_prop_ro("is_gaussian", &PythonModel::gaussian)
      .def_prop_ro("width", &PythonModel::width)
      .def_prop_ro("max_tokens", &PythonModel::max_tokens)
      .def_prop_ro("threshold", &PythonModel::threshold)
      .def_prop_ro("warnings", &PythonModel::warnings);
}

}  // namespace gausscse
