#pragma once

#include "base/choice.hpp"

namespace gausscse {

namespace setting {

/// Interval of a cell's value, at 95%: by Student's distribution over its trials, Wilson's interval over items, or a
/// bootstrap over items.
enum class CellInterval { none, t, wilson, bootstrap };

}  // namespace setting

template <>
inline constexpr NameTable<setting::CellInterval, 4> names<setting::CellInterval>{
    {{setting::CellInterval::none, "none"},
     {setting::CellInterval::t, "t"},
     {setting::CellInterval::wilson, "wilson"},
     {setting::CellInterval::bootstrap, "bootstrap"}}};

/// Options of a table besides its settings.
struct TableOptions {
  setting::CellInterval interval = setting::CellInterval::none;
  bool holm = false;  ///< p of tests are corrected over the table before they are compared with the level
  bool paper = true;  ///< true if the paper's own numbers are printed, too, where the settings name a paper
  int threads = 1;    ///< threads of bootstraps; the table is the same for any number
};

}  // namespace gausscse
