"""Losses of all objectives, as the papers have them, of sentences that are embedded already."""

import torch

import bert_with_masks
from make_loss import similarities
from training_cases import parts_of
from training_corpora import LABELS, tokens_of


def sets_of(pairs, settings, step, part):
    """(anchor, positives, negatives) of each entailment pair: numbers of pairs whose hypotheses it is compared with. Of
    more than a limit those with the smallest words are taken, Philox's for the hypothesis, the anchor and the step."""
    premises = [tuple(tokens_of(premise)) for _, premise, _ in pairs]
    seed = settings["training.seed"]
    key = bert_with_masks.philox([*bert_with_masks.words_of(step), 0, 2], bert_with_masks.words_of(seed))[:2]

    def take(anchor, candidates, limit):
        def word(candidate):
            words = bert_with_masks.philox([candidate, anchor, 0, 0], key)
            return words[1] << 32 | words[0]

        return sorted(candidates, key=word)[:limit]

    sets, numbers = [], range(len(pairs))
    most, most_negatives = (None if part[f"objective.{limit}"] == "all" else part[f"objective.{limit}"]
                            for limit in ("positives", "negatives"))
    for anchor in numbers:
        if pairs[anchor][0] != "entailment":
            continue
        positive = [j for j in numbers if pairs[j][0] == "entailment" and premises[j] == premises[anchor]]
        others = take(anchor, [j for j in positive if j != anchor], most and most - 1)
        negatives = take(anchor, [j for j in numbers if j not in positive], most_negatives)
        sets.append((anchor, [anchor] + others, negatives))
    return sets, premises


def supervised_loss(premise, hypothesis, pairs, settings, step, part):
    sets, _ = sets_of(pairs, settings, step, part)
    losses = []
    for anchor, positives, negatives in sets:
        scores = hypothesis @ premise[anchor] / part["objective.temperature"]
        logs = torch.log_softmax(scores[positives + negatives], dim=0)
        losses.append(-logs[: len(positives)].mean())
    return torch.stack(losses).mean() if losses else 0 * (premise.sum() + hypothesis.sum())


def classification_loss(model, premise, hypothesis, pairs, settings, step, part):
    left, right = list(range(len(pairs))), list(range(len(pairs)))
    labels = [LABELS.index(label) for label, _, _ in pairs]
    if part["objective.kind"] == "augmented_classification":
        sets, premises = sets_of(pairs, settings, step, part)
        for anchor, positives, negatives in sets:
            for other in positives[1:] + negatives:
                left.append(anchor)
                right.append(other)
                same = premises[other] == premises[anchor]
                labels.append(labels[other] if same else LABELS.index(part["objective.other_premise_label"]))
    logits = model.classify(premise[left], hypothesis[right], part["objective.activation"])
    return torch.nn.functional.cross_entropy(logits, torch.tensor(labels))


def labelled_loss(model, premise, hypothesis, pairs, settings, step):
    loss = 0
    for weight, part in parts_of(settings):
        if part["objective.kind"] == "supervised_contrastive":
            loss = loss + weight * supervised_loss(premise, hypothesis, pairs, settings, step, part)
        else:
            loss = loss + weight * classification_loss(model, premise, hypothesis, pairs, settings, step, part)
    return loss


def cosines(a, b):
    return torch.nn.functional.cosine_similarity(a[:, None], b[None], dim=2)


def cosine_loss(premise, entailment, contradiction, settings):
    """SimCSE's; `contradiction` is None where there are no hard negatives."""
    def cross_entropy(anchors, candidates, negatives):
        scores = cosines(anchors, candidates) / settings["objective.temperature"]
        if negatives is not None:
            of_negatives = cosines(anchors, negatives) / settings["objective.temperature"]
            own = torch.eye(len(anchors), dtype=torch.float64) * settings.get("objective.hard_negative_weight", 0)
            scores = torch.cat([scores, of_negatives + own], dim=1)
        return torch.nn.functional.cross_entropy(scores, torch.arange(len(anchors)))

    loss = cross_entropy(premise, entailment, contradiction)
    if settings.get("objective.directions") == "both":
        return (loss + cross_entropy(entailment, premise, None)) / 2
    return loss


def gaussian_loss(premise, entailment, contradiction, settings):
    """-log of the positive pair's share, mean over the batch; rows are anchors, columns candidates."""
    def block(candidates, anchors):
        return similarities(candidates, anchors, settings["objective.similarity"]).T

    entailed = block(entailment, premise)
    blocks = [entailed]
    if "con" in settings["objective.loss"]:
        blocks.append(block(contradiction, premise))
    if "rev" in settings["objective.loss"]:
        blocks.append(block(premise, entailment))
    scores = torch.cat(blocks, dim=1) / settings["objective.temperature"]
    return torch.nn.functional.cross_entropy(scores, torch.arange(len(entailed)))


def loss_of(premise, entailment, contradiction, settings):
    if settings["objective.kind"] == "cosine_contrastive":
        negatives = contradiction[0] if settings["objective.hard_negatives"] else None
        return cosine_loss(premise[0], entailment[0], negatives, settings)
    loss = gaussian_loss(premise, entailment, contradiction, settings)
    if settings["objective.with_simcse"]:
        loss = loss + cosine_loss(premise[0], entailment[0], contradiction[0], settings)
    return loss
