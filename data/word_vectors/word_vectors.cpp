#include "data/word_vectors/word_vectors.hpp"

#include <utility>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "data/corpus/sentence.hpp"
#include "data/word_vectors/word_vector_reader.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

/// Source that hashes a file and reports how far it has been read.
class HashedSource : public ByteSource {
 public:
  HashedSource(const fs::path& path, const WordVectors::Progress& progress)
      : file_(path), all_(fs::file_size(path)), progress_(progress) {}

  std::size_t read(char* buffer, std::size_t capacity) override {
    const std::size_t count = file_.read(buffer, capacity);
    hasher_.add({buffer, count});
    done_ += count;
    if (progress_ && count > 0) progress_(done_, all_);
    return count;
  }

  std::string content_hash() const { return hasher_.digits(); }

 private:
  FileSource file_;
  ContentHasher hasher_;
  std::uint64_t all_;
  std::uint64_t done_ = 0;
  const WordVectors::Progress& progress_;
};

}  // namespace

WordVectors::WordVectors(const fs::path& text, const Progress& progress) {
  HashedSource source(text, progress);
  WordVectorReader reader(source, text.string());
  width_ = reader.width();
  std::string_view word;
  for (std::span<const float> vector; reader.next(word, vector);) {
    const std::uint32_t number = words_.intern(word);
    const bool is_new = number == rows_.size();
    if (is_new) rows_.emplace_back();
    rows_[number].assign(vector.begin(), vector.end());
    repeated_ += !is_new;
  }
  content_hash_ = source.content_hash();
}

std::span<const float> WordVectors::row(std::uint32_t number) const {
  GAUSSCSE_CHECK(number < words(), "row ", number, " of ", words());
  return rows_[number];
}

WordTokenizer::WordTokenizer(std::shared_ptr<const WordVectors> vectors) : vectors_(std::move(vectors)) {}

bool WordTokenizer::encode(std::string_view sentence, std::size_t max_tokens, std::vector<std::uint32_t>& ids) const {
  std::size_t taken = 0;
  for (std::string_view word; !(word = next_word(sentence)).empty();) {
    const std::optional<std::uint32_t> id = vectors_->find(word);
    if (!id) continue;
    if (taken == max_tokens) return true;
    ids.push_back(*id);
    ++taken;
  }
  return false;
}

std::vector<std::string> WordTokenizer::tokens() const {
  std::vector<std::string> words;
  words.reserve(vectors_->words());
  for (std::uint32_t i = 0; i < vectors_->words(); ++i) words.emplace_back(vectors_->word(i));
  return words;
}

}  // namespace gausscse
