#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/tables/study_table.hpp"

namespace gausscse {

/// Returns the cells of trials that compete. They have the same metric and the same labels on all of the table's axes
/// but the compared one. Where none is compared, they are all cells of a column. Groups and their cells in the table's
/// order.
std::vector<std::vector<CellPlace>> rival_cells(const StudyTable& table);

/// Returns a cell's label on an axis of the table. The axis is one of its rows or columns.
const std::string& label_of_cell(const StudyTable& table, CellPlace place, const std::string& axis);

/// Marks the best of each group of rivals, by the value that is printed; all of them where several print the same. Only
/// shares and correlations are marked (the highest is the best), and only where the rivals do not all print the same
/// value. A value of untrained states competes and is never marked: no lower value is the best then. So does the
/// highest of the trials' backbones; in its own row a backbone is marked where no cell of its column prints more.
void mark_best(StudyTable& table);

}  // namespace gausscse
