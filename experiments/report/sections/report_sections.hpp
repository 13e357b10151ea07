#pragma once

#include "experiments/report/html/html_writer.hpp"
#include "experiments/report/sections/report_page.hpp"

namespace gausscse {

/// Adds when the trials ended, and by which versions and commits of the program they ran.
void add_origin(HtmlWriter& page, const ReportContent& content);

// Each adds the content of a section, or nothing where there is nothing to show.

/// Adds the best setting and its metrics, and the trials that failed or are untrained.
void add_headline(HtmlWriter& page, const ReportContent& content);
/// Counts, hosts and time; failed trials with the reason.
void add_summary(HtmlWriter& page, const ReportContent& content);
/// Adds the study's tables.
void add_tables(HtmlWriter& page, const ReportContent& content);
/// Adds metrics over two axes of a grid.
void add_grids(HtmlWriter& page, const ReportContent& content);
/// Loss, and each task's metrics, by step.
void add_learning_curves(HtmlWriter& page, const ReportContent& content);
/// Adds the reliability of probabilities of entailment, and the error among the most confident answers.
void add_probabilities(HtmlWriter& page, const ReportContent& content);
/// Adds token geometry by step and by layer, and the bounds of losses of cosines.
void add_geometry(HtmlWriter& page, const ReportContent& content);
/// Adds settings that trials have in common, and those in which they differ.
void add_differences(HtmlWriter& page, const ReportContent& content);
/// Adds each trial's own settings, metrics and provenance.
void add_trials(HtmlWriter& page, const ReportContent& content);

}  // namespace gausscse
