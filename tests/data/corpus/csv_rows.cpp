// Reads texts, each after its length (4 bytes, little-endian), from standard input; prints for each the rows that
// CsvReader reads of it, as JSON, or of what it complains: "open", a quote, or "follows", text behind a closing quote.
// Ends with 3 if it reads others a byte at a time. See tests/golden/corpus/compare_csv.py.
#include <cstdint>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "data/corpus/text_readers.hpp"
#include "tests/data/corpus/one_byte_source.hpp"

namespace {

nlohmann::json rows_of(gausscse::ByteSource&& source) {
  nlohmann::json rows = nlohmann::json::array();
  try {
    gausscse::CsvReader reader(source, "standard input");
    for (std::vector<std::string_view> fields; reader.next(fields);) rows.push_back(fields);
  } catch (const gausscse::InputError& error) {
    const std::string_view text = error.what();
    return text.find("is opened here and not closed") != text.npos              ? "open"
           : text.find("follows the quote (\") that ends a field") != text.npos ? "follows"
                                                                                : text;
  }
  return rows;
}

}  // namespace

int main() {
  unsigned char length[4];
  while (std::cin.read(reinterpret_cast<char*>(length), sizeof length)) {
    const std::uint32_t size = length[0] | length[1] << 8 | length[2] << 16 | std::uint32_t{length[3]} << 24;
    std::string text(size, '\0');
    if (!std::cin.read(text.data(), size)) return 2;
    const nlohmann::json rows = rows_of(gausscse::MemorySource(text));
    if (rows_of(gausscse::OneByteSource(text)) != rows) return 3;
    std::cout << rows.dump() << "\n";
  }
  return std::cin.eof() ? 0 : 2;
}
