#include "results/embeddings_file.hpp"

#include <H5Cpp.h>
#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "base/temporary_name.hpp"
#include "results/hdf5_image.hpp"
#include "results/hdf5_values.hpp"
#include "results/little_endian.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "rows are written as they lie in memory");

std::string_view bytes_of(std::span<const float> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

void move_to(const FileDescriptor& file, std::int64_t offset, const fs::path& path) {
  if (::lseek(file.get(), offset, SEEK_SET) != offset) {
    throw WriteError(concat(path.string(), ": cannot move in it: ", errno_text(errno)));
  }
}

/// Returns a header of version 1.0: magic, a text that is a Python dict, and the values from a multiple of 64 on.
std::string npy_header(std::int64_t rows, std::int64_t columns) {
  constexpr std::size_t before_text = 10, alignment = 64;
  std::string text = concat("{'descr': '<f4', 'fortran_order': False, 'shape': (", rows, ", ", columns, "), }");
  const std::size_t used = before_text + text.size() + 1;
  text += std::string((alignment - used % alignment) % alignment, ' ') + "\n";
  return concat(std::string_view("\x93NUMPY\x01\x00", 8), little_endian(text.size(), 2), text);
}

/// Returns the size of a JSON text in eight bytes, and the text, padded to a multiple of eight.
std::string safetensors_header(const std::vector<std::string>& names, std::int64_t rows, std::int64_t columns) {
  const std::int64_t bytes = rows * columns * static_cast<std::int64_t>(sizeof(float));
  std::string text = "{";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto begin = static_cast<std::int64_t>(i) * bytes;
    text += concat(i == 0 ? "" : ",", "\"", names[i], "\":{\"dtype\":\"F32\",\"shape\":[", rows, ",", columns,
                   "],\"data_offsets\":[", begin, ",", begin + bytes, "]}");
  }
  text += "}";
  text += std::string((8 - text.size() % 8) % 8, ' ');
  return little_endian(text.size(), 8) + text;
}

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

EmbeddingsWriter::EmbeddingsWriter(const fs::path& path, const std::vector<std::string>& names, std::int64_t sentences,
                                   std::int64_t dimension)
    : path_(path), temporary_(temporary_sibling(path)), sentences_(sentences), dimension_(dimension) {
  const EmbeddingsFormat format = embeddings_format(path, names.size());
  datasets_.push_back(file_calls::create_file(temporary_));
  try {
    const std::vector<std::int64_t> offsets =
        format == EmbeddingsFormat::hdf5
            ? lay_out_embeddings(datasets_.front(), temporary_, names, sentences, dimension)
            : lay_out_arrays(format, datasets_.front(), temporary_, names, sentences, dimension);
    // A descriptor each, because those that share an open file share its position.
    while (datasets_.size() < names.size()) {
      datasets_.emplace_back(::open(temporary_.c_str(), O_WRONLY | O_CLOEXEC));
      if (datasets_.back().get() < 0)
        throw WriteError(concat(temporary_.string(), ": cannot be opened: ", errno_text(errno)));
    }
    for (std::size_t i = 0; i < datasets_.size(); ++i) move_to(datasets_[i], offsets[i], temporary_);
  } catch (...) {
    ::unlink(temporary_.c_str());
    throw;
  }
}

EmbeddingsWriter::~EmbeddingsWriter() {
  if (!committed_) ::unlink(temporary_.c_str());
}

void EmbeddingsWriter::append(const std::vector<std::span<const float>>& rows) {
  GAUSSCSE_CHECK(rows.size() == datasets_.size(), rows.size(), " of ", datasets_.size());
  const std::size_t values = rows.front().size();
  for (const std::span<const float> of_dataset : rows)
    GAUSSCSE_CHECK(of_dataset.size() == values, of_dataset.size(), " and ", values);
  if (values == 0) return;
  GAUSSCSE_CHECK(!committed_ && dimension_ > 0, values, " values");
  const auto count = static_cast<std::int64_t>(values) / dimension_;
  GAUSSCSE_CHECK(static_cast<std::size_t>(count * dimension_) == values && count <= sentences_ - written_, values,
                 " values after row ", written_, " of ", sentences_);
  for (std::size_t i = 0; i < rows.size(); ++i) file_calls::write_all(datasets_[i], bytes_of(rows[i]), temporary_);
  written_ += count;
}

void EmbeddingsWriter::commit() {
  GAUSSCSE_CHECK(!committed_ && (written_ == sentences_ || dimension_ == 0), written_, " of ", sentences_);
  for (std::size_t i = datasets_.size() - 1; i > 0; --i) file_calls::close(std::move(datasets_[i]), temporary_);
  file_calls::sync(datasets_.front(), temporary_);
  file_calls::close(std::move(datasets_.front()), temporary_);
  const fs::path folder_path = file_calls::folder_of(path_);
  const FileDescriptor folder = file_calls::open_for_sync(folder_path);
  file_calls::rename(temporary_, path_);
  committed_ = true;
  try {
    file_calls::sync(folder, folder_path);
  } catch (const WriteError& error) {
    throw WriteError(concat(error.what(), "; ", path_.string(), " is written, but a power loss may undo it"));
  }
}

EmbeddingsFormat embeddings_format(const fs::path& path, std::size_t datasets) {
  const std::string suffix = path.extension().string();
  if (suffix == ".npy" && datasets > 1)
    throw InputError(concat(path.string(),
                            ": a .npy file holds one array, and this model gives a mean and a "
                            "log-variance: name it .h5, .hdf5 or .safetensors"));
  if (suffix == ".npy") return EmbeddingsFormat::npy;
  if (suffix == ".safetensors") return EmbeddingsFormat::safetensors;
  if (suffix.empty() || suffix == ".h5" || suffix == ".hdf5") return EmbeddingsFormat::hdf5;
  throw InputError(
      concat(path.string(), ": embeddings are not written as ", quoted(suffix),
             ": name the file .h5 or .hdf5 (HDF5), .safetensors, or .npy (of models that are not Gaussian)"));
}

std::vector<std::int64_t> lay_out_arrays(EmbeddingsFormat format, const FileDescriptor& empty_file,
                                         const fs::path& path, const std::vector<std::string>& names, std::int64_t rows,
                                         std::int64_t columns) {
  GAUSSCSE_CHECK(format == EmbeddingsFormat::safetensors || names.size() == 1, names.size(), " datasets");
  const std::string header =
      format == EmbeddingsFormat::npy ? npy_header(rows, columns) : safetensors_header(names, rows, columns);
  const std::int64_t bytes = rows * columns * static_cast<std::int64_t>(sizeof(float));
  const auto count = static_cast<std::int64_t>(names.size());
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i < count; ++i) offsets.push_back(static_cast<std::int64_t>(header.size()) + i * bytes);
  const std::int64_t whole = static_cast<std::int64_t>(header.size()) + count * bytes;
  if (::ftruncate(empty_file.get(), whole) != 0)
    throw WriteError(concat(path.string(), ": cannot grow to ", whole, " bytes: ", errno_text(errno)));
  file_calls::write_all(empty_file, header, path);
  return offsets;
}

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
