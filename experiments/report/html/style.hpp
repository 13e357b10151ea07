#pragma once

#include <string_view>

namespace gausscse {

/// Returns the page's style sheet. Needs nothing from elsewhere: the fonts are those of the reader's system.
std::string_view report_style();

}  // namespace gausscse
