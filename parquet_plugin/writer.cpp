#include <arrow/api.h>
#include <arrow/io/file.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "parquet_plugin/plugin.hpp"

namespace {

void check(const arrow::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

template <typename Value>
Value checked(arrow::Result<Value> result) {
  check(result.status());
  return std::move(result).ValueUnsafe();
}

/// Does `work`; returns false, with the text of its exception, where it throws one.
template <typename Work>
bool is_done(const Work& work, char* error, std::size_t error_bytes) {
  try {
    work();
    return true;
  } catch (const std::exception& failure) {
    std::snprintf(error, error_bytes, "%s", failure.what());
    return false;
  }
}

}  // namespace

struct GausscseParquetWriter {
  GausscseParquetWriter(int descriptor, const char* const* names, std::size_t count, std::int64_t row_values)
      : width(row_values) {
    const auto element = arrow::field("element", arrow::float32(), false);
    list = arrow::fixed_size_list(element, static_cast<std::int32_t>(width));
    std::vector<std::shared_ptr<arrow::Field>> fields;
    for (std::size_t i = 0; i < count; ++i) fields.push_back(arrow::field(names[i], list, false));
    schema = arrow::schema(fields);
    const int own = dup(descriptor);
    if (own < 0) throw std::runtime_error("the file cannot be opened twice");
    stream = checked(arrow::io::FileOutputStream::Open(own));
    // The values of embeddings hardly repeat: neither a dictionary nor a codec makes them smaller.
    const auto properties = parquet::WriterProperties::Builder().disable_dictionary()->enable_page_checksum()->build();
    const auto arrow_properties = parquet::ArrowWriterProperties::Builder().store_schema()->build();
    file = checked(
        parquet::arrow::FileWriter::Open(*schema, arrow::default_memory_pool(), stream, properties, arrow_properties));
  }

  void write(const float* const* values, std::int64_t rows) {
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (int i = 0; i < schema->num_fields(); ++i) {
      const auto all = std::make_shared<arrow::FloatArray>(
          rows * width, arrow::Buffer::Wrap(values[i], static_cast<std::size_t>(rows * width)));
      columns.push_back(std::make_shared<arrow::FixedSizeListArray>(list, rows, all));
    }
    check(file->WriteTable(*arrow::Table::Make(schema, columns, rows), rows));
  }

  void finish(const char* const* keys, const char* const* values, std::size_t count) {
    const auto metadata = std::make_shared<arrow::KeyValueMetadata>();
    for (std::size_t i = 0; i < count; ++i) metadata->Append(keys[i], values[i]);
    check(file->AddKeyValueMetadata(metadata));
    check(file->Close());
    check(stream->Close());
  }

  std::int64_t width;
  std::shared_ptr<arrow::DataType> list;
  std::shared_ptr<arrow::Schema> schema;
  std::shared_ptr<arrow::io::FileOutputStream> stream;
  std::unique_ptr<parquet::arrow::FileWriter> file;
};

GausscseParquetWriter* gausscse_parquet_create(int descriptor, const char* const* names, std::size_t count,
                                               std::int64_t width, char* error, std::size_t error_bytes) {
  std::unique_ptr<GausscseParquetWriter> table;
  const auto create = [&] { table = std::make_unique<GausscseParquetWriter>(descriptor, names, count, width); };
  return is_done(create, error, error_bytes) ? table.release() : nullptr;
}

bool gausscse_parquet_write(GausscseParquetWriter* table, const float* const* values, std::int64_t rows, char* error,
                            std::size_t error_bytes) {
  return is_done([&] { table->write(values, rows); }, error, error_bytes);
}

bool gausscse_parquet_finish(GausscseParquetWriter* table, const char* const* keys, const char* const* values,
                             std::size_t count, char* error, std::size_t error_bytes) {
  return is_done([&] { table->finish(keys, values, count); }, error, error_bytes);
}

void gausscse_parquet_discard(GausscseParquetWriter* table) {
  std::unique_ptr<GausscseParquetWriter>{table};
}
