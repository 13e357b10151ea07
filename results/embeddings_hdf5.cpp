#include <H5Cpp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/file_calls.hpp"
#include "results/embeddings_output.hpp"
#include "results/hdf5_image.hpp"
#include "results/hdf5_values.hpp"
#include "results/little_endian.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

/// More than HDF5 needs to describe a few matrices, without the texts of attributes.
constexpr std::int64_t header_room = 16 << 10;

/// Value of the first count until the final one is written in its place; no text has these bytes, one of which is 0.
constexpr std::int64_t first_placeholder = 0x7f00'6773'73c3'0100;

/// Fails where HDF5 would: HDF5 must not be the one to find out.
void check_room(const FileDescriptor& file, std::int64_t file_bytes, std::size_t header_bytes, const fs::path& path) {
  grow_file(file, file_bytes, path);
  file_calls::write_all(file, std::string(header_bytes, '\0'), path);
  file_calls::sync(file, path);
}

H5::FileAccPropList unlocked_access() {
  H5::FileAccPropList access;
  // The name is the caller's alone, and some network file systems know no locks.
  H5Pset_file_locking(access.getId(), false, true);
  return access;
}

/// Creates the dataset and gives the place of its values in the file; -1 for one without values.
std::int64_t create_matrix(H5::H5File& file, const std::string& name, const EmbeddingsShape& of) {
  const hsize_t shape[2] = {static_cast<hsize_t>(of.rows), static_cast<hsize_t>(of.columns)};
  H5::DSetCreatPropList properties = without_time();
  properties.setAllocTime(H5D_ALLOC_TIME_EARLY);
  properties.setFillTime(H5D_FILL_TIME_NEVER);
  const H5::DataSet data = file.createDataSet(name, H5::PredType::IEEE_F32LE, H5::DataSpace(2, shape), properties);
  return of.rows == 0 || of.columns == 0 ? -1 : static_cast<std::int64_t>(data.getOffset());
}

class Hdf5Layout final : public EmbeddingsLayout {
 public:
  Hdf5Layout(const FileDescriptor& empty_file, const fs::path& path, const EmbeddingsShape& shape,
             const EmbeddingsAttributes& attributes) {
    std::size_t header_bytes = header_room;
    for (const auto& [name, text] : texts_of(attributes)) header_bytes += 2 * (name.size() + text.size()) + 512;
    const auto element_bytes = static_cast<std::int64_t>(shape.names.size() * sizeof(float));
    const std::int64_t most_values = (std::numeric_limits<std::int64_t>::max() - header_room) / element_bytes;
    GAUSSCSE_CHECK(
        shape.rows >= 0 && shape.columns >= 0 && (shape.columns == 0 || shape.rows <= most_values / shape.columns),
        shape.rows, " x ", shape.columns);
    check_room(empty_file,
               static_cast<std::int64_t>(header_bytes) + static_cast<std::int64_t>(shape.names.size()) * shape.bytes(),
               header_bytes, path);
    silence_hdf5();
    try {
      H5::H5File file(path.string(), H5F_ACC_TRUNC, H5::FileCreatPropList::DEFAULT, unlocked_access());
      // Attributes come first, so that they lie before the values.
      H5::Group root = file.openGroup("/");
      std::int64_t placeholder = first_placeholder;
      for (const auto& [name, count] : attributes.counts) write_attribute(root, name, placeholder++);
      for (const auto& [name, text] : attributes.texts) write_text_attribute(root, name, text);
      for (const std::string& name : shape.names) offsets_.push_back(create_matrix(file, name, shape));
      file.close();
    } catch (const H5::Exception& error) {
      throw WriteError(concat(path.string(), ": HDF5 cannot lay out the embeddings: ", hdf5_error_text(error)));
    }
    const auto end = static_cast<std::int64_t>(fs::file_size(path));
    for (std::int64_t& offset : offsets_)
      if (offset < 0) offset = end;
    find_places(path, attributes);
  }

  std::vector<PlacedBytes> ending(const EmbeddingsAttributes& attributes) override {
    std::vector<PlacedBytes> placed;
    for (const auto& [name, count] : attributes.counts)
      placed.push_back({places_[placed.size()], little_endian(static_cast<std::uint64_t>(count), 8)});
    if (places_.size() > placed.size()) placed.push_back({places_.back(), attributes.texts.at(embeddings_seal)});
    return placed;
  }

 private:
  /// Finds the places where HDF5 put the counts and the checksum, which have placeholders now.
  void find_places(const fs::path& path, const EmbeddingsAttributes& attributes) {
    std::vector<std::string> placeholders;
    for (std::size_t i = 0; i < attributes.counts.size(); ++i)
      placeholders.push_back(little_endian(static_cast<std::uint64_t>(first_placeholder) + i, 8));
    if (const auto seal = attributes.texts.find(embeddings_seal); seal != attributes.texts.end())
      placeholders.push_back(seal->second);
    if (placeholders.empty()) return;
    const OpenFile file = open_regular_file(path);
    std::string header(static_cast<std::size_t>(*std::ranges::min_element(offsets_)), '\0');
    std::size_t used = 0;
    while (const std::size_t got = read_some(file, header.data() + used, header.size() - used, path)) used += got;
    for (const std::string& bytes : placeholders) {
      const std::size_t place = header.find(bytes);
      GAUSSCSE_CHECK(place != std::string::npos && header.find(bytes, place + 1) == std::string::npos,
                     "HDF5 lays out attributes in another way: ", place);
      places_.push_back(static_cast<std::int64_t>(place));
    }
  }

  std::vector<std::int64_t> places_;  ///< places of the counts in their order, and of the checksum if there is one
};

}  // namespace

std::unique_ptr<EmbeddingsLayout> lay_out_hdf5(const FileDescriptor& file, const fs::path& path,
                                               const EmbeddingsShape& shape, const EmbeddingsAttributes& attributes) {
  return std::make_unique<Hdf5Layout>(file, path, shape, attributes);
}

}  // namespace gausscse
