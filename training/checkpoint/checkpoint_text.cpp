#include "training/checkpoint/checkpoint_text.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "results/json_report.hpp"

namespace gausscse {

std::string checkpoint_text(const TrainingState& state, CurveStyle style) {
  const auto backbone = std::find_if(state.early.begin(), state.early.end(),
                                     [](const StateResult& early) { return early.state == backbone_state; });
  std::string text =
      concat("  after ", state.step, " steps, ", state.values.numel(), " parameters\n", "computed with:\n",
             indented(state.configuration),
             curves_text(state.training, state.curves, style, backbone == state.early.end() ? nullptr : &*backbone));
  if (state.best_step < 0) return text + "no state was selected yet\n";
  return text + concat("the best state so far is that after ", state.best_step, " steps",
                       state.best_step == 0 ? concat(": ", untrained_best_note) : "", "\n");
}

std::string checkpoint_json(const TrainingState& state) {
  nlohmann::ordered_json best = nullptr;
  if (state.best_step >= 0) best = {{"step", state.best_step}, {"figure", state.best_metric}};
  const nlohmann::ordered_json report{{"format", show_format},
                                      {"kind", "checkpoint"},
                                      {"step", state.step},
                                      {"best", std::move(best)},
                                      {"parameters", state.values.numel()},
                                      {"configuration", state.configuration},
                                      {"training", columns_to_json(state.training)},
                                      {"curves", to_json(state.curves)}};
  return report.dump(2) + "\n";
}

}  // namespace gausscse
