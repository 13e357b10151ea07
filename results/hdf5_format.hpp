#pragma once

#include <string_view>

namespace gausscse {

/// Returns whether `bytes` are a whole HDF5 file whose attribute `format` begins with `format`. Safe for any bytes.
bool has_hdf5_format(std::string_view bytes, std::string_view format);

}  // namespace gausscse
