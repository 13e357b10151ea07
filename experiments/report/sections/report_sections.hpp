#pragma once

#include "experiments/report/html/html_writer.hpp"
#include "experiments/report/sections/report_content.hpp"

namespace gausscse {

// Each adds a section with its heading (h2), or nothing where there is nothing to show, and tells whether it did.

/// Counts, hosts and time; what failed and why.
bool add_summary(HtmlWriter& page, const ReportContent& content);
/// The study's tables.
bool add_tables(HtmlWriter& page, const ReportContent& content);
/// Metrics over two axes of a grid.
bool add_grids(HtmlWriter& page, const ReportContent& content);
/// Loss, and each task's metrics, by step.
bool add_learning_curves(HtmlWriter& page, const ReportContent& content);
/// Precision by recall.
bool add_precision_recall(HtmlWriter& page, const ReportContent& content);
/// Similarity and log standard deviation by gold label.
bool add_distributions(HtmlWriter& page, const ReportContent& content);
/// How long premises are next to their hypotheses.
bool add_length_ratios(HtmlWriter& page, const ReportContent& content);
/// Pairs with the worst scores, as text.
bool add_worst_pairs(HtmlWriter& page, const ReportContent& content);
/// Token geometry by step and by layer, and what losses of cosines can come to.
bool add_geometry(HtmlWriter& page, const ReportContent& content);
/// Shares of single dimensions in self-similarity, before and after training.
bool add_rogue_dimensions(HtmlWriter& page, const ReportContent& content);
/// How the self-similarity of single tokens changed, and whether alike in different settings.
bool add_self_similarity_change(HtmlWriter& page, const ReportContent& content);
/// Sentence vectors before and after training, along their principal components.
bool add_sentence_vectors(HtmlWriter& page, const ReportContent& content);
/// Time and cost of each trial.
bool add_costs(HtmlWriter& page, const ReportContent& content);
/// What trials have in common, and in what they differ.
bool add_differences(HtmlWriter& page, const ReportContent& content);
/// Each trial's own settings, metrics and provenance.
bool add_trials(HtmlWriter& page, const ReportContent& content);

}  // namespace gausscse
