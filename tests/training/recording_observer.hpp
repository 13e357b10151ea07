#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "training/training_observer.hpp"

namespace gausscse {

/// Observer that keeps all reports of a training.
class RecordingObserver : public TrainingObserver {
 public:
  void on_detail(const std::string& text) override { details.push_back(text); }
  void on_note(const std::string& text) override { notes.push_back(text); }
  void on_warning(const std::string& text) override { warnings.push_back(text); }
  void on_embedded(std::size_t done, std::size_t sentences) override { embedded.emplace_back(done, sentences); }
  void on_step(const StepReport& report) override { steps.push_back(report); }
  void on_measurement(std::int64_t, const Measurement& measurement, const Metric*, bool) override {
    measurements.push_back(measurement);
  }

  std::vector<std::string> details, notes, warnings;
  std::vector<std::pair<std::size_t, std::size_t>> embedded;
  std::vector<StepReport> steps;
  std::vector<Measurement> measurements;
};

/// Nobody asks for anything.
class NoRequests : public TrainingRequests {
 public:
  bool take_checkpoint() override { return false; }
  bool stop() override { return false; }
};

/// Asks to stop after some steps.
class StopAfter : public NoRequests {
 public:
  explicit StopAfter(int steps) : left_(steps) {}
  bool stop() override { return --left_ == 0; }

 private:
  int left_;
};

}  // namespace gausscse
