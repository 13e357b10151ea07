#include "experiments/trial/recipe_defaults.hpp"

namespace gausscse {

Trial recipe_defaults(setting::Recipe recipe) {
  Trial trial;  // the released program's values are the members' own
  trial.recipe = recipe;
  if (recipe == setting::Recipe::paper) {
    trial.similarity = setting::Similarity::joint;
    trial.head.mean = setting::HeadMean::linear;
    trial.training.epochs = 3;
    trial.training.schedule = setting::Schedule::linear_increase;
    trial.training.decay_biases_and_norms = false;
    trial.evaluation.two_way_pairs = setting::TwoWayPairs::drop;
    trial.evaluation.auprc = setting::Auprc::sweep;
  }
  return trial;
}

}  // namespace gausscse
