#include "parquet_plugin/plugin.hpp"

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
Value value_of(arrow::Result<Value> result) {
  if (!result.ok()) throw std::runtime_error(result.status().ToString());
  return std::move(result).ValueUnsafe();
}

template <typename Array>
Json element(const arrow::Array& array, std::int64_t row) {
  return static_cast<const Array&>(array).GetView(row);
}

Json json_of(const arrow::Array& array, std::int64_t row);

template <typename Array>
Json list_of(const arrow::Array& array, std::int64_t row) {
  const auto& lists = static_cast<const Array&>(array);
  Json list = Json::array();
  for (std::int64_t i = 0; i < lists.value_length(row); ++i)
    list.push_back(json_of(*lists.values(), lists.value_offset(row) + i));
  return list;
}

/// Returns the value of a row as the interface describes it.
Json json_of(const arrow::Array& array, std::int64_t row) {
  using Type = arrow::Type;
  if (array.IsNull(row)) return nullptr;
  switch (array.type_id()) {
    case Type::STRING:
      return element<arrow::StringArray>(array, row);
    case Type::BOOL:
      return element<arrow::BooleanArray>(array, row);
    case Type::INT8:
      return element<arrow::Int8Array>(array, row);
    case Type::INT16:
      return element<arrow::Int16Array>(array, row);
    case Type::INT32:
      return element<arrow::Int32Array>(array, row);
    case Type::INT64:
      return element<arrow::Int64Array>(array, row);
    case Type::UINT8:
      return element<arrow::UInt8Array>(array, row);
    case Type::UINT16:
      return element<arrow::UInt16Array>(array, row);
    case Type::UINT32:
      return element<arrow::UInt32Array>(array, row);
    case Type::UINT64:
      return element<arrow::UInt64Array>(array, row);
    case Type::FLOAT:
      return element<arrow::FloatArray>(array, row);
    case Type::DOUBLE:
      return element<arrow::DoubleArray>(array, row);
    case Type::LIST:
      return list_of<arrow::ListArray>(array, row);
    default:
      return Json{{"type", array.type()->ToString()}};
  }
}

/// Removes the types that Arrow had when it wrote the table: Parquet's own are enough, and some pages cannot be read as
/// the dictionaries that such types ask for.
void forget_arrow_schema(const parquet::FileMetaData& metadata) {
  const auto& keys = metadata.key_value_metadata();
  const std::string schema = "ARROW:schema";
  // No function of the metadata changes its keys, but they are no constant.
  if (keys && keys->Contains(schema)) (void)const_cast<arrow::KeyValueMetadata&>(*keys).Delete(schema);
}

void write_error(const std::exception& failure, char* error, std::size_t error_bytes) {
  std::snprintf(error, error_bytes, "%s", failure.what());
}

}  // namespace

struct GausscseParquet {
  explicit GausscseParquet(int descriptor) {
    const int own = dup(descriptor);
    if (own < 0) throw std::runtime_error("the file cannot be opened twice");
    auto properties = parquet::default_reader_properties();
    properties.set_page_checksum_verification(true);
    auto file = parquet::ParquetFileReader::Open(value_of(arrow::io::ReadableFile::Open(own)), properties);
    forget_arrow_schema(*file->metadata());
    reader = value_of(parquet::arrow::FileReader::Make(arrow::default_memory_pool(), std::move(file)));
    reader->set_batch_size(4096);
    batches = value_of(reader->GetRecordBatchReader());
  }

  /// Makes the text of the next batch; false after the last one.
  bool next_batch() {
    const std::shared_ptr<arrow::RecordBatch> batch = value_of(batches->Next());
    if (!batch) {
      // Arrow leaves out pages of a kind that it does not know.
      const std::int64_t counted = reader->parquet_reader()->metadata()->num_rows();
      if (rows != counted)
        throw std::runtime_error("it has " + std::to_string(rows) + " rows, but its footer counts " +
                                 std::to_string(counted));
      return false;
    }
    text.clear();
    given = 0;
    for (std::int64_t row = 0; row < batch->num_rows(); ++row, ++rows) {
      Json object = Json::object();
      for (int column = 0; column < batch->num_columns(); ++column)
        object[batch->column_name(column)] = json_of(*batch->column(column), row);
      try {
        text += object.dump();
      } catch (const Json::exception&) {
        throw std::runtime_error("row " + std::to_string(rows + 1) + ": a text is not UTF-8");
      }
      text += '\n';
    }
    return true;
  }

  std::size_t read(char* buffer, std::size_t capacity) {
    while (given == text.size())
      if (!next_batch()) return 0;
    const std::size_t count = text.copy(buffer, capacity, given);
    given += count;
    return count;
  }

  std::unique_ptr<parquet::arrow::FileReader> reader;
  std::unique_ptr<arrow::RecordBatchReader> batches;
  std::string text;       ///< rows of the batch
  std::size_t given = 0;  ///< bytes of it that were read
  std::int64_t rows = 0;  ///< written to texts so far
};

GausscseParquet* gausscse_parquet_open(int descriptor, char* error, std::size_t error_bytes) {
  try {
    return std::make_unique<GausscseParquet>(descriptor).release();
  } catch (const std::exception& failure) {
    write_error(failure, error, error_bytes);
    return nullptr;
  }
}

long gausscse_parquet_read(GausscseParquet* table, char* buffer, std::size_t capacity, char* error,
                           std::size_t error_bytes) {
  try {
    return static_cast<long>(table->read(buffer, capacity));
  } catch (const std::exception& failure) {
    write_error(failure, error, error_bytes);
    return -1;
  }
}

void gausscse_parquet_close(GausscseParquet* table) {
  std::unique_ptr<GausscseParquet>{table};
}
