#include "data/source/parquet_source.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "parquet_plugin/loaded_plugin.hpp"

namespace gausscse {

namespace {

/// Returns the line of Python that writes a table as JSON lines.
std::string conversion(const std::string& name) {
  return concat(
      "python3 -c 'import pandas, sys; pandas.read_parquet(sys.argv[1]).to_json(sys.argv[2], orient=\"records\", "
      "lines=True, force_ascii=False)' ",
      name, " ", std::filesystem::path(name).stem().string(), ".jsonl");
}

const ParquetPlugin& plugin_for(const std::string& name) {
  try {
    return parquet_plugin();
  } catch (const InputError& error) {
    throw InputError(
        concat(name, ": this is a Parquet table, but ", error.what(), ": or convert it: ", conversion(name)));
  }
}

class ParquetSource final : public ByteSource {
 public:
  ParquetSource(std::unique_ptr<FileSource> file, std::string name)
      : plugin_(plugin_for(name)), file_(std::move(file)), name_(std::move(name)) {
    table_ = plugin_.open(file_->descriptor(), error_.data(), error_.size());
    if (!table_) fail();
  }
  ParquetSource(const ParquetSource&) = delete;
  ParquetSource& operator=(const ParquetSource&) = delete;
  ~ParquetSource() override {
    if (table_) plugin_.close(table_);
  }

  std::size_t read(char* buffer, std::size_t capacity) override {
    const long count = plugin_.read(table_, buffer, capacity, error_.data(), error_.size());
    if (count < 0) fail();
    return static_cast<std::size_t>(count);
  }

 private:
  [[noreturn]] void fail() const {
    std::string why = error_.data();
    // Arrow's messages on damaged pages have several lines.
    std::replace(why.begin(), why.end(), '\n', ' ');
    while (why.ends_with('.') || why.ends_with(' ')) why.pop_back();
    throw InputError(concat(name_, ": the Parquet table cannot be read: ", why,
                            ": get it again, or convert it: ", conversion(name_)));
  }

  const ParquetPlugin& plugin_;
  std::unique_ptr<FileSource> file_;
  std::string name_;
  std::array<char, 1024> error_{};
  GausscseParquet* table_ = nullptr;
};

}  // namespace

std::unique_ptr<ByteSource> open_parquet(std::unique_ptr<FileSource> file, std::string name) {
  return std::make_unique<ParquetSource>(std::move(file), std::move(name));
}

}  // namespace gausscse
