#include "results/hdf5_format.hpp"

#include <string>

#include "base/error.hpp"
#include "results/guarded_reading.hpp"
#include "results/hdf5_image.hpp"
#include "results/hdf5_seal.hpp"
#include "results/hdf5_values.hpp"

namespace gausscse {

namespace {

/// Returns an empty value where there is none.
std::string format_of(std::string_view bytes) {
  try {
    const H5::H5File file = open_hdf5_image(bytes);
    return read_text_attribute(file.openGroup("/"), "format");
  } catch (const H5::Exception&) {
    return {};
  }
}

}  // namespace

bool has_hdf5_format(std::string_view bytes, std::string_view format) {
  switch (seal_of(bytes)) {
    case Hdf5Seal::whole:
      return format_of(bytes).starts_with(format);
    case Hdf5Seal::absent:
      try {
        return computed_apart(time_to_read(bytes.size()), [&] { return format_of(bytes); }).starts_with(format);
      } catch (const InputError&) {
        return false;
      }
    case Hdf5Seal::broken:
    case Hdf5Seal::no_hdf5:
      return false;
  }
  return false;
}

}  // namespace gausscse
