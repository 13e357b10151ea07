#include "training/vector_cache.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>

#include "base/cache_file.hpp"
#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "inference/sentence_batches.hpp"

namespace gausscse {

namespace {

constexpr std::string_view magic_of_vectors = "gausscse vectors\n";
constexpr std::size_t sentences_read_at_once = 4096;
constexpr std::size_t digits_of_hash = 32;

void read_exactly(const OpenFile& file, char* bytes, std::size_t count, const std::filesystem::path& path) {
  while (count > 0) {
    const std::size_t got = read_some(file, bytes, count, path);
    if (got == 0) throw InputError("it became shorter while it was read");
    bytes += got;
    count -= got;
  }
}

/// Calls `visit` with the numbers of some sentences after the other, and their tokens.
void for_each_block(const TokenStore& store, const auto& visit) {
  for (std::size_t first = 0; first < store.sentences(); first += sentences_read_at_once) {
    std::vector<std::uint32_t> sentences(std::min(sentences_read_at_once, store.sentences() - first));
    std::iota(sentences.begin(), sentences.end(), static_cast<std::uint32_t>(first));
    visit(sentences.size(), tokens_of(sentences, store));
  }
}

}  // namespace

VectorCache::VectorCache(const std::filesystem::path& folder, const std::string& key, const TokenStore& store)
    : file_(folder.empty() ? folder : folder / (key + ".vectors")),
      head_(concat(magic_of_vectors, key)),
      store_(store) {
  GAUSSCSE_CHECK(key.size() == digits_of_hash, key);
}

void VectorCache::read_all(PooledVectors& vectors) const {
  const OpenFile file = open_own_cache(file_);
  const SentenceEmbedder& model = vectors.embedder();
  const std::size_t row_bytes = static_cast<std::size_t>(model.width()) * model.options().dtype().itemsize();
  if (file.size != head_.size() + store_.sentences() * row_bytes + digits_of_hash)
    throw InputError("its length is not that of its vectors");
  ContentHasher hasher;
  std::string head(head_.size(), '\0');
  read_exactly(file, head.data(), head.size(), file_);
  if (head != head_) throw InputError("it was made from something else");
  hasher.add(head);
  for_each_block(store_, [&](std::size_t count, const SentenceTokens& tokens) {
    const at::Tensor rows =
        at::empty({static_cast<std::int64_t>(count), model.width()}, model.options().device(at::kCPU));
    auto* const bytes = static_cast<char*>(rows.mutable_data_ptr());
    read_exactly(file, bytes, rows.nbytes(), file_);
    hasher.add({bytes, rows.nbytes()});
    vectors.keep(tokens.ids, tokens.offsets, rows);
  });
  std::string digits(digits_of_hash, '\0');
  read_exactly(file, digits.data(), digits.size(), file_);
  if (digits != hasher.digits()) throw InputError("the content does not match its hash");
}

bool VectorCache::read(PooledVectors& vectors) {
  std::error_code ignored;
  if (file_.empty() || !std::filesystem::exists(file_, ignored)) return false;
  try {
    read_all(vectors);
    return true;
  } catch (const ForeignCache& error) {
    warnings_.push_back(concat("the sentence vectors ", file_.string(), " are not used: ", error.what(),
                               ": remove the file, or give another `data.cache`"));
    file_.clear();
  } catch (const std::runtime_error& error) {
    warnings_.push_back(concat("the sentence vectors ", file_.string(), " cannot be used (", error.what(),
                               "); the sentences are embedded again"));
  }
  vectors.clear();
  return false;
}

bool VectorCache::write(const PooledVectors& vectors) {
  if (file_.empty()) return false;
  std::vector<std::string_view> parts{head_};
  for_each_block(store_, [&](std::size_t count, const SentenceTokens& tokens) {
    for (std::size_t s = 0; s < count; ++s)
      parts.push_back(vectors.bytes_of(
          std::span(tokens.ids)
              .subspan(tokens.offsets[s], static_cast<std::size_t>(tokens.offsets[s + 1] - tokens.offsets[s]))));
  });
  ContentHasher hasher;
  for (const std::string_view part : parts) hasher.add(part);
  const std::string digits = hasher.digits();
  parts.push_back(digits);
  try {
    write_own_cache(file_, parts);
    return true;
  } catch (const std::runtime_error& error) {
    warnings_.push_back(concat("the sentence vectors ", file_.string(), " cannot be kept (", error.what(),
                               "); the run goes on without, and the next one embeds again, unless `data.cache` or "
                               "GAUSSCSE_CACHE names a folder that can be written"));
    return false;
  }
}

}  // namespace gausscse
