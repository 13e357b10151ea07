#include "data/corpus/byte_image.hpp"

#include <xxhash.h>

#include <array>
#include <cstring>
#include <memory>

#include "base/error.hpp"

namespace gausscse {

std::uint64_t image_hash(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint64_t image_hash(std::span<const std::string_view> parts) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), &XXH3_freeState);
  if (!state) throw SystemError("no memory to compute a hash");
  XXH3_64bits_reset(state.get());
  for (const std::string_view part : parts) XXH3_64bits_update(state.get(), part.data(), part.size());
  return XXH3_64bits_digest(state.get());
}

void require(bool holds, std::string_view what) {
  if (!holds) throw InputError(std::string(what));
}

void ImageParts::add(std::string_view bytes) {
  if (bytes.empty()) return;
  parts_.push_back(bytes);
  size_ += bytes.size();
}

void ImageParts::end_section() {
  static constexpr std::array<char, image_alignment> zeros{};
  add({zeros.data(), static_cast<std::size_t>(aligned(size_) - size_)});
}

void ImageParts::put_header(std::string_view bytes) {
  GAUSSCSE_CHECK(header_.empty() && bytes.size() % image_alignment == 0, "a header of ", bytes.size(), " bytes");
  header_ = bytes;
  parts_.insert(parts_.begin(), header_);
  size_ += header_.size();
}

ImageMemory::ImageMemory(const ImageParts& parts)
    : own_((parts.size() + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t)), size_(parts.size()) {
  char* end = reinterpret_cast<char*>(own_.data());
  for (const std::string_view part : parts.parts()) {
    std::memcpy(end, part.data(), part.size());
    end += part.size();
  }
}

std::string_view ImageMemory::bytes() const {
  return sealed_ ? sealed_->bytes() : std::string_view(reinterpret_cast<const char*>(own_.data()), size_);
}

}  // namespace gausscse
