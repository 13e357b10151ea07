#include "parquet_plugin/loaded_plugin.hpp"

#include <dlfcn.h>

#include "base/error.hpp"

namespace gausscse {

namespace {

template <typename Function>
void find_symbol(void* library, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, symbol));
  if (!function) throw InputError(concat("the plug-in for such tables lacks ", symbol));
}

ParquetPlugin load_parquet_plugin() {
  void* library = ::dlopen("libgausscse_parquet.so", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw InputError(concat("the plug-in for such tables is not there (", ::dlerror(),
                            "): build again after scripts/setup.sh, which installs the Arrow libraries that it takes"));
  ParquetPlugin plugin{};
  find_symbol(library, "gausscse_parquet_open", plugin.open);
  find_symbol(library, "gausscse_parquet_read", plugin.read);
  find_symbol(library, "gausscse_parquet_close", plugin.close);
  find_symbol(library, "gausscse_parquet_create", plugin.create);
  find_symbol(library, "gausscse_parquet_write", plugin.write);
  find_symbol(library, "gausscse_parquet_finish", plugin.finish);
  find_symbol(library, "gausscse_parquet_discard", plugin.discard);
  return plugin;
}

}  // namespace

const ParquetPlugin& parquet_plugin() {
  static const ParquetPlugin plugin = load_parquet_plugin();
  return plugin;
}

}  // namespace gausscse
