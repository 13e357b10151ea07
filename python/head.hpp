#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/option_name.hpp"
#include "config/trial/trial.hpp"
#include "model/folder/vector_head.hpp"
#include "model/hub/given_folder.hpp"
#include "python/arrays.hpp"
#include "python/interpreter.hpp"
#include "python/model.hpp"
#include "training/fit_head.hpp"

namespace gausscse {

/// Passes Ctrl-C and finished steps of a training between it and Python, and gathers its warnings.
class FitWatch final : public TrainingObserver, public TrainingRequests {
 public:
  explicit FitWatch(const nb::object& on_step) : on_step_(on_step) {}

  void on_detail(const std::string&) override {}
  void on_note(const std::string&) override {}
  void on_warning(const std::string& text) override { warnings.push_back(text); }
  void on_step(const StepReport& report) override {
    if (!has_callback_) return;
    const nb::gil_scoped_acquire locked;
    on_step_(report.step + 1, report.total_steps);
  }
  void on_measurement(std::int64_t, const Measurement&, const Metric*, bool) override {}
  bool take_checkpoint() override { return false; }
  bool stop() override {
    watch_for_interrupts();
    return false;
  }

  std::vector<std::string> warnings;

 private:
  const nb::object& on_step_;
  const bool has_callback_ = !on_step_.is_none();
};

/// Head for vectors as Python has it.
class PythonHead : public PythonModel {
 public:
  /// Opens the folder of a head, or of the run that trained it.
  PythonHead(const std::string& path, std::size_t threads, const std::string& calibration)
      : PythonModel(opened_head(path), path, calibration, threads) {
    card_ = read_whole_file(model_folder_of(path) / "README.md", largest_card);
  }

  /// Trains a head by the settings of a trial, which is YAML.
  static PythonHead fit(const Rows& vectors, const Numbers& examples, const std::string& trial, std::size_t threads,
                        const nb::object& on_step) {
    FitWatch watch(on_step);
    FittedHead fitted = alone([&] {
      const at::Tensor numbers =
          at::from_blob(const_cast<std::int64_t*>(examples.data()), sizes_of(examples), at::kLong);
      return fit_head(tensor_of(vectors), numbers, parse_trial(trial, "Head.fit", "/"), threads, watch, watch);
    });
    fitted.model.notes.warnings = std::move(watch.warnings);
    return {std::move(fitted), threads};
  }

  Array apply(const Rows& vectors) {
    SentenceEncoder& head = *encoder_of(*model().embedder);
    const auto width = static_cast<std::size_t>(head.settings().encoder.hidden_size);
    if (vectors.shape(1) != width)
      throw InputError(concat("the vectors have ", vectors.shape(1), " values, but the head is for vectors of ", width,
                              ": give vectors of the encoder that it was trained on"));
    return array_of(alone([&] {
      check_finite_vectors(tensor_of(vectors));
      set_threads();
      return apply_head(head, tensor_of(vectors), watch_for_interrupts);
    }));
  }

  void save(const std::string& folder, bool overwrite) {
    std::error_code ignored;
    if (!overwrite && std::filesystem::exists(folder, ignored) && !std::filesystem::is_empty(folder, ignored))
      throw InputError(concat("folder ", folder, " is there already: give another path, or ", flag_name("overwrite"),
                              " to replace it"));
    alone([&] {
      const SentenceModel& saved = model();
      save_vector_head(folder, *encoder_of(*saved.embedder), saved.properties, card_);
    });
  }

  const std::vector<double>& losses() const { return losses_; }

 private:
  static constexpr std::size_t largest_card = std::size_t{1} << 20;

  PythonHead(FittedHead fitted, std::size_t threads)
      : PythonModel(std::move(fitted.model), threads),
        card_(std::move(fitted.card)),
        losses_(std::move(fitted.losses)) {}

  static SentenceModel opened_head(const std::string& path) {
    if (!is_vector_head(model_folder_of(path)))
      throw InputError(concat(path,
                              ": is no head for vectors: give the folder that a training on given vectors or "
                              "Head.save wrote, or open a model by Encoder"));
    return opened({.path = path, .may_be_head = true});
  }

  std::string card_;
  std::vector<double> losses_;  ///< loss of each step, where it was trained here
};

}  // namespace gausscse
