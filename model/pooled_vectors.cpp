#include "model/pooled_vectors.hpp"

#include <ATen/ops/empty.h>

#include <cstring>

#include "base/error.hpp"
#include "model/device/transfers.hpp"

namespace gausscse {

namespace {

constexpr std::size_t rows_of_block = 4096;

std::string key_of(const std::uint32_t* begin, const std::uint32_t* end) {
  return {reinterpret_cast<const char*>(begin), reinterpret_cast<const char*>(end)};
}

/// Token ids of a packed batch, as an embedder packs them.
struct Tokens {
  std::vector<std::uint32_t> ids, offsets;
};

Tokens tokens_of(const PackedBatch& batch) {
  const auto* ids = batch.ids.const_data_ptr<std::int32_t>();
  const auto* offsets = batch.offsets.const_data_ptr<std::int32_t>();
  return {{ids, ids + batch.tokens()}, {offsets, offsets + batch.sentences() + 1}};
}

}  // namespace

std::size_t PooledVectors::size() const {
  const std::lock_guard lock(mutex_);
  return numbers_.size();
}

std::size_t PooledVectors::row_bytes() const {
  return static_cast<std::size_t>(embedder_.width()) * embedder_.options().dtype().itemsize();
}

std::string_view PooledVectors::bytes_of(std::span<const std::uint32_t> ids) const {
  const std::lock_guard lock(mutex_);
  const void* const found = find(key_of(ids.data(), ids.data() + ids.size()));
  return found ? std::string_view(static_cast<const char*>(found), row_bytes()) : std::string_view();
}

void PooledVectors::clear() {
  const std::lock_guard lock(mutex_);
  numbers_.clear();
  blocks_.clear();
}

void PooledVectors::keep_one(const std::string& key, const void* row) {
  const auto [entry, is_new] = numbers_.try_emplace(key, numbers_.size());
  if (!is_new) return;
  const auto place = static_cast<std::int64_t>(entry->second % rows_of_block);
  if (place == 0)
    blocks_.push_back(
        at::empty({static_cast<std::int64_t>(rows_of_block), embedder_.width()}, embedder_.options().device(at::kCPU)));
  const at::Tensor to = blocks_.back()[place];
  std::memcpy(to.mutable_data_ptr(), row, to.nbytes());
}

const void* PooledVectors::find(const std::string& key) const {
  const auto found = numbers_.find(key);
  if (found == numbers_.end()) return nullptr;
  return blocks_[found->second / rows_of_block][static_cast<std::int64_t>(found->second % rows_of_block)]
      .const_data_ptr();
}

void PooledVectors::keep(std::span<const std::uint32_t> ids, std::span<const std::uint32_t> offsets,
                         const at::Tensor& rows) {
  GAUSSCSE_CHECK(rows.size(0) + 1 == static_cast<std::int64_t>(offsets.size()) && rows.size(1) == embedder_.width() &&
                     rows.is_cpu() && rows.is_contiguous(),
                 "a vector for each sentence, on the CPU");
  const std::lock_guard lock(mutex_);
  for (std::int64_t s = 0; s < rows.size(0); ++s) {
    const auto i = static_cast<std::size_t>(s);
    keep_one(key_of(ids.data() + offsets[i], ids.data() + offsets[i + 1]), rows[s].const_data_ptr());
  }
}

at::Tensor PooledVectors::of(const PackedBatch& batch, BatchEmbedder& own) {
  const at::TensorOptions options = embedder_.options();
  // Padding changes vectors.
  if (batch.attended.defined()) return own.embed(batch);
  const Tokens tokens = tokens_of(batch);
  const at::Tensor rows = at::empty({batch.sentences(), embedder_.width()}, options.device(at::kCPU));
  const std::size_t bytes = row_bytes();
  auto* const out = static_cast<char*>(rows.mutable_data_ptr());
  std::vector<std::size_t> missing;
  Tokens of_missing{{}, {0}};
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t s = 0; s + 1 < tokens.offsets.size(); ++s) {
      const auto *begin = tokens.ids.data() + tokens.offsets[s], *end = tokens.ids.data() + tokens.offsets[s + 1];
      if (const void* found = find(key_of(begin, end))) {
        std::memcpy(out + s * bytes, found, bytes);
        continue;
      }
      missing.push_back(s);
      of_missing.ids.insert(of_missing.ids.end(), begin, end);
      of_missing.offsets.push_back(static_cast<std::uint32_t>(of_missing.ids.size()));
    }
  }
  if (!missing.empty()) {
    const at::Tensor computed = own.embed(embedder_.pack(of_missing.ids, of_missing.offsets)).to(at::kCPU).contiguous();
    for (std::size_t i = 0; i < missing.size(); ++i)
      std::memcpy(out + missing[i] * bytes, static_cast<const char*>(computed.const_data_ptr()) + i * bytes, bytes);
    keep(of_missing.ids, of_missing.offsets, computed);
  }
  return ops::to_device(rows, options.device());
}

}  // namespace gausscse
