#include "data/corpus/read_report.hpp"

#include <utility>

#include "base/error.hpp"

namespace gausscse {

void ReadReport::bad_line(BadLines mode, std::string message) {
  if (mode == BadLines::error) throw InputError(message);
  ++bad_lines;
  if (bad_line_messages.size() < max_messages) bad_line_messages.push_back(std::move(message));
}

}  // namespace gausscse
