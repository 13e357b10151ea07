#include "launcher/measured_backbone.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "dist/group_work.hpp"
#include "evaluation/backbone.hpp"
#include "model/folder/model_folder_reader.hpp"
#include "model/hub/given_folder.hpp"
#include "results/result_file.hpp"
#include "training/backbone_measurement.hpp"
#include "training/output_folder.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

/// Backbone of a run as its result records it.
struct RecordedBackbone {
  fs::path folder;                                         ///< empty: the training measured none
  std::vector<std::pair<std::string, std::string>> files;  ///< names in the folder, and XXH3-128 of their content
  std::optional<double> threshold;                         ///< threshold of its cosine
};

/// Returns the backbone that the result next to the model's folder records; nothing where there is no result.
std::optional<RecordedBackbone> recorded_backbone(const std::string& path) {
  const fs::path file = result_in(fs::absolute(model_folder_of(path) / "").parent_path().parent_path());
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return std::nullopt;
  const RunResult result = read_result(file);
  const Trial trial = parse_trial(result.configuration, file.string(), file.parent_path());
  RecordedBackbone recorded;
  if (!has_measured_backbone(trial)) return recorded;
  recorded.folder = model_folder_of(trial.model.backbone.path);
  constexpr std::string_view role = "model.backbone/";
  for (const auto& [name, hash] : result.provenance.input_hashes)
    if (name.starts_with(role)) recorded.files.emplace_back(name.substr(role.size()), hash);
  if (const Measurement* source = source_of_threshold(trial, kept_state(result).backbone))
    recorded.threshold = metric_of(*source, "threshold");
  return recorded;
}

/// Returns the first difference of a folder from the recorded one; empty where there is none.
std::string difference_from(const RecordedBackbone& recorded, const fs::path& folder) {
  for (const auto& [name, hash] : recorded.files) {
    std::error_code ignored;
    if (!fs::is_regular_file(folder / name, ignored)) return concat("there is no ", (folder / name).string());
    if (content_hash(folder / name) != hash) return concat((folder / name).string(), " has another content");
  }
  return fs::is_directory(folder) ? "" : concat("there is no ", folder.string());
}

/// Folder and threshold of a backbone, as rank 0 found them; without a folder none is measured.
struct FoundBackbone {
  std::string folder;
  double threshold = MeasuredBackbone::unknown_threshold;
};

constexpr const char* remedy = "give its folder by --backbone FOLDER, or --backbone none";

FoundBackbone find_backbone(const std::string& given, const std::string& path) {
  std::optional<RecordedBackbone> recorded;
  std::string problem;
  try {
    recorded = recorded_backbone(path);
    if (!recorded) problem = "its folder has no result of a run next to it";
  } catch (const InputError& error) {
    problem = error.what();
  }
  if (given.empty() && recorded && recorded->folder.empty()) return {};
  FoundBackbone found{given.empty() && recorded ? recorded->folder.string() : given};
  if (recorded && problem.empty()) problem = difference_from(*recorded, model_folder_of(found.folder));
  if (problem.empty()) {
    found.threshold = recorded->threshold.value_or(MeasuredBackbone::unknown_threshold);
  } else if (given.empty()) {
    spdlog::info("the backbone of {} is not measured: {}; {}", path, problem, remedy);
    return {};
  }
  return found;
}

/// Finds the backbone on rank 0 and returns it on all ranks.
FoundBackbone find_together(const std::string& given, const std::string& path, Communicator& communicator) {
  FoundBackbone found;
  run_on_root(communicator, [&] { found = find_backbone(given, path); });
  std::vector<double> threshold{found.threshold};
  broadcast_numbers(threshold, communicator);
  return {communicator.all_gather_text(found.folder).front(), threshold.front()};
}

}  // namespace

std::vector<Measurement> MeasuredBackbone::measure(Communicator& communicator) {
  std::vector<Measurement> measurements = measure_backbone(tasks_, *encoder_.embedder, communicator);
  for (Measurement& measurement : measurements) {
    const Metric* threshold = find_metric(measurement.metrics, "threshold");
    if (!threshold || threshold->value != unknown_threshold) continue;
    std::erase_if(measurement.metrics, [](const Metric& metric) {
      return metric.name == "threshold" || metric.name == "accuracy" || metric.name.starts_with("accuracy.");
    });
  }
  return measurements;
}

std::optional<MeasuredBackbone> open_backbone(const BackboneRequest& request, const std::string& path,
                                              const SentenceModel& model, Communicator& communicator) {
  const SentenceEncoder* const encoder = encoder_of(*model.embedder);
  const bool is_given = !request.folder.empty() && request.folder != no_backbone;
  if (!encoder || model.properties.state.empty()) {
    if (is_given)
      throw InputError(concat("--backbone ", request.folder, ": ", path,
                              " is no model of a training, so it has no backbone: leave --backbone out"));
    return std::nullopt;
  }
  if (request.folder == no_backbone) return std::nullopt;
  const FoundBackbone found = find_together(request.folder, path, communicator);
  if (found.folder.empty()) return std::nullopt;
  const ModelFolder folder = read_model_folder(found.folder, FolderPart::encoder);
  const PoolingKind pooling = own_pooling(found.folder, folder).value_or(encoder->settings().pooling);
  SentenceModel opened = open_encoder(folder, encoder->settings().precision, encoder->settings().device, pooling);
  check_agreement(communicator, "the backbone", opened.agreement());
  SentenceModel backbone = backbone_of(model);
  backbone.tokenizer = opened.tokenizer;
  backbone.positions = opened.positions;
  backbone.max_tokens = std::min(model.max_tokens, opened.positions);
  backbone.properties.threshold = found.threshold;
  ReadingSettings reading = request.reading;
  reading.mteb_scores = false;
  reading.calibration.reset();
  reading.hit_calibration.reset();
  reading.hits_fitted_on = {};
  const std::vector<TaskSettings> tasks = tasks_of_backbone(request.tasks(backbone));
  if (tasks.empty()) return std::nullopt;
  spdlog::info("the backbone {} is measured as well: pooling {}, cosine", found.folder, name_of(pooling));
  return MeasuredBackbone(std::move(opened), make_tasks(tasks, backbone, reading));
}

}  // namespace gausscse
