#include "results/embeddings_layout.hpp"

#include <H5Cpp.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "results/hdf5_image.hpp"
#include "results/hdf5_values.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

/// More than HDF5 needs to describe a few matrices.
constexpr std::int64_t header_room = 16 << 10;

/// Fails where HDF5 would: HDF5 must not be the one to find out.
void check_room(const FileDescriptor& file, std::int64_t file_bytes, const fs::path& path) {
  if (::ftruncate(file.get(), file_bytes) != 0) {
    throw WriteError(concat(path.string(), ": cannot grow to ", file_bytes, " bytes: ", errno_text(errno)));
  }
  file_calls::write_all(file, std::string(header_room, '\0'), path);
  file_calls::sync(file, path);
}

H5::FileAccPropList unlocked_access() {
  H5::FileAccPropList access;
  // The name is the caller's alone, and some network file systems know no locks.
  H5Pset_file_locking(access.getId(), false, true);
  return access;
}

/// Creates the dataset and gives the place of its values in the file; -1 for one without values.
std::int64_t create_matrix(H5::H5File& file, const std::string& name, std::int64_t rows, std::int64_t columns) {
  const hsize_t shape[2] = {static_cast<hsize_t>(rows), static_cast<hsize_t>(columns)};
  H5::DSetCreatPropList properties = without_time();
  properties.setAllocTime(H5D_ALLOC_TIME_EARLY);
  properties.setFillTime(H5D_FILL_TIME_NEVER);
  const H5::DataSet data = file.createDataSet(name, H5::PredType::IEEE_F32LE, H5::DataSpace(2, shape), properties);
  return rows == 0 || columns == 0 ? -1 : static_cast<std::int64_t>(data.getOffset());
}

}  // namespace

std::vector<std::int64_t> lay_out_embeddings(const FileDescriptor& empty_file, const fs::path& path,
                                             const std::vector<std::string>& names, std::int64_t rows,
                                             std::int64_t columns) {
  const auto element_bytes = static_cast<std::int64_t>(names.size() * sizeof(float));
  const std::int64_t most_values = (std::numeric_limits<std::int64_t>::max() - header_room) / element_bytes;
  GAUSSCSE_CHECK(rows >= 0 && columns >= 0 && (columns == 0 || rows <= most_values / columns), rows, " x ", columns);
  check_room(empty_file, header_room + element_bytes * rows * columns, path);
  silence_hdf5();
  std::vector<std::int64_t> offsets;
  try {
    H5::H5File file(path.string(), H5F_ACC_TRUNC, H5::FileCreatPropList::DEFAULT, unlocked_access());
    for (const std::string& name : names) offsets.push_back(create_matrix(file, name, rows, columns));
    file.close();
  } catch (const H5::Exception& error) {
    throw WriteError(concat(path.string(), ": HDF5 cannot lay out the embeddings: ", hdf5_error_text(error)));
  }
  for (std::int64_t& offset : offsets)
    if (offset < 0) offset = static_cast<std::int64_t>(fs::file_size(path));
  return offsets;
}

}  // namespace gausscse
