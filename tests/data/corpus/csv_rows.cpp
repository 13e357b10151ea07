// Reads texts, each after its length (4 bytes, little-endian), from standard input; prints for each the rows that
// CsvReader reads, as JSON, or null if a quote stays open. See tests/golden/corpus/compare_csv.py.
#include <cstdint>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "data/corpus/text_readers.hpp"

int main() {
  unsigned char length[4];
  while (std::cin.read(reinterpret_cast<char*>(length), sizeof length)) {
    const std::uint32_t size = length[0] | length[1] << 8 | length[2] << 16 | std::uint32_t{length[3]} << 24;
    std::string text(size, '\0');
    if (!std::cin.read(text.data(), size)) return 2;
    gausscse::MemorySource source(text);
    nlohmann::json rows = nlohmann::json::array();
    std::vector<std::string_view> fields;
    try {
      gausscse::CsvReader reader(source, "standard input");
      while (reader.next(fields)) rows.push_back(fields);
    } catch (const gausscse::InputError&) {
      rows = nullptr;
    }
    std::cout << rows.dump() << "\n";
  }
  return std::cin.eof() ? 0 : 2;
}
