#include "experiments/trial/recipe_defaults.hpp"

namespace gausscse {

Trial recipe_defaults(setting::Recipe recipe) {
  Trial trial;  // the released program's values are the members' own
  trial.recipe = recipe;
  if (recipe == setting::Recipe::paper) {
    trial.similarity = SimilarityKind::joint;
    trial.head.mean = MeanActivation::linear;
    trial.training.epochs = 3;
    trial.training.schedule = setting::Schedule::linear_increase;
    trial.evaluation.two_way_pairs = setting::TwoWayPairs::drop;
    trial.evaluation.auprc = setting::Auprc::sweep;
  }
  return trial;
}

}  // namespace gausscse
