"""The trainings of make_training_steps.py: what each recipe sets, and the cases."""

from training_corpora import MAX_TOKENS

# Values beside these are the recipe's.
COMMON = {"training.precision": "fp32", "training.max_tokens": MAX_TOKENS, "training.batch_size": 7,
          "training.learning_rate": 0.002, "training.weight_decay": 0.5, "training.seed": 5,
          "tasks.dev.eval_every": 3, "training.dropout": 0, "select.task": "", "select.figure": ""}
RECIPES = {
    "released": {"objective.loss": "ent+con+rev", "objective.similarity": "per_dimension", "model.head.mean": "tanh",
                 "training.epochs": 1, "model.pooling": "first_token", "training.epsilon": 1e-8,
                 "training.schedule": "warmup_decay", "training.warmup_ratio": 0.1, "objective.temperature": 0.05,
                 "training.decay_biases_and_norms": True, "training.clip_norm": 0, "data.last_batch": "drop",
                 "evaluation.auprc": "trapezoid", "model.head.kind": "gaussian", "objective.with_simcse": False,
                 "objective.kind": "gaussian_contrastive", "data.examples": "triples", "data.order": "shuffled"},
}
RECIPES["paper"] = {**RECIPES["released"], "objective.similarity": "joint", "model.head.mean": "linear",
                    "training.epochs": 3, "training.schedule": "linear_increase", "evaluation.auprc": "sweep"}
COSINE = {**RECIPES["released"], "objective.kind": "cosine_contrastive", "objective.hard_negatives": True,
          "objective.hard_negative_weight": 0, "objective.directions": "one", "training.clip_norm": 1.0,
          "data.last_batch": "keep"}
RECIPES["simcse"] = {**COSINE, "model.head.kind": "mlp_tanh", "training.epochs": 3, "training.warmup_ratio": 0}
RECIPES["dynamics"] = {**COSINE, "model.head.kind": "none", "model.pooling": "mean", "objective.hard_negatives": False,
                       "training.decay_biases_and_norms": False, "data.examples": "entailment_pairs"}
RECIPES["contrastive_pairs"] = {**RECIPES["dynamics"], "objective.directions": "both"}
RECIPES["liao"] = {**COSINE, "model.head.kind": "none", "model.pooling": "mean_without_first",
                   "objective.kind": "pair_classification", "objective.activation": "none",
                   "data.examples": "labelled_pairs", "data.order": "file", "training.schedule": "warmup_constant",
                   "training.clip_norm": 0, "training.epsilon": 1e-6, "training.pooling_divisor": "longest"}
CLASSIFICATION = {"recipe": "dynamics", "objective.kind": "pair_classification", "data.examples": "labelled_pairs",
                  "model.pooling": "mean_without_first"}
LIAO = {"recipe": "liao", "training.weight_decay": 0, "training.warmup_ratio": 0.3}


def liao_sum(weight_of_classification, weight_of_contrast, **contrast):
    return {"objective.kind": "sum", "objective.terms.classification": {
                "kind": "pair_classification", "weight": weight_of_classification, "activation": "none"},
            "objective.terms.contrastive": {"kind": "supervised_contrastive", "weight": weight_of_contrast,
                                            "temperature": 1.0, "positives": "all", "negatives": "all", **contrast}}


CASES = {
    "released": {"recipe": "released", "training.epochs": 2, "training.warmup_ratio": 0.4},
    "paper": {"recipe": "paper", "training.epochs": 2},
    "entailment alone": {"recipe": "released", "objective.loss": "ent", "training.epochs": 2,
                         "objective.temperature": 0.2},
    "without reversed pairs": {"recipe": "paper", "objective.loss": "ent+con", "training.max_steps": 5,
                               "training.decay_biases_and_norms": False},
    "without contradictions": {"recipe": "released", "objective.loss": "ent+rev", "data.last_batch": "keep",
                               "training.epochs": 1, "training.clip_norm": 0.7, "training.warmup_ratio": 0.3},
    "dropout": {"recipe": "released", "training.max_steps": 4, "training.dropout": 0.125,
                "training.warmup_ratio": 0.25},
    "constant rate": {"recipe": "released", "training.epochs": 1, "training.schedule": "warmup_constant",
                      "training.warmup_ratio": 0.6, "training.epsilon": 0.01},
    "mean of tokens": {"recipe": "released", "training.max_steps": 3, "model.pooling": "mean",
                       "training.dropout": 0.125},
    "mean without the first token": {"recipe": "paper", "training.max_steps": 3, "model.pooling": "mean_without_first"},
    "maximum of tokens": {"recipe": "released", "training.max_steps": 3, "model.pooling": "max"},
    "SimCSE": {"recipe": "simcse", "training.max_steps": 2, "training.batch_size": 6},
    "SimCSE with weighted hard negatives": {"recipe": "simcse", "training.max_steps": 4,
                                            "objective.hard_negative_weight": 1.5, "objective.temperature": 0.1,
                                            "training.dropout": 0.125},
    "dynamics": {"recipe": "dynamics"},
    "pairs both ways in the order of the file": {"recipe": "contrastive_pairs", "data.order": "file"},
    "pairs with hard negatives": {"recipe": "contrastive_pairs", "data.examples": "triples", "training.max_steps": 4,
                                  "objective.hard_negatives": True},
    "entailment with SimCSE": {"recipe": "released", "training.max_steps": 3, "objective.loss": "ent",
                               "objective.with_simcse": True},
    "classification of pairs in the order of the file": {**CLASSIFICATION, "data.order": "file",
                                                         "objective.activation": "none"},
    "classification of shuffled pairs": {**CLASSIFICATION, "objective.activation": "tanh", "training.dropout": 0.125,
                                         "training.epochs": 2, "training.batch_size": 9},
    "Liao by cross entropy alone": {**LIAO, "training.dropout": 0.125},
    "Liao by cross entropy as the text has it": {**LIAO, "training.schedule": "warmup_decay",
                                                 "training.pooling_divisor": "tokens"},
    "Liao with all positives and negatives": {**LIAO, **liao_sum(0.5, 0.5), "training.epochs": 2},
    "Liao as the text has it": {**LIAO, **liao_sum(0.7, 0.3, temperature=0.5), "training.schedule": "warmup_decay",
                                "training.pooling_divisor": "tokens", "training.dropout": 0.125},
    "Liao with three positives and three negatives": {**LIAO, **liao_sum(0.5, 0.5, positives=3, negatives=3),
                                                      "training.batch_size": 11, "training.epochs": 2},
    "Liao by contrast alone": {**LIAO, **liao_sum(0, 1.0, positives=2)},
    "Liao augmented": {**LIAO, "objective.kind": "augmented_classification", "objective.positives": "all",
                       "objective.negatives": "all", "objective.other_premise_label": "neutral"},
    "Liao augmented by three and three": {**LIAO, "objective.kind": "augmented_classification",
                                          "objective.positives": 3, "objective.negatives": 3,
                                          "objective.other_premise_label": "contradiction"},
}
# Heads that begin at the pooled vector, where no direction is measured before the first step: log-variances are equal.
# And heads that are trained alone, without dropout and a key for it.
IDENTITY = {"recipe": "paper", "model.head.init": "identity", "training.max_steps": 4, "model.pooling": "mean",
            "tasks.dev.eval_every": 0}
HEAD_ALONE = {"training.parameters": "head", "training.dropout": None}
CASES |= {
    "scaled pooled vectors as means": {**IDENTITY, "model.head.mean": "identity", "model.head.scale": "unit",
                                       "model.head.log_var_start": -1.5},
    "scaled means from the identity": {**IDENTITY, "model.head.scale": "unit", "model.head.log_var": "mlp",
                                       "model.head.log_var_width": 9, "model.head.log_var_start": 1},
    "scaled means behind tanh": {"recipe": "released", "training.max_steps": 4, "model.head.scale": "unit",
                                 "model.head.log_var": "mlp", "model.head.log_var_width": 11},
    "a head alone": {**HEAD_ALONE, "recipe": "released", "training.max_steps": 5, "training.clip_norm": 0.5},
    "a head alone from the scaled pooled vectors": {
        **IDENTITY, **HEAD_ALONE, "model.head.mean": "identity", "model.head.scale": "unit",
        "model.head.log_var_start": 0, "training.max_steps": 5},
    # Equal log-variances do not see a bias of all means, so that its gradient in the encoder would be rounding.
    "a head alone from the identity": {**IDENTITY, **HEAD_ALONE, "model.head.log_var": "mlp",
                                       "model.head.log_var_width": 6, "model.head.log_var_start": 0.5},
    "a head alone of SimCSE": {**HEAD_ALONE, "recipe": "simcse", "training.max_steps": 5, "training.batch_size": 6},
}
# Weights that are trained instead of weights/tiny-bert.
BACKBONES = {"MPNet": "tiny-mpnet", "first tokens of MPNet": "tiny-mpnet", "DistilBERT": "tiny-distilbert",
             "ModernBERT": "tiny-modernbert", "first tokens of NomicBERT": "tiny-nomic_bert", "the last layer of MPNet": "tiny-mpnet", "the last layer of DistilBERT": "tiny-distilbert"}
CASES |= {
    "MPNet": {"recipe": "dynamics", "training.max_steps": 6, "training.dropout": 0.125, "model.pooling": "max"},
    "first tokens of MPNet": {"recipe": "paper", "training.max_steps": 4, "training.dropout": 0.125,
                              "training.decay_biases_and_norms": False},
    "DistilBERT": {"recipe": "paper", "training.max_steps": 4, "training.dropout": 0.125},
    "ModernBERT": {"recipe": "dynamics", "training.max_steps": 5, "training.dropout": 0.125},
    "first tokens of NomicBERT": {"recipe": "paper", "training.max_steps": 4, "training.dropout": 0.125,
                                  "training.decay_biases_and_norms": False},
}
# Heads and classifiers with another learning rate than the encoder, and encoders of which the first layers are held.
LAST_LAYER = {"training.parameters": {"from_layer": 1}}
CASES |= {
    "another rate for the head": {"recipe": "paper", "training.max_steps": 5, "training.head_learning_rate": 0.01,
                                  "training.decay_biases_and_norms": False},
    "another rate for the classifier": {**CLASSIFICATION, "objective.activation": "none", "training.max_steps": 5,
                                        "training.head_learning_rate": 0.0005},
    "the last layer and the head": {"recipe": "released", **LAST_LAYER, "training.max_steps": 5,
                                    "training.head_learning_rate": 0.01, "training.dropout": 0.125,
                                    "training.clip_norm": 0.5, "training.warmup_ratio": 0.25},
    "all layers without the embeddings": {"recipe": "simcse", "training.parameters": {"from_layer": 0},
                                          "training.max_steps": 4, "training.batch_size": 6},
    "the last layer and the classifier": {**CLASSIFICATION, **LAST_LAYER, "objective.activation": "none",
                                          "training.max_steps": 5, "training.head_learning_rate": 0.01},
    "the last layer of MPNet": {"recipe": "dynamics", **LAST_LAYER, "training.max_steps": 5,
                                "training.dropout": 0.125},
    "the last layer of DistilBERT": {"recipe": "paper", **LAST_LAYER, "training.max_steps": 4},
}


def parts_of(settings):
    """(weight, settings) of each objective that is computed."""
    if settings["objective.kind"] != "sum":
        return [(1, settings)]
    terms = [value for key, value in settings.items() if key.startswith("objective.terms.")]
    return [(term["weight"], {"objective." + key: value for key, value in term.items()})
            for term in terms if term["weight"] != 0]
