#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "data/retrieval/retrieval_set.hpp"
#include "evaluation/calibration/fit_calibration.hpp"
#include "evaluation/retrieval/document_ranks.hpp"
#include "results/measurement.hpp"

namespace gausscse {

/// Returns the best hit of each query among all documents but the one that is left out for it, found as `gausscse
/// search` does, with its label. Every second query, in the order of the XXH3-128 of its text, is `fitted`. Queries
/// with fewer than two documents are left out.
std::vector<LabelledHit> labelled_hits(const RetrievalRows& embeddings, const RetrievalSet& set, Similarity similarity,
                                       std::size_t threads);

/// Returns the XXH3-128 of the texts of documents and queries, and of the relevance.
std::string hash_of_set(const RetrievalSet& set);

/// Number of bins of equal width of `hit_metrics`.
inline constexpr int reliability_bins = 10;

/// Returns the beginning of the names of a bin's metrics: "stated_20_30." of the probabilities from 20 to under 30 %.
std::string bin_prefix(int bin);

/// Returns the metrics of the probabilities that `gausscse search` prints of these hits by this calibration, for each
/// calibrator C. They are those of `calibrator_metrics`, with "right" as the answer to each query and P as its
/// confidence; by a calibration of hits also those of `promise_metrics`. Then for each bin of the usual calibrator's P
/// that has queries:
///
///   stated_A_B.queries   their number
///   stated_A_B.stated    mean of P
///   stated_A_B.right     share of right hits
///
/// With `own` the calibration was fitted on these hits: the fitted ones are left out. Empty where no hit is left.
std::vector<Metric> hit_metrics(const Calibration& calibration, bool own, const std::vector<LabelledHit>& hits,
                                int threads);

/// Returns two tables of the metrics of `hit_metrics` as aligned text: one has a row a task and calibrator, the other a
/// row a task and bin. Each is empty where no task has its metrics.
std::string hit_tables(const std::vector<Measurement>& measurements);

}  // namespace gausscse
