#include "experiments/checkpoint/checkpoint_text.hpp"

#include "base/error.hpp"
#include "experiments/results/json_values.hpp"
#include "experiments/results/metrics_table.hpp"

namespace gausscse {

std::string checkpoint_text(const TrainingState& state, CurveStyle style) {
  std::string text =
      concat("  after ", state.step, " steps, ", state.values.numel(), " parameters\n", "computed with:\n",
             indented(state.configuration), curves_text(state.training, state.dev, style));
  if (state.best_step < 0) return text + "no state was evaluated yet\n";
  return text + metrics_table({.state = "best", .step = state.best_step, .dev = state.best_dev, .tests = {}});
}

std::string checkpoint_json(const TrainingState& state) {
  nlohmann::ordered_json best = nullptr;
  if (state.best_step >= 0) best = {{"step", state.best_step}, {"dev", to_json(state.best_dev)}};
  const nlohmann::ordered_json report{{"kind", "checkpoint"},
                                      {"step", state.step},
                                      {"best", std::move(best)},
                                      {"parameters", state.values.numel()},
                                      {"configuration", state.configuration},
                                      {"training", columns_to_json(state.training)},
                                      {"dev", columns_to_json(state.dev)}};
  return report.dump(2) + "\n";
}

}  // namespace gausscse
