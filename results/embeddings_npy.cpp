#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "results/embeddings_output.hpp"
#include "results/little_endian.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view hexadecimal_digits = "0123456789abcdef";
constexpr std::size_t bits_of_seal = 128;

class NpyLayout final : public EmbeddingsLayout {
 public:
  NpyLayout(const FileDescriptor& file, const fs::path& path, const EmbeddingsShape& shape,
            const EmbeddingsAttributes& attributes)
      : shape_(shape) {
    GAUSSCSE_CHECK(shape.names.size() == 1, shape.names.size(), " datasets");
    const std::string header = header_with(attributes);
    offsets_.push_back(static_cast<std::int64_t>(header.size()));
    grow_file(file, offsets_.front() + shape.bytes(), path);
    file_calls::write_all(file, header, path);
  }

  std::vector<PlacedBytes> ending(const EmbeddingsAttributes& attributes) override {
    return {{0, header_with(attributes)}};
  }

 private:
  std::string header_with(const EmbeddingsAttributes& attributes) const {
    const auto seal = attributes.texts.find(embeddings_seal);
    return npy_header("<f4", concat(shape_.rows, ", ", shape_.columns),
                      seal == attributes.texts.end() ? "" : seal->second);
  }

  EmbeddingsShape shape_;
};

}  // namespace

std::string npy_header(std::string_view descr, std::string_view shape, std::string_view seal) {
  constexpr std::size_t before_text = 10, alignment = 64;
  std::string text = concat("{'descr': '", descr, "', 'fortran_order': False, 'shape': (", shape, "), }");
  for (const char digit : seal) {
    const std::size_t value = hexadecimal_digits.find(digit);
    for (const std::size_t bit : {8, 4, 2, 1}) text += value & bit ? '\t' : ' ';
  }
  const std::size_t used = before_text + text.size() + 1;
  text += std::string((alignment - used % alignment) % alignment, ' ') + "\n";
  return concat(std::string_view("\x93NUMPY\x01\x00", 8), little_endian(text.size(), 2), text);
}

std::optional<std::string> seal_in_padding(std::string_view padding) {
  if (!padding.ends_with('\n')) return std::nullopt;
  padding.remove_suffix(1);
  if (padding.find_first_not_of(' ') == padding.npos) return "";
  const std::string_view bits = padding.substr(0, bits_of_seal);
  if (bits.size() < bits_of_seal || bits.find_first_not_of(" \t") != bits.npos ||
      padding.find_first_not_of(' ', bits_of_seal) != padding.npos)
    return std::nullopt;
  std::string digits;
  for (std::size_t i = 0; i < bits_of_seal; i += 4) {
    std::size_t value = 0;
    for (const char bit : bits.substr(i, 4)) value = 2 * value + (bit == '\t' ? 1 : 0);
    digits += hexadecimal_digits[value];
  }
  return digits;
}

std::unique_ptr<EmbeddingsLayout> lay_out_npy(const FileDescriptor& file, const fs::path& path,
                                              const EmbeddingsShape& shape, const EmbeddingsAttributes& attributes) {
  return std::make_unique<NpyLayout>(file, path, shape, attributes);
}

}  // namespace gausscse
