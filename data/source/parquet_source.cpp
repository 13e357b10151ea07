#include "data/source/parquet_source.hpp"

#include <dlfcn.h>

#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "data/parquet/plugin.hpp"

namespace gausscse {

namespace {

/// Functions of the plug-in; it stays loaded.
struct Plugin {
  decltype(&gausscse_parquet_open) open;
  decltype(&gausscse_parquet_read) read;
  decltype(&gausscse_parquet_close) close;
};

/// Returns the line of Python that writes a table as JSON lines.
std::string conversion(const std::string& name) {
  return concat(
      "python3 -c 'import pandas, sys; pandas.read_parquet(sys.argv[1]).to_json(sys.argv[2], orient=\"records\", "
      "lines=True, force_ascii=False)' ",
      name, " ", std::filesystem::path(name).stem().string(), ".jsonl");
}

template <typename Function>
void find_symbol(void* library, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, symbol));
  if (!function) throw InputError(concat("the plug-in that reads it lacks ", symbol));
}

/// Loads the plug-in from the folders that the program's run path names: its build folder, or its lib/gausscse.
Plugin load_plugin() {
  void* library = ::dlopen("libgausscse_parquet.so", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw InputError(concat("the plug-in that reads it is not there (", ::dlerror(),
                            "): build again after scripts/setup.sh, which installs the Arrow libraries that it takes"));
  Plugin plugin{};
  find_symbol(library, "gausscse_parquet_open", plugin.open);
  find_symbol(library, "gausscse_parquet_read", plugin.read);
  find_symbol(library, "gausscse_parquet_close", plugin.close);
  return plugin;
}

const Plugin& plugin_for(const std::string& name) {
  try {
    static const Plugin plugin = load_plugin();
    return plugin;
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
    std::string_view why = error_.data();
    while (why.ends_with('.') || why.ends_with('\n')) why.remove_suffix(1);
    throw InputError(concat(name_, ": the Parquet table cannot be read: ", why,
                            ": get it again, or convert it: ", conversion(name_)));
  }

  const Plugin& plugin_;
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
