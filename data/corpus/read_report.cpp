#include "data/corpus/read_report.hpp"

#include <utility>

namespace gausscse {

void ReadReport::bad_line(BadLines mode, std::string message) {
  if (mode == BadLines::error) throw BadLine(message);
  ++bad_lines;
  if (bad_line_messages.size() < max_messages) bad_line_messages.push_back(std::move(message));
}

}  // namespace gausscse
