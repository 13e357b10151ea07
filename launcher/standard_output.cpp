#include "launcher/standard_output.hpp"

#include <cstdio>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace gausscse {

void print_answer(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw WriteError("standard output: cannot be written to");
}

void print_text(const std::string& text) {
  print_answer(visible_lines(text));
}

void print_warning(const std::string& text) {
  std::fprintf(stderr, "gausscse: warning: %s\n", visible_text(text).c_str());
}

bool is_standard_output(const std::string& path) {
  return path == "-";
}

void write_report(const std::string& path, const std::string& report) {
  if (is_standard_output(path))
    print_answer(report);
  else
    write_file_atomically(path, report);
}

}  // namespace gausscse
