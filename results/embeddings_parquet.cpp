#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "parquet_plugin/loaded_plugin.hpp"
#include "results/embeddings_output.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

class ParquetOutput final : public EmbeddingsOutput {
 public:
  ParquetOutput(const FileDescriptor& file, fs::path path, const EmbeddingsShape& shape)
      : plugin_(parquet_plugin()), path_(std::move(path)), columns_(shape.columns) {
    std::vector<const char*> names;
    for (const std::string& name : shape.names) names.push_back(name.c_str());
    table_ = plugin_.create(file.get(), names.data(), names.size(), shape.columns, error_.data(), error_.size());
    if (!table_) fail();
  }
  ParquetOutput(const ParquetOutput&) = delete;
  ParquetOutput& operator=(const ParquetOutput&) = delete;
  ~ParquetOutput() override { plugin_.discard(table_); }

  void append(const std::vector<std::span<const float>>& rows) override {
    std::vector<const float*> values;
    for (const std::span<const float> of_dataset : rows) values.push_back(of_dataset.data());
    const auto count = static_cast<std::int64_t>(rows.front().size()) / columns_;
    if (!plugin_.write(table_, values.data(), count, error_.data(), error_.size())) fail();
  }

  void finish(const EmbeddingsAttributes& attributes) override {
    const std::map<std::string, std::string> texts = texts_of(attributes);
    std::vector<const char*> keys, values;
    for (const auto& [key, value] : texts) {
      keys.push_back(key.c_str());
      values.push_back(value.c_str());
    }
    if (!plugin_.finish(table_, keys.data(), values.data(), keys.size(), error_.data(), error_.size())) fail();
  }

 private:
  [[noreturn]] void fail() const {
    std::string_view why = error_.data();
    while (why.ends_with('.') || why.ends_with('\n')) why.remove_suffix(1);
    throw WriteError(concat("cannot write ", path_.string(), ": ", why));
  }

  const ParquetPlugin& plugin_;
  fs::path path_;
  std::int64_t columns_;
  std::array<char, 1024> error_{};
  GausscseParquetWriter* table_ = nullptr;
};

}  // namespace

std::unique_ptr<EmbeddingsOutput> make_parquet_output(const FileDescriptor& file, const fs::path& path,
                                                      const EmbeddingsShape& shape) {
  return std::make_unique<ParquetOutput>(file, path, shape);
}

}  // namespace gausscse
