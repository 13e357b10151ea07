#include "config/proposal/proposed_recipe.hpp"

#include "base/choice.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "config/trial/recipe_defaults.hpp"

namespace gausscse {

namespace {

/// Entailed pairs for each triple beyond which a training on triples would leave out most of the data.
constexpr double most_pairs_per_triple = 10;

/// Lets a recipe for triples train on pairs.
void leave_out_contradictions(const DataSample& data, Trial& trial, std::vector<Remark>& remarks) {
  if (trial.objective.kind == ObjectiveKind::gaussian_contrastive) {
    trial.objective.loss = Loss::ent_rev;
    remarks.push_back({"objective.loss", concat("The data have ", data.triples > 0 ? "few" : "no",
                                                " contradicted hypotheses, which losses with con need.")});
  } else {
    trial.objective.hard_negatives = false;
    remarks.push_back({"objective.hard_negatives", "The data have no contradicted hypotheses."});
  }
  trial.data.examples = ExampleKind::entailment_pairs;
  remarks.push_back({"data.examples", ""});
}

}  // namespace

Trial propose_recipe(const ProposalRequest& request, std::vector<Remark>& remarks) {
  const auto remark = [&](const std::string& key, const std::string& why) { remarks.push_back({key, why}); };
  remark("format", "");
  const DataSample& data = request.data;
  const bool has_enough_triples = data.triples > 0 && data.triples * most_pairs_per_triple >= data.pairs;
  const setting::Recipe fitting = request.own_pooling  ? setting::Recipe::head
                                  : has_enough_triples ? setting::Recipe::released
                                                       : setting::Recipe::contrastive_pairs;
  Trial trial = recipe_defaults(request.recipe.value_or(fitting));
  if (request.recipe)
    remark("recipe", "It was asked for.");
  else if (request.own_pooling)
    remark("recipe",
           concat("The backbone is made for sentence vectors (pooling ", name_of(*request.own_pooling),
                  "). It stays as it is, and a head that begins at its vectors gives them a variance and so a "
                  "direction, in minutes. Afterwards --recipe tune, with this run's model as --backbone, trains all."));
  else if (has_enough_triples)
    remark(
        "recipe",
        "The data have contradicted hypotheses, which GaussCSE's loss compares with. Embeddings are Gaussians, whose "
        "similarity has a direction.");
  else
    remark("recipe",
           concat("The data have ",
                  data.triples > 0 ? concat("few premises with both an entailed and a contradicted hypothesis (",
                                            data.count_text(data.triples), ")")
                  : data.labelled_pairs > 0 ? "no premise with both an entailed and a contradicted hypothesis"
                                            : "no contradicted hypotheses",
                  ": the other pairs of a batch are the negatives. Vectors are compared by cosine. For Gaussians give "
                  "--recipe released."));
  if (trial.data.examples == ExampleKind::labelled_pairs && request.data.labelled_pairs == 0)
    throw InputError(concat("--recipe ", name_of(trial.recipe),
                            " learns from labels, which the training files do not have: give another recipe, or pairs "
                            "with labels"));
  const bool may_choose = !request.recipe && trial.training.parameters == setting::TrainedParameters::head;
  const double triples = data.examples(ExampleKind::triples, trial.data.triples);
  const bool are_few = triples == 0 || (may_choose && triples * most_pairs_per_triple < data.pairs);
  if (trial.data.examples == ExampleKind::triples && are_few) leave_out_contradictions(data, trial, remarks);
  return trial;
}

}  // namespace gausscse
