#include "results/hdf5_image.hpp"

#include <string>

#include "base/error.hpp"
#include "results/guarded_reading.hpp"
#include "results/hdf5_seal.hpp"
#include "results/hdf5_values.hpp"

namespace gausscse {

namespace {

/// Finds a link that is not hard: its name is kept, and the visit ends.
herr_t find_other_link(hid_t, const char* name, const H5L_info_t* link, void* found) {
  if (link->type == H5L_TYPE_HARD) return 0;
  *static_cast<std::string*>(found) = name;
  return 1;
}

/// Any name will do, there is no file.
constexpr const char* image_name = "image.h5";
constexpr std::size_t image_growth = std::size_t{1} << 20;

H5::FileAccPropList in_memory() {
  H5::FileAccPropList access;
  access.setCore(image_growth, false);
  return access;
}

herr_t keep_innermost(unsigned depth, const H5E_error2_t* error, void* text) {
  if (depth == 0 && error->desc) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

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

H5::H5File create_hdf5_image() {
  silence_hdf5();
  H5::FileCreatPropList creation;
  creation.setUserblock(hdf5_seal_bytes);
  return {image_name, H5F_ACC_TRUNC, creation, in_memory()};
}

std::string hdf5_image_bytes(H5::H5File& file) {
  file.flush(H5F_SCOPE_GLOBAL);
  const ssize_t size = H5Fget_file_image(file.getId(), nullptr, 0);
  GAUSSCSE_CHECK(size > 0, "HDF5 gives no image of a file in memory");
  std::string bytes(static_cast<std::size_t>(size), '\0');
  const ssize_t written = H5Fget_file_image(file.getId(), bytes.data(), bytes.size());
  GAUSSCSE_CHECK(written == size, "HDF5 gives ", written, " of ", size, " bytes");
  return sealed_hdf5(bytes);  // the image of a file with a user block begins behind that
}

H5::H5File open_hdf5_image(std::string_view bytes) {
  silence_hdf5();
  const H5::FileAccPropList access = in_memory();
  // HDF5 copies the buffer; the parameter is not const for other uses of the call.
  if (H5Pset_file_image(access.getId(), const_cast<char*>(bytes.data()), bytes.size()) < 0) {
    throw H5::FileIException("open_hdf5_image", "no memory for the file");
  }
  return {image_name, H5F_ACC_RDONLY, H5::FileCreatPropList::DEFAULT, access};
}

void check_holds_all(const H5::H5File& file) {
  std::string other;
  if (H5Lvisit(file.getId(), H5_INDEX_NAME, H5_ITER_NATIVE, find_other_link, &other) < 0)
    throw H5::FileIException("check_holds_all", "its links cannot be followed");
  if (!other.empty()) throw H5::FileIException("check_holds_all", other + " leads elsewhere");
}

void silence_hdf5() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

std::string hdf5_error_text() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &text);
  return text;
}

std::string hdf5_error_text(const H5::Exception& error) {
  const std::string cause = hdf5_error_text();
  return cause.empty() ? error.getDetailMsg() : concat(error.getDetailMsg(), ": ", cause);
}

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
