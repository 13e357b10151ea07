#pragma once

#include <memory>
#include <string>

#include "data/source/byte_source.hpp"

namespace gausscse {

/// Returns the rows of a Parquet table as JSON objects, one a line (parquet_plugin/plugin.hpp). The plug-in is loaded
/// when the first table is opened, from the folders of the program's run path: its build folder, or lib/gausscse of an
/// installed one. `name` is the file's, for messages. Throws InputError where there is no plug-in, with the line that
/// converts the table, or where the table cannot be read; a read throws InputError as well.
std::unique_ptr<ByteSource> open_parquet(std::unique_ptr<FileSource> file, std::string name);

}  // namespace gausscse
