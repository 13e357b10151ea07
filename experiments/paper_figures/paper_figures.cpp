#include "experiments/paper_figures/paper_figures.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "base/error.hpp"
#include "base/lists.hpp"

namespace gausscse {

namespace {

constexpr std::array<const char*, 9> column_names{"source",  "table",      "task",          "model", "loss",
                                                  "dataset", "batch_size", "learning_rate", "metric"};

std::string header_line() {
  return joined(column_names, ",") + ",value";
}

/// Returns the whole of a text as a number.
std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool are_equal(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto number_a = number_in(a), number_b = number_in(b);
  return number_a && number_b && *number_a == *number_b;
}

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  for (std::size_t begin = 0;;) {
    const std::size_t comma = line.find(',', begin);
    fields.emplace_back(line.substr(begin, comma == std::string_view::npos ? comma : comma - begin));
    if (comma == std::string_view::npos) return fields;
    begin = comma + 1;
  }
}

PaperFigure metric_in(std::string_view line, const std::string& place) {
  if (line.find('"') != std::string_view::npos)
    throw InputError(concat(place, ": has a quotation mark, which these files do without: ", quoted(line)));
  const std::vector<std::string> fields = fields_of(line);
  constexpr std::size_t expected = column_names.size() + 1;
  if (fields.size() != expected)
    throw InputError(concat(place, ": has ", fields.size(), " fields, not ", expected, ": ", quoted(line)));
  const auto value = number_in(fields.back());
  if (!value) throw InputError(concat(place, ": the value ", quoted(fields.back()), " is no number"));
  PaperFigure metric{{}, *value};
  for (std::size_t i = 0; i < column_names.size(); ++i) metric.columns.emplace(column_names[i], fields[i]);
  return metric;
}

/// Refuses a column by which no number is found; source and table are asked for by themselves.
void check_column(const std::string& column) {
  const std::vector<std::string> known(column_names.begin() + 2, column_names.end());
  if (!is_among(known, column))
    throw InputError(
        concat("the papers' numbers have no column ", quoted(column), nearest_name(column, known),
               "; a table finds them by task, model, loss, dataset, batch_size, learning_rate and metric"));
}

}  // namespace

std::vector<PaperFigure> parse_paper_figures(std::string_view csv, std::string_view source_name) {
  std::vector<PaperFigure> metrics;
  bool has_header = false;
  for (std::size_t number = 1; !csv.empty(); ++number) {
    const std::size_t end = csv.find('\n');
    std::string_view line = csv.substr(0, end);
    csv.remove_prefix(end == std::string_view::npos ? csv.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line[0] == '#') continue;
    const std::string place = at_line(source_name, number);
    if (has_header) {
      metrics.push_back(metric_in(line, place));
    } else if (line == header_line()) {
      has_header = true;
    } else {
      throw InputError(concat(place, ": begins with ", quoted(line), ", not with the header ", header_line()));
    }
  }
  if (!has_header) throw InputError(concat(source_name, ": has no header ", header_line()));
  return metrics;
}

const std::vector<PaperFigure>& paper_figures() {
  static const std::vector<PaperFigure> all = [] {
    std::vector<PaperFigure> metrics;
    for (const auto& [name, text] :
         {std::pair("gausscse.csv", csv_of_gausscse()), std::pair("isotropy.csv", csv_of_isotropy()),
          std::pair("liao.csv", csv_of_liao())})
      for (PaperFigure& metric : parse_paper_figures(text, name)) metrics.push_back(std::move(metric));
    return metrics;
  }();
  return all;
}

std::optional<double> find_paper_figure(const std::vector<PaperFigure>& metrics, std::string_view source,
                                        std::string_view table, const PaperColumns& columns) {
  for (const auto& [column, value] : columns) check_column(column);
  std::optional<double> found;
  for (const PaperFigure& metric : metrics) {
    const auto fits = [&](const auto& wanted) { return are_equal(metric.columns.at(wanted.first), wanted.second); };
    if (metric.columns.at("source") != source || metric.columns.at("table") != table ||
        !std::all_of(columns.begin(), columns.end(), fits))
      continue;
    if (found && *found != metric.value) return std::nullopt;
    found = metric.value;
  }
  return found;
}

}  // namespace gausscse
