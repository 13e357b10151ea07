#include "experiments/paper_figures/paper_figures.hpp"

#include <array>
#include <charconv>
#include <system_error>

#include "base/error.hpp"

namespace gausscse {

namespace {

constexpr std::string_view header = "source,table,task,model,loss,dataset,batch_size,learning_rate,metric,value";

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

PaperFigure figure_in(std::string_view line, const std::string& place) {
  if (line.find('"') != std::string_view::npos)
    throw InputError(concat(place, ": has a quotation mark, which these files do without: ", quoted(line)));
  const std::vector<std::string> fields = fields_of(line);
  constexpr std::size_t expected = 10;
  if (fields.size() != expected)
    throw InputError(concat(place, ": has ", fields.size(), " fields, not ", expected, ": ", quoted(line)));
  const auto value = number_in(fields[9]);
  if (!value) throw InputError(concat(place, ": the value ", quoted(fields[9]), " is no number"));
  return {fields[0], fields[1], fields[2], fields[3], fields[4], fields[5], fields[6], fields[7], fields[8], *value};
}

const std::string& column_of_figure(const PaperFigure& figure, const std::string& column) {
  static constexpr std::array<std::pair<const char*, std::string PaperFigure::*>, 7> columns{
      {{"task", &PaperFigure::task},
       {"model", &PaperFigure::model},
       {"loss", &PaperFigure::loss},
       {"dataset", &PaperFigure::dataset},
       {"batch_size", &PaperFigure::batch_size},
       {"learning_rate", &PaperFigure::learning_rate},
       {"metric", &PaperFigure::metric}}};
  std::vector<std::string> known;
  for (const auto& [name, member] : columns) {
    if (column == name) return figure.*member;
    known.emplace_back(name);
  }
  throw InputError(concat("the papers' numbers have no column ", quoted(column), nearest_name(column, known),
                          "; a table finds them by task, model, loss, dataset, batch_size, learning_rate and metric"));
}

bool say(const PaperFigure& figure, const PaperColumns& columns) {
  for (const auto& [column, value] : columns)
    if (!are_equal(column_of_figure(figure, column), value)) return false;
  return true;
}

}  // namespace

std::vector<PaperFigure> parse_paper_figures(std::string_view csv, std::string_view source_name) {
  std::vector<PaperFigure> figures;
  bool has_header = false;
  for (std::size_t number = 1; !csv.empty(); ++number) {
    const std::size_t end = csv.find('\n');
    std::string_view line = csv.substr(0, end);
    csv.remove_prefix(end == std::string_view::npos ? csv.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line[0] == '#') continue;
    const std::string place = at_line(source_name, number);
    if (has_header) {
      figures.push_back(figure_in(line, place));
    } else if (line == header) {
      has_header = true;
    } else {
      throw InputError(concat(place, ": begins with ", quoted(line), ", not with the header ", header));
    }
  }
  if (!has_header) throw InputError(concat(source_name, ": has no header ", header));
  return figures;
}

const std::vector<PaperFigure>& paper_figures() {
  static const std::vector<PaperFigure> all = [] {
    std::vector<PaperFigure> figures;
    for (const auto& [name, text] :
         {std::pair("gausscse.csv", csv_of_gausscse()), std::pair("isotropy.csv", csv_of_isotropy()),
          std::pair("liao.csv", csv_of_liao())})
      for (PaperFigure& figure : parse_paper_figures(text, name)) figures.push_back(std::move(figure));
    return figures;
  }();
  return all;
}

std::optional<double> find_paper_figure(const std::vector<PaperFigure>& figures, std::string_view source,
                                        std::string_view table, const PaperColumns& columns) {
  for (const auto& [column, value] : columns) column_of_figure({}, column);  // names are looked at in any case
  std::optional<double> found;
  for (const PaperFigure& figure : figures) {
    if (figure.source != source || figure.table != table || !say(figure, columns)) continue;
    if (found && *found != figure.value) return std::nullopt;
    found = figure.value;
  }
  return found;
}

}  // namespace gausscse
