#include "data/corpus/triples_reader.hpp"

#include <optional>
#include <utility>

#include "data/corpus/row_source.hpp"

namespace gausscse {

void for_each_triple(ByteSource& source, const std::string& name, BadLines bad_lines, bool trim, ReadReport& report,
                     const TripleSink& sink) {
  RowSource rows(source, name);
  rows.select("triples", {{{"sent0"}}, {{"sent1"}}, {{"hard_neg"}}});
  LineTally lines(name, bad_lines, report);
  std::optional<TripleTexts> triple;
  while (rows.next(lines, [&] { triple = {rows.sentence(0, trim), rows.sentence(1, trim), rows.sentence(2, trim)}; })) {
    ++report.pairs;
    sink(std::move(*triple));
  }
  lines.finish("triple");
}

void for_each_triple(const std::filesystem::path& path, BadLines bad_lines, bool trim, ReadReport& report,
                     const TripleSink& sink) {
  FileSource source(path);
  for_each_triple(source, path.string(), bad_lines, trim, report, sink);
}

}  // namespace gausscse
