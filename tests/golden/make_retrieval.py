#!/usr/bin/env python3
"""Makes tests/golden/metrics/retrieval.json: a random retrieval set with graded relevance, its embeddings, and the
metrics of each query's ranking by cosine, as trec_eval gives them. Needs numpy and pytrec_eval (or
pytrec-eval-terrier, which has wheels).

    python tests/golden/make_retrieval.py
"""
import json
import pathlib

import numpy as np
import pytrec_eval

FILE = pathlib.Path(__file__).parent / "metrics" / "retrieval.json"
DOCUMENTS, DIMENSION = 260, 3
# Number of relevant documents of each query, and of the most similar documents that these are drawn from; those of the
# first query are drawn from its last document alone.
RELEVANT = [(1, 0), (3, 15), (12, 40), (130, 200), (2, 12), (1, 11), (5, 150), (1, 1)]


def cosines(queries, documents):
    unit = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (queries, documents)]
    return unit[0] @ unit[1].T


def draw(rng):
    """Rows whose numbers float32 holds, without cosines of a query that trec_eval's float32 could confuse."""
    while True:
        queries, documents = (rng.integers(-512, 513, (n, DIMENSION)) / 64 for n in (len(RELEVANT), DOCUMENTS))
        scores = cosines(queries, documents)
        if np.diff(np.sort(scores, axis=1), axis=1).min() > 1e-6:
            return queries, documents, scores


def judgements(rng, scores):
    """Returns the grades of each query: 1 to 3 of its relevant documents, 0 of some others."""
    grades = []
    for (count, similar), row in zip(RELEVANT, scores):
        order = np.argsort(-row)
        chosen = rng.choice(order[:similar] if similar else order[-1:], count, replace=False)
        grades.append({f"d{document}": int(rng.integers(1, 4)) for document in chosen})
        for document in rng.choice(DOCUMENTS, 4, replace=False):
            grades[-1].setdefault(f"d{document}", 0)
    return grades


def main():
    rng = np.random.default_rng(31)
    queries, documents, scores = draw(rng)
    grades = judgements(rng, scores)
    qrels = {f"q{i}": each for i, each in enumerate(grades)}
    run = {f"q{i}": {f"d{j}": float(score) for j, score in enumerate(row)} for i, row in enumerate(scores)}
    first_ten = {query: dict(sorted(of.items(), key=lambda item: -item[1])[:10]) for query, of in run.items()}
    whole = pytrec_eval.RelevanceEvaluator(qrels, {"recall.1,10,100", "ndcg_cut.10", "map"}).evaluate(run)
    ten = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(first_ten)
    names = {"recall_at_1": "recall_1", "recall_at_10": "recall_10", "recall_at_100": "recall_100",
             "ndcg_at_10": "ndcg_cut_10", "map": "map"}
    metrics = {ours: [whole[f"q{i}"][theirs] for i in range(len(RELEVANT))] for ours, theirs in names.items()}
    metrics["mrr_at_10"] = [ten[f"q{i}"]["recip_rank"] for i in range(len(RELEVANT))]
    golden = {"queries": queries.tolist(), "documents": documents.tolist(), "grades": grades, "metrics": metrics}
    FILE.write_text("{\n" + ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in golden.items()) + "\n}\n")
    for name, values in metrics.items():
        print(name, np.round(values, 4).tolist())


if __name__ == "__main__":
    main()
