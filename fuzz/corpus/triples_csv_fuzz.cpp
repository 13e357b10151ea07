// Triples CSV. Rows that are read, written again with every field in quotes, must read the same.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "data/corpus/corpus_readers.hpp"
#include "data/corpus/text_readers.hpp"

namespace {

using namespace gausscse;

using Rows = std::vector<std::vector<std::string>>;

void check(bool holds) {
  if (!holds) std::abort();
}

Rows rows_of(std::string_view text) {
  MemorySource source(text);
  CsvReader reader(source, "fuzz");
  Rows rows;
  std::size_t line = 0;
  for (std::vector<std::string_view> fields; reader.next(fields);) {
    check(reader.line_number() > line);
    line = reader.line_number();
    rows.emplace_back(fields.begin(), fields.end());
  }
  return rows;
}

std::string written(const Rows& rows) {
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += i > 0 ? ",\"" : "\"";
      for (const char c : row[i]) text.append(c == '"' ? 2 : 1, c);
      text += '"';
    }
    text += "\r\n";
  }
  return text;
}

std::size_t read_triples(const std::string& text, BadLines bad_lines, ReadReport& report) {
  std::size_t triples = 0;
  MemorySource source(text);
  for_each_triple(source, "fuzz", {.bad_lines = bad_lines}, report, [&](const TripleTexts& triple) {
    check(!triple.premise.empty() && !triple.entailment.empty() && !triple.contradiction.empty());
    ++triples;
  });
  return triples;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Rows rows = rows_of(text);
    check(rows_of(written(rows)) == rows);
  } catch (const InputError&) {
  }
  const std::string file = std::string("sent0,sent1,hard_neg\n").append(text);
  ReadReport skipping;
  std::size_t triples = 0;
  bool whole = true;
  try {
    triples = read_triples(file, BadLines::skip, skipping);
  } catch (const InputError&) {
    whole = false;
  }
  try {
    ReadReport strict;
    check(read_triples(file, BadLines::error, strict) == triples && whole && skipping.bad_lines == 0);
  } catch (const InputError&) {
    check(!whole || skipping.bad_lines > 0);
  }
  return 0;
}
