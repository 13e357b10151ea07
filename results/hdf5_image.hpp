#pragma once

#include <H5Cpp.h>

#include <string>
#include <string_view>

namespace gausscse {

/// Returns an HDF5 file that lives in memory and is never on a disk under HDF5's control.
H5::H5File create_hdf5_image();
/// Returns the bytes of a file with the image's content, sealed (see `hdf5_seal_bytes`).
std::string hdf5_image_bytes(H5::H5File& file);
/// Returns a file in memory, for reading, with a copy of `bytes`, which must have been verified: HDF5 may crash on
/// others. Throws H5::Exception where they are not HDF5.
H5::H5File open_hdf5_image(std::string_view bytes);
/// Throws H5::Exception where a soft or external link in the file leads elsewhere.
void check_holds_all(const H5::H5File& file);

/// Keeps HDF5 from printing its errors; they come as exceptions or statuses.
void silence_hdf5();
/// Returns HDF5's own message on the last error, the innermost cause.
std::string hdf5_error_text();
/// Returns HDF5's own error behind the message of the exception.
std::string hdf5_error_text(const H5::Exception& error);

/// Returns whether `bytes` are a whole HDF5 file whose attribute `format` begins with `format`. Safe for any bytes.
bool has_hdf5_format(std::string_view bytes, std::string_view format);

}  // namespace gausscse
