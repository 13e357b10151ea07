#include "data/word_vectors/word_vectors.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <system_error>
#include <utility>

#include "base/atomic_file.hpp"
#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/temporary_name.hpp"
#include "data/corpus/sentence.hpp"
#include "data/word_vectors/word_vector_image.hpp"
#include "data/word_vectors/word_vector_reader.hpp"

namespace gausscse {

namespace fs = std::filesystem;

struct WordVectors::State {
  fs::path index;      ///< empty where it is held in memory
  ImageMemory memory;  ///< or a copy of the index, of which rows are read as they are asked for:
  std::optional<PartialCopy> copy;
  std::vector<std::atomic<bool>> is_read;  ///< true for each row that was read
  std::mutex reading;
  WordVectorImage image;
  std::string content_hash;
  std::vector<std::string> warnings;
  bool from_index = false;

  void take(ImageMemory candidate, const std::string& key) {
    image = WordVectorImage(candidate.bytes(), key);
    memory = std::move(candidate);
  }

  void take_index(const fs::path& file, const std::string& key) {
    PartialCopy candidate(file);
    candidate.read(0, std::min(candidate.bytes().size(), WordVectorImage::header_bytes()));
    candidate.read(0, WordVectorImage::rows_begin(candidate.bytes(), key));
    image = WordVectorImage(candidate.bytes(), key);
    is_read = std::vector<std::atomic<bool>>(image.words());
    copy = std::move(candidate);
    index = file;
  }

  void read_row(std::size_t number) {
    const std::lock_guard lock(reading);
    if (is_read[number]) return;
    const auto begin =
        static_cast<std::size_t>(reinterpret_cast<const char*>(image.row(number).data()) - copy->bytes().data());
    copy->read(begin, image.row(number).size_bytes());
    if (!image.row_is_whole(number))
      throw InputError(concat(index.string(), ": the vector of ", quoted(image.word(number)),
                              " has changed since it was written, so ",
                              "the index cannot be trusted: delete the file, check the disk, and start again"));
    is_read[number] = true;
  }
};

namespace {

/// Source that reports how far a file has been read.
class ToldSource : public ByteSource {
 public:
  ToldSource(const fs::path& path, const WordVectorOptions& options)
      : file_(path), all_(fs::file_size(path)), tell_(options.on_progress) {}

  std::size_t read(char* buffer, std::size_t capacity) override {
    const std::size_t count = file_.read(buffer, capacity);
    done_ += count;
    if (tell_ && count > 0) tell_(done_, all_);
    return count;
  }

 private:
  FileSource file_;
  std::uint64_t all_;
  std::uint64_t done_ = 0;
  const std::function<void(std::uint64_t, std::uint64_t)>& tell_;
};

WordVectorTable read_table(const fs::path& text, const WordVectorOptions& options) {
  ToldSource source(text, options);
  WordVectorReader reader(source, text.string());
  WordVectorTable table(reader.width());
  std::string_view word;
  for (std::span<const float> vector; reader.next(word, vector);) table.set(word, vector);
  return table;
}

}  // namespace

WordVectors::WordVectors(std::unique_ptr<State> state) : state_(std::move(state)) {}
WordVectors::WordVectors(WordVectors&&) noexcept = default;
WordVectors& WordVectors::operator=(WordVectors&&) noexcept = default;
WordVectors::~WordVectors() = default;

WordVectors WordVectors::open(const fs::path& text, const WordVectorOptions& options) {
  auto state = std::make_unique<State>();
  state->content_hash = cached_content_hash(text, options.hash_folder);
  const std::string key =
      content_hash_of(concat("word vectors ", word_vector_image_version, "\nfile ", state->content_hash));
  const bool keeping = !options.index_folder.empty();
  const fs::path index = options.index_folder / (key + ".vectors");
  std::error_code ignored;
  if (keeping && fs::exists(index, ignored)) {
    try {
      state->take_index(index, key);
      state->from_index = true;
      return WordVectors(std::move(state));
    } catch (const std::runtime_error& error) {
      state->warnings.push_back(concat("the index of word vectors ", index.string(), " cannot be used (", error.what(),
                                       "); it is made again"));
    }
  }

  const WordVectorTable table = read_table(text, options);
  if (cached_content_hash(text, options.hash_folder) != state->content_hash)
    throw InputError(
        concat(text.string(), ": the file changed while it was read: start again when nothing writes to it"));
  const WordVectorImageParts parts(table, key);
  if (keeping) {
    try {
      fs::create_directories(options.index_folder);
      remove_abandoned_siblings(index);
      write_file_atomically(index, parts.image().parts());
      state->take_index(index, key);
      return WordVectors(std::move(state));
    } catch (const std::runtime_error& error) {
      state->warnings.push_back(concat("the index of word vectors ", index.string(), " cannot be kept (", error.what(),
                                       "); all of them are held in memory, and the next run reads them again, unless "
                                       "GAUSSCSE_CACHE names a folder that can be written"));
    }
  }
  state->take(ImageMemory(parts.image()), key);
  return WordVectors(std::move(state));
}

std::size_t WordVectors::words() const {
  return state_->image.words();
}

std::size_t WordVectors::width() const {
  return state_->image.width();
}

std::string_view WordVectors::word(std::size_t number) const {
  GAUSSCSE_CHECK(number < words(), "word ", number, " of ", words());
  return state_->image.word(number);
}

std::optional<std::uint32_t> WordVectors::find(std::string_view word) const {
  const std::optional<std::uint32_t> number = state_->image.find(word);
  if (number) row(*number);
  return number;
}

std::span<const float> WordVectors::row(std::size_t number) const {
  GAUSSCSE_CHECK(number < words(), "row ", number, " of ", words());
  if (state_->copy && !state_->is_read[number]) state_->read_row(number);
  return state_->image.row(number);
}

std::size_t WordVectors::repeated() const {
  return state_->image.repeated();
}

const std::string& WordVectors::content_hash() const {
  return state_->content_hash;
}

bool WordVectors::from_index() const {
  return state_->from_index;
}

const std::vector<std::string>& WordVectors::warnings() const {
  return state_->warnings;
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
  for (std::size_t i = 0; i < vectors_->words(); ++i) words.emplace_back(vectors_->word(i));
  return words;
}

}  // namespace gausscse
