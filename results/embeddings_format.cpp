#include "results/embeddings_format.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "base/file_calls.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>((value >> (8 * i)) & 0xff);
  return text;
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

}  // namespace

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

}  // namespace gausscse
