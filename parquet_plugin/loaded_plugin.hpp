#pragma once

#include "parquet_plugin/plugin.hpp"

namespace gausscse {

/// Functions of the plug-in parquet_plugin/.
struct ParquetPlugin {
  decltype(&gausscse_parquet_open) open;
  decltype(&gausscse_parquet_read) read;
  decltype(&gausscse_parquet_close) close;
  decltype(&gausscse_parquet_create) create;
  decltype(&gausscse_parquet_write) write;
  decltype(&gausscse_parquet_finish) finish;
  decltype(&gausscse_parquet_discard) discard;
};

/// Returns the plug-in, which stays loaded from the first call on: from the folders that the program's run path names,
/// its build folder, or its lib/gausscse. Throws InputError, with the remedy, where it is not there.
const ParquetPlugin& parquet_plugin();

}  // namespace gausscse
