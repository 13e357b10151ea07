#include "training/run_notes.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "evaluation/geometry/temperature_bounds.hpp"
#include "results/text_table.hpp"

namespace gausscse {

std::int64_t virtual_shards(const Trial& trial) {
  return trial.reproducibility == setting::Reproducibility::rank_invariant ? trial.training.virtual_shards : 0;
}

void check_work(const Trial& trial, Communicator& communicator, TrainingObserver& observer) {
  const std::int64_t shards = virtual_shards(trial);
  const std::int64_t parts = shards > 0 ? std::min(shards, trial.training.batch_size) : trial.training.batch_size;
  if (communicator.size() > parts)
    observer.on_warning(concat(communicator.size(), " ranks share batches of ", parts,
                               parts == shards ? " virtual shards" : " examples", ": some have nothing to do"));
}

void tell_bounds(const Trial& trial, TrainingObserver& observer) {
  const std::optional<LossBounds> bounds = loss_bounds(trial.objective, trial.training.batch_size);
  if (!bounds) return;
  observer.on_note(concat("with temperature ", trial.objective.temperature, " and ", trial.training.batch_size,
                          " examples a batch the loss of a perfect batch lies between ", bounds->lower, " and ",
                          bounds->upper));
}

void tell_other_device(const TrainingState& state, at::Device device, TrainingObserver& observer) {
  const std::string here = c10::DeviceTypeName(device.type(), /*lower_case=*/true);
  if (!state.device.empty() && state.device != here)
    observer.on_note(concat("the steps of the checkpoint were computed with device: ", state.device,
                            ", those from here on with device: ", here,
                            "; the last digits differ from those of a run on one kind of device"));
}

void tell_held(const SentenceEncoder& encoder, TrainingObserver& observer) {
  const std::optional<std::int64_t> layer = encoder.settings().first_trained_layer;
  if (!layer) return;
  const ParameterStore& parameters = encoder.parameters();
  observer.on_note(concat("training.parameters: {from_layer: ", *layer, "} trains ",
                          parameters.trained_values().numel(), " of ", parameters.values().numel(),
                          " parameters, and holds the embeddings and the layers before ", *layer, " of ",
                          encoder.settings().encoder.layers));
}

void tell_left_out(const Trial& trial, const TrainingSeries& training, TrainingObserver& observer) {
  const std::vector<std::int64_t>& pairs = training.left_out_pairs;
  if (pairs.empty()) return;
  const double mean = static_cast<double>(std::accumulate(pairs.begin(), pairs.end(), std::int64_t{0})) /
                      static_cast<double>(pairs.size());
  std::int64_t negatives = 0;
  for (const std::int64_t of_loss : negatives_of_anchor(trial.objective, trial.training.batch_size))
    negatives += of_loss * trial.training.batch_size;
  observer.on_note(concat("objective.false_negatives left out ", fixed_text(mean, 1), " pairs a step, ",
                          fixed_text(100 * mean / static_cast<double>(std::max<std::int64_t>(negatives, 1)), 4),
                          " % of the negatives"));
}

}  // namespace gausscse
