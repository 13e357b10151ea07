#pragma once

#include "experiments/report/html/html_writer.hpp"
#include "experiments/report/sections/report_page.hpp"

namespace gausscse {

// Each adds a section with its heading (h2), or nothing where there is nothing to show, and returns whether it did.

/// Counts, hosts and time; what failed and why.
bool add_summary(HtmlWriter& page, const ReportContent& content);
/// Adds the study's tables.
bool add_tables(HtmlWriter& page, const ReportContent& content);
/// Adds metrics over two axes of a grid.
bool add_grids(HtmlWriter& page, const ReportContent& content);
/// Loss, and each task's metrics, by step.
bool add_learning_curves(HtmlWriter& page, const ReportContent& content);
/// Adds precision by recall.
bool add_precision_recall(HtmlWriter& page, const ReportContent& content);
/// Adds similarity and log standard deviation by gold label.
bool add_distributions(HtmlWriter& page, const ReportContent& content);
/// Adds the ratios of lengths of premises and their hypotheses.
bool add_length_ratios(HtmlWriter& page, const ReportContent& content);
/// Pairs with the worst scores, as text.
bool add_worst_pairs(HtmlWriter& page, const ReportContent& content);
/// Adds token geometry by step and by layer, and the bounds of losses of cosines.
bool add_geometry(HtmlWriter& page, const ReportContent& content);
/// Shares of single dimensions in self-similarity, before and after training.
bool add_rogue_dimensions(HtmlWriter& page, const ReportContent& content);
/// Adds the changes of the self-similarity of single tokens, and whether they are alike in different settings.
bool add_self_similarity_change(HtmlWriter& page, const ReportContent& content);
/// Adds sentence vectors before and after training, along their principal components.
bool add_sentence_vectors(HtmlWriter& page, const ReportContent& content);
/// Adds time and cost of each trial.
bool add_costs(HtmlWriter& page, const ReportContent& content);
/// Adds settings that trials have in common, and those in which they differ.
bool add_differences(HtmlWriter& page, const ReportContent& content);
/// Adds each trial's own settings, metrics and provenance.
bool add_trials(HtmlWriter& page, const ReportContent& content);

}  // namespace gausscse
