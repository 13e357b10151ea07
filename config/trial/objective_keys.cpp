#include <algorithm>
#include <functional>
#include <initializer_list>

#include "config/schema/key_kinds.hpp"
#include "config/trial/term_map.hpp"
#include "config/trial/trial_keys.hpp"

namespace gausscse {

namespace {

using namespace key_kinds;  // the table below reads as a table

using Objective = ObjectiveSettings;
constexpr auto gaussian = ObjectiveKind::gaussian_contrastive;
constexpr auto cosine = ObjectiveKind::cosine_contrastive;
constexpr auto classification = ObjectiveKind::pair_classification;
constexpr auto supervised = ObjectiveKind::supervised_contrastive;
constexpr auto augmented = ObjectiveKind::augmented_classification;

/// The keys of the objective at `objective` in a record, whose names begin with `prefix`.
template <typename Record>
class ObjectiveKeys {
 public:
  ObjectiveKeys(std::string prefix, Field<Record, Objective> objective)
      : prefix_(std::move(prefix)), objective_(std::move(objective)) {}

  Key<Record> kind(std::optional<ObjectiveKind> without) const {
    return key(
        prefix_ + "kind", member(&Objective::kind), choice(without),
        "GaussCSE's loss, SimCSE's and in-batch pairs' by cosine, SBERT's classification of labelled pairs, "
        "Liao's supervised contrastive loss, the same classification of augmented pairs, or a weighted sum of these.");
  }

  Keys<Record> settings() const {
    return {
        only_for("a contrastive " + prefix_ + "kind", is_of({gaussian, cosine, supervised}),
                 affects(Effect::result, key(prefix_ + "temperature", member(&Objective::temperature),
                                             number({.lowest = 1e-4, .highest = 1e4}),
                                             "Temperature of the loss, by which similarities are divided."))),
        only_for("a contrastive " + prefix_ + "kind", is_of({gaussian, cosine, supervised}),
                 affects(Effect::result,
                         key(prefix_ + "false_negatives", member(&Objective::false_negatives),
                             "Candidates that are left out as no negatives of an anchor. keep: none; "
                             "mask_equal: texts equal to its own or its positive's, by tokens; mask_known: also "
                             "texts that the training examples name as entailed by its own."))),
        of({gaussian},
           key(prefix_ + "loss", member(&Objective::loss),
               "Candidates in the denominator: entailed hypotheses, plus contradicted ones, plus reversed pairs.")),
        of({gaussian},
           key(prefix_ + "similarity", member(&Objective::similarity), choice(std::optional(Similarity::cosine)),
               "Similarity of two Gaussians, see docs/similarities.md.")),
        of({gaussian}, key(prefix_ + "with_simcse", member(&Objective::with_simcse),
                           "Whether SimCSE's loss of the means is added, an option of the released program.")),
        of({cosine}, key(prefix_ + "hard_negatives", member(&Objective::hard_negatives),
                         "Whether contradicted hypotheses are candidates, too.")),
        only_for(
            concat(prefix_, "kind cosine_contrastive and ", prefix_, "hard_negatives true"),
            [objective = objective_](const Record& record) {
              return objective.of(record).kind == cosine && objective.of(record).hard_negatives;
            },
            affects(Effect::result, key(prefix_ + "hard_negative_weight", member(&Objective::hard_negative_weight),
                                        number({.lowest = -1e4, .highest = 1e4}),
                                        "Weight that is added to the logit of an anchor's own hard negative."))),
        of({cosine}, key(prefix_ + "directions", member(&Objective::directions),
                         "Anchors of the loss: premises, or the mean of this loss and of that with entailed "
                         "hypotheses as anchors.")),
        of({classification, augmented},
           affects(Effect::result, key(prefix_ + "activation", member(&Objective::activation),
                                       "Activation between the two linear layers of the classifier."))),
        of({supervised, augmented},
           key(prefix_ + "positives", member(&Objective::positives), or_word("all", integer(1, many)),
               "Largest number of entailed hypotheses of its premise with which an "
               "anchor is compared, its own included.")),
        of({supervised, augmented},
           key(prefix_ + "negatives", member(&Objective::negatives), or_word("all", integer(1, many)),
               "Largest number of other hypotheses of the batch with which an anchor is compared.")),
        of({augmented},
           affects(Effect::result,
                   key(prefix_ + "other_premise_label", member(&Objective::other_premise_label),
                       "Label of a premise with the hypothesis of another premise, which the paper does not name."))),
    };
  }

 private:
  template <typename Value>
  Field<Record, Value> member(Value Objective::*member) const {
    return {[objective = objective_, member](Record& record) -> Value& { return objective.get(record).*member; }};
  }

  std::function<bool(const Record&)> is_of(std::initializer_list<ObjectiveKind> kinds) const {
    return [objective = objective_, kinds = std::vector(kinds)](const Record& record) {
      return std::find(kinds.begin(), kinds.end(), objective.of(record).kind) != kinds.end();
    };
  }

  Key<Record> of(std::initializer_list<ObjectiveKind> kinds, Key<Record> key) const {
    std::string names;
    for (const ObjectiveKind kind : kinds) names += concat(names.empty() ? "" : " or ", name_of(kind));
    return only_for(concat(prefix_, "kind ", names), is_of(kinds), std::move(key));
  }

  std::string prefix_;
  Field<Record, Objective> objective_;
};

Key<Trial> terms_key() {
  Key<Trial> key{.name = "objective.terms",
                 .allowed = "a map from names to terms",
                 .meaning = "Objectives that are added up, each with its weight; their keys are below.",
                 .read = [](const YamlNode& node, const KeyContext& context,
                            Trial& trial) { trial.objective.terms = read_term_map(node, context); },
                 .is_set = [](const Trial& trial) { return !trial.objective.terms.empty(); },
                 .write = [](const Trial& trial, YAML::Emitter& out) { write_term_map(trial.objective.terms, out); }};
  key.holds_names = true;
  return only_for(
      "objective.kind sum", [](const Trial& trial) { return trial.objective.kind == ObjectiveKind::sum; },
      std::move(key));
}

}  // namespace

Keys<Trial> objective_keys() {
  const ObjectiveKeys<Trial> of_trial("objective.", at(&Trial::objective));
  Keys<Trial> keys{of_trial.kind(std::nullopt)};
  for (Key<Trial>& key : of_trial.settings()) keys.push_back(std::move(key));
  keys.push_back(terms_key());
  return keys;
}

const Keys<ObjectiveTerm>& objective_term_keys() {
  static const Keys<ObjectiveTerm> keys = [] {
    const ObjectiveKeys<ObjectiveTerm> of_term("", at(&ObjectiveTerm::objective));
    Keys<ObjectiveTerm> all{
        required(of_term.kind(ObjectiveKind::sum)),
        affects(Effect::result, key("weight", at(&ObjectiveTerm::weight), number({.lowest = 0.0}),
                                    "Weight of the term's loss in the sum; 0: it is not computed."))};
    for (Key<ObjectiveTerm>& key : of_term.settings()) all.push_back(std::move(key));
    return all;
  }();
  return keys;
}

}  // namespace gausscse
