#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "training/training_observer.hpp"

namespace gausscse {

/// Observer that passes all reports on to another one. Derived classes use some of them as well.
class ForwardingObserver : public TrainingObserver {
 public:
  explicit ForwardingObserver(TrainingObserver& observer) : observer_(observer) {}

  void on_outputs_checked() override { observer_.on_outputs_checked(); }
  void on_resumed(const RunResult& done, std::int64_t total_steps) override { observer_.on_resumed(done, total_steps); }
  void on_detail(const std::string& text) override { observer_.on_detail(text); }
  void on_note(const std::string& text) override { observer_.on_note(text); }
  void on_warning(const std::string& text) override { observer_.on_warning(text); }
  void on_backbone(const StateResult& backbone, std::optional<PoolingKind> pooling) override {
    observer_.on_backbone(backbone, pooling);
  }
  void on_embedded(std::size_t done, std::size_t sentences) override { observer_.on_embedded(done, sentences); }
  void on_step(const StepReport& report) override { observer_.on_step(report); }
  void on_early_end(const std::string& where_and_why) override { observer_.on_early_end(where_and_why); }
  void on_checkpoint_state(const std::string& problem) override { observer_.on_checkpoint_state(problem); }
  void on_measurement(std::int64_t step, const Measurement& measurement, const Metric* selecting, bool best) override {
    observer_.on_measurement(step, measurement, selecting, best);
  }

 protected:
  TrainingObserver& observer_;
};

}  // namespace gausscse
