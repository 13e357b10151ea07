#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/report/html/html_writer.hpp"
#include "experiments/report/sections/report_content.hpp"

namespace gausscse {

/// Opens `<section id=...>` with its heading; close it.
void open_section(HtmlWriter& page, std::string_view id, std::string_view heading);

/// Opens a place that scrolls sideways where what is in it is wider than the page, also by keyboard; close it.
void open_scroll(HtmlWriter& page, const std::string& label);

/// Opens what a reader can fold, under its own line; close it. The first one of a section is open, so that a reader
/// sees what there is.
void open_details(HtmlWriter& page, const std::string& summary, bool is_open);

/// Adds a table of names and values.
void add_facts_table(HtmlWriter& page, const std::string& caption, const Facts& facts);

/// Groups of a stage whose curves are shown.
struct ShownStage {
  std::string stage;
  std::vector<std::size_t> groups;
  std::size_t left_out = 0;  ///< groups with results that are not shown
};
std::vector<ShownStage> shown_stages(const ReportData& data);

/// Lines in one picture at most: the eye can distinguish this many.
inline constexpr std::size_t most_lines = 8;

/// Says that groups of the stage are left out, where there are.
void add_left_out(HtmlWriter& page, const ShownStage& stage);

/// Returns what a stage's heading says: nothing for the only one.
std::string heading_of(const ShownStage& stage, std::size_t stages);

/// Returns "AUPRC of snli": a metric as people write it, and its task.
std::string figure_title(const std::string& figure, const std::string& task);
/// Returns "AUPRC", "accuracy".
std::string figure_word(const std::string& figure);
/// Returns the same with what it is measured in: "accuracy, %".
std::string axis_label(const std::string& figure, Unit unit);

/// Returns an axis' name, short: "batch size" of "training.batch_size".
std::string axis_word(const std::string& axis);

/// Returns "mean of seeds, band from the lowest to the highest" where a group has several.
std::string band_note(const ReportData& data, const std::vector<std::size_t>& groups);

}  // namespace gausscse
