#include "launcher/mined_output.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.hpp"

namespace gausscse {

namespace {

/// Returns a field of CSV in quotes, in which a quote is written twice.
std::string quoted_field(std::string_view text) {
  std::string field = "\"";
  for (const char letter : text) field.append(letter == '"' ? 2 : 1, letter);
  return field + "\"";
}

}  // namespace

MinedFormat mined_format(const std::filesystem::path& path) {
  const std::string suffix = path.extension().string();
  if (suffix == ".csv") return MinedFormat::csv;
  if (suffix == ".jsonl") return MinedFormat::jsonl;
  throw InputError(
      concat(path.string(), ": triples are not written as ", quoted(suffix), ": name the file .csv or .jsonl"));
}

MinedOutput mined_output(const MinedPairs& pairs, MinedFormat format) {
  MinedOutput output;
  if (format == MinedFormat::csv) output.bytes = "sent0,sent1,hard_neg\n";
  pairs.for_each_triple([&](const MinedTriple& triple) {
    ++output.triples;
    if (format == MinedFormat::csv)
      output.bytes += concat(quoted_field(triple.premise), ",", quoted_field(triple.entailed), ",",
                             quoted_field(triple.negative), "\n");
    else
      output.bytes +=
          nlohmann::ordered_json{{"sent0", triple.premise}, {"sent1", triple.entailed}, {"hard_neg", triple.negative}}
              .dump() +
          "\n";
  });
  return output;
}

}  // namespace gausscse
