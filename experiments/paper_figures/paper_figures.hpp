#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gausscse {

/// A number that a paper prints: a line of experiments/paper_figures/*.csv.
struct PaperFigure {
  /// Source, table, task, model, loss, dataset, batch_size, learning_rate and metric; empty where the paper gives none.
  std::map<std::string, std::string, std::less<>> columns;
  double value = 0;  ///< as printed: shares and correlations in percent but in the tables of token geometry
};

/// Reads such a file: comma-separated, with the header
/// source,table,task,model,loss,dataset,batch_size,learning_rate,metric,value; lines that begin with # and empty lines
/// are left out. Throws InputError with file and line for another header, another number of fields, a value that is no
/// number, and quotation marks, which these files do without.
std::vector<PaperFigure> parse_paper_figures(std::string_view csv, std::string_view source_name);

/// Returns the text of one of these files, which the build compiles in.
std::string_view csv_of_gausscse();
std::string_view csv_of_isotropy();
std::string_view csv_of_liao();

/// Returns the numbers of all of them.
const std::vector<PaperFigure>& paper_figures();

/// Columns of these files by which a number is looked for ("model", "loss", ...) and their wanted values.
using PaperColumns = std::vector<std::pair<std::string, std::string>>;

/// Returns the number of a source and table whose columns all have the wanted values; numbers are compared as numbers,
/// so that 1e-5 is 1.0e-5. Nothing where there is none, or several that differ. Throws InputError for a column that is
/// not among task, model, loss, dataset, batch_size, learning_rate and metric.
std::optional<double> find_paper_figure(const std::vector<PaperFigure>& metrics, std::string_view source,
                                        std::string_view table, const PaperColumns& columns);

}  // namespace gausscse
