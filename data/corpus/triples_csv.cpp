#include "data/corpus/triples_csv.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "data/corpus/csv_reader.hpp"
#include "data/corpus/sentence.hpp"

namespace gausscse {

namespace {

TripleTexts parse_row(const std::vector<std::string>& fields, bool trim) {
  if (fields.size() != 3) {
    throw InputError(concat("the row has ", fields.size(),
                            " fields where sent0,sent1,hard_neg are three: put a sentence with a comma in quotes"));
  }
  return {std::string(checked_sentence(fields[0], "sent0", trim)),
          std::string(checked_sentence(fields[1], "sent1", trim)),
          std::string(checked_sentence(fields[2], "hard_neg", trim))};
}

}  // namespace

void for_each_triple(ByteSource& source, const std::string& name, BadLines bad_lines, bool trim, ReadReport& report,
                     const TripleSink& sink) {
  CsvReader reader(source, name);
  std::vector<std::string> fields;
  const auto next = [&] {
    while (reader.next(fields)) {
      if (!fields.empty()) return true;
    }
    return false;
  };
  const auto place = [&] { return at_line(name, reader.line_number()); };
  if (!next()) throw InputError(concat(name, ": the corpus is empty: check that the file is whole"));
  if (fields != std::vector<std::string>{"sent0", "sent1", "hard_neg"}) {
    std::string header;
    for (const std::string& field : fields) {
      header += (header.empty() ? "" : ",") + field;
      if (header.size() > 200) break;
    }
    throw InputError(concat(place(), ": the header is ", quoted(header),
                            "; a triples CSV begins with sent0,sent1,hard_neg (premise, entailed, contradicted)"));
  }
  std::size_t kept = 0;
  std::size_t bad = 0;
  while (next()) {
    TripleTexts triple;
    if (!report.read_line(bad_lines, name, reader.line_number(), [&] { triple = parse_row(fields, trim); })) {
      ++bad;
      continue;
    }
    ++kept;
    ++report.pairs;
    sink(std::move(triple));
  }
  if (kept == 0) {
    throw InputError(
        concat(name, ": no usable triple: ", bad, " bad rows were skipped: check that it is the right file"));
  }
}

void for_each_triple(const std::filesystem::path& path, BadLines bad_lines, bool trim, ReadReport& report,
                     const TripleSink& sink) {
  FileSource source(path);
  for_each_triple(source, path.string(), bad_lines, trim, report, sink);
}

}  // namespace gausscse
