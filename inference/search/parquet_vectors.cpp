#include "inference/search/parquet_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/file_kind.hpp"
#include "base/strict_json.hpp"
#include "base/temporary_name.hpp"
#include "data/corpus/text_readers.hpp"
#include "data/source/text_source.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

/// Rows of a table, each as the text of a JSON object.
class TableRows {
 public:
  explicit TableRows(const fs::path& path) : source_(path), lines_(source_, path.string()) {}
  bool next(std::string_view& row) { return lines_.next(row); }
  /// Returns the number of the last row, from 0.
  std::uint64_t number() const { return lines_.line_number() - 1; }

 private:
  TextSource source_;
  LineReader lines_;
};

/// Returns the name of the column that has the vectors.
std::string vector_column(const nlohmann::json& row, const fs::path& path) {
  std::vector<std::string> lists;
  for (const auto& [name, value] : row.items())
    if (value.is_array()) lists.push_back(name);
  if (std::find(lists.begin(), lists.end(), "embedding") != lists.end()) return "embedding";
  if (lists.size() == 1) return lists.front();
  throw InputError(concat(path.string(), ": has ", lists.size(),
                          " columns of lists, none of them called \"embedding\": write the vectors into that column"));
}

/// Sets `values` to the vector of a row.
void read_row(const nlohmann::json& row, const std::string& column, const std::string& place,
              std::vector<float>& values) {
  const auto fail = [&](const auto&... why) {
    throw InputError(concat(place, why..., ": compute the vector again, or leave its sentence out; rows count from 0"));
  };
  const auto list = row.find(column);
  if (list == row.end() || !list->is_array()) fail(quoted(column), " is no list of numbers");
  if (list->size() != values.size()) fail("has ", list->size(), " values, the first row has ", values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(*list)[i].is_number()) fail("value ", i, " is not a finite number");
    values[i] = (*list)[i].get<float>();
    if (!std::isfinite(values[i])) fail("value ", i, " is not a finite number of float32");
  }
}

}  // namespace

bool is_parquet(const fs::path& path) {
  const OpenFile file = open_regular_file(path);
  char bytes[file_kind_bytes];
  const FileKind* kind = find_file_kind({bytes, read_some(file, bytes, sizeof bytes, path)});
  return kind && kind->name == parquet_kind;
}

EmbeddingsReader open_parquet_vectors(const fs::path& path) {
  std::string column;
  std::vector<float> values;
  std::int64_t count = 0;
  {
    TableRows rows(path);
    for (std::string_view row; rows.next(row); ++count) {
      if (count > 0) continue;
      const JsonDocument first = parse_strict_json(row, path.string());
      column = vector_column(first, path);
      values.resize(first->at(column).size());
    }
  }
  if (count == 0) throw InputError(concat(path.string(), ": has no rows: give the vectors of some sentences"));
  const fs::path copy = temporary_sibling(fs::temp_directory_path() / "gausscse-vectors").concat(".npy");
  const RemovedAtEnd removed(copy);
  EmbeddingsWriter writer(copy, {"embedding"}, count, static_cast<std::int64_t>(values.size()));
  TableRows rows(path);
  for (std::string_view row; rows.next(row);) {
    const std::string place = concat(path.string(), ": row ", rows.number(), ": ");
    read_row(parse_strict_json(row, place), column, place, values);
    writer.append({values});
  }
  writer.commit();
  return EmbeddingsReader(copy);
}

}  // namespace gausscse
