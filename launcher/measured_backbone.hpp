#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/tasks/task_settings.hpp"
#include "evaluation/task/reading_settings.hpp"
#include "evaluation/task_list.hpp"
#include "inference/sentence_model.hpp"
#include "model/sentence_encoder.hpp"

namespace gausscse {

/// Word of --backbone with which none is measured.
inline constexpr const char* no_backbone = "none";

/// The encoder that a trained model began with, and the tasks that measure it next to the model, as its training did.
/// It is measured by the cosine of its pooled vectors, with its own pooling or, if it names none, the model's.
class MeasuredBackbone {
 public:
  MeasuredBackbone(SentenceModel encoder, TaskList tasks) : encoder_(std::move(encoder)), tasks_(std::move(tasks)) {}

  /// Returns its metrics on rank 0. Those at `unknown_threshold` are left out. Collective.
  std::vector<Measurement> measure(Communicator& communicator);

  /// Threshold of a backbone for which none was chosen. No cosine reaches it.
  static constexpr double unknown_threshold = 2;

 private:
  SentenceModel encoder_;
  TaskList tasks_;
};

/// Settings of the search for a backbone, and of its measurement.
struct BackboneRequest {
  /// Its folder, or `no_backbone`. Empty: the one that the result of the model's run names, if its files are there and
  /// have the recorded content.
  std::string folder;
  /// Returns the tasks with the threshold of a model where they ask for a saved one.
  std::function<std::vector<TaskSettings>(const SentenceModel&)> tasks;
  ReadingSettings reading;  ///< as for the model
};

/// Opens the backbone of the model in `path`. Nothing where the model was not trained by this program, where none is to
/// be measured, and where none is found, which is logged with the way to give one. Throws InputError for a folder
/// that is given and cannot be used. Collective.
std::optional<MeasuredBackbone> open_backbone(const BackboneRequest& request, const std::string& path,
                                              const SentenceModel& model, Communicator& communicator);

}  // namespace gausscse
