#include "data/corpus/token_store.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "base/content_hash.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

class TokenStoreTest : public testing::Test {
 protected:
  TokenStoreTest() {
    std::string text = "sent0,sent1,hard_neg\n";
    for (int i = 0; i < 600; ++i) text += concat("premise ", i, ",entailed ", i, ",contradicted ", i % 50, "\n");
    write_bytes(file_, text);
    options_.max_tokens = 14;
    options_.cache_folder = folder_ / "cache";
  }

  TokenStore open(const Tokenizer& tokenizer = ByteTokenizer()) const {
    return TokenStore::open_or_build({file_}, tokenizer, options_);
  }

  fs::path only_cache_file() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(options_.cache_folder)) found.push_back(entry.path());
    EXPECT_EQ(found.size(), 1u);
    return found.at(0);
  }

  /// Compares with tokens made from the corpus again.
  void expect_right(const TokenStore& store, const Tokenizer& tokenizer = ByteTokenizer()) const {
    const TrainingCorpus corpus = build_training_corpus({file_}, options_.corpus);
    ASSERT_EQ(store.sentences(), corpus.sentences.size());
    std::size_t cut = 0;
    std::size_t tokens = 0;
    for (std::uint32_t i = 0; i < store.sentences(); ++i) {
      std::vector<std::uint32_t> expected{99};
      cut += tokenizer.encode(corpus.sentences[i], options_.max_tokens, expected);
      std::vector<std::uint32_t> ids{99};
      store.append_tokens(i, ids);
      ASSERT_EQ(ids, expected) << i;
      EXPECT_EQ(store.length(i), expected.size() - 1);
      tokens += expected.size() - 1;
    }
    EXPECT_GT(cut, 0u);
    EXPECT_LT(cut, store.sentences());
    EXPECT_EQ(store.cut_sentences(), cut);
    EXPECT_EQ(store.tokens(), tokens);
    ASSERT_EQ(store.roles(), static_cast<std::int64_t>(corpus.roles));
    ASSERT_EQ(store.examples(), corpus.counts.examples);
    for (std::size_t i = 0; i < corpus.example_sentences.size(); ++i) {
      ASSERT_EQ(store.sentence(i / corpus.roles, i % corpus.roles), corpus.example_sentences[i]) << i;
    }
    EXPECT_EQ(store.counts(), corpus.counts);
    EXPECT_EQ(store.content_hashes(), std::vector<std::string>{content_hash(file_)});
  }

  const TemporaryFolder folder_;
  const fs::path file_ = folder_ / "triples.csv";
  TokenStoreOptions options_;
};

TEST_F(TokenStoreTest, BuildsThenReadsTheSame) {
  const TokenStore built = open();
  EXPECT_FALSE(built.from_cache());
  EXPECT_TRUE(built.warnings().empty());
  expect_right(built);
  const TokenStore mapped = open();
  EXPECT_TRUE(mapped.from_cache());
  EXPECT_TRUE(mapped.warnings().empty());
  expect_right(mapped);
  EXPECT_EQ(mapped.bytes(), fs::file_size(only_cache_file()));
}

TEST_F(TokenStoreTest, DoesNotDependOnThreads) {
  open();
  std::ifstream first(only_cache_file(), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(first), {}};
  for (const std::size_t threads : {2, 3, 64}) {
    options_.threads = threads;
    options_.cache_folder = folder_ / concat("cache", threads);
    expect_right(open());
    std::ifstream file(only_cache_file(), std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), bytes);
  }
}

TEST_F(TokenStoreTest, WidensIdsForALargeVocabulary) {
  const ByteTokenizer tokenizer(100000, 70000);
  expect_right(open(tokenizer), tokenizer);
  expect_right(open(tokenizer), tokenizer);
  // The largest vocabulary that fits 16 bits, and the first that does not.
  std::uint32_t largest_byte = 0;
  for (const std::string& sentence : sentences_of(build_training_corpus({file_}, options_.corpus)))
    for (const char c : sentence) largest_byte = std::max<std::uint32_t>(largest_byte, static_cast<unsigned char>(c));
  for (const std::uint32_t largest_id : {65535u, 65536u}) {
    const ByteTokenizer at_the_border(largest_id + 1, largest_id - largest_byte);
    expect_right(open(at_the_border), at_the_border);
  }
}

TEST_F(TokenStoreTest, BuildsAnewWhenAnythingChanges) {
  open();
  options_.max_tokens = 13;
  EXPECT_FALSE(open().from_cache());
  options_.max_tokens = 14;
  EXPECT_FALSE(open(ByteTokenizer(100000)).from_cache());
  options_.corpus.bad_lines = BadLines::skip;
  EXPECT_FALSE(open().from_cache());
  options_.corpus = {BadLines::error, TriplesPerPremise::all, 8};
  EXPECT_TRUE(open().from_cache()) << "has no bearing on a triples CSV";
  options_.corpus.triples_per_premise = TriplesPerPremise::one;
  EXPECT_TRUE(open().from_cache()) << "nor has the seed";
  options_.corpus.trim = true;
  EXPECT_FALSE(open().from_cache());
  options_.corpus.trim = false;
  EXPECT_TRUE(open().from_cache());
  options_.threads = 2;
  EXPECT_TRUE(open().from_cache());
  std::ofstream(file_, std::ios::app) << "new,other,third\n";
  EXPECT_FALSE(open().from_cache());
  expect_right(open());
}

TEST_F(TokenStoreTest, FollowsTheSeedOnRawCorpora) {
  std::string text;
  for (int p = 0; p < 50; ++p) {
    for (const std::string h : {"x", "y", "z"}) {
      text +=
          concat(R"({"gold_label": "entailment", "sentence1": "some premise )", p, R"(", "sentence2": "e)", h, "\"}\n");
      text += concat(R"({"gold_label": "contradiction", "sentence1": "some premise )", p, R"(", "sentence2": "c)", h,
                     "\"}\n");
    }
  }
  write_bytes(file_, text);
  expect_right(open());
  options_.corpus.seed = 1;
  EXPECT_FALSE(open().from_cache());
  expect_right(open());
  options_.corpus.triples_per_premise = TriplesPerPremise::all;
  EXPECT_EQ(open().examples(), 450u);
  // Each of the 150 entailments has a contradicted hypothesis; none is neutral.
  options_.corpus.triples_per_premise = TriplesPerPremise::every_entailment;
  EXPECT_FALSE(open().from_cache());
  EXPECT_EQ(open().examples(), 150u);
  expect_right(open());
  options_.corpus.seed = 2;
  EXPECT_FALSE(open().from_cache());
}

TEST_F(TokenStoreTest, RebuildsADamagedCache) {
  open();
  const fs::path cache = only_cache_file();
  std::ifstream file(cache, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  std::string flipped = whole;
  flipped[whole.size() / 2] ^= 4;
  for (const std::string& bytes : {flipped, whole.substr(0, whole.size() - 8), std::string(), std::string("text")}) {
    write_bytes(cache, bytes);
    const TokenStore store = open();
    EXPECT_FALSE(store.from_cache());
    ASSERT_EQ(store.warnings().size(), 1u);
    EXPECT_HAS(store.warnings()[0], "cannot be used");
    expect_right(store);
    EXPECT_TRUE(open().from_cache());
  }
}

/// Neither other bytes in the file nor a file cut short change a store, be it from the cache or just built.
TEST_F(TokenStoreTest, StaysAsItWasWhateverHappensToTheFile) {
  const TokenStore built = open(), read = open();
  ASSERT_TRUE(read.from_cache());
  const fs::path cache = only_cache_file();
  const auto size = static_cast<std::streamoff>(fs::file_size(cache));
  std::fstream(cache, std::ios::in | std::ios::out | std::ios::binary) << std::string(size, '\xff');
  ASSERT_EQ(static_cast<std::streamoff>(fs::file_size(cache)), size) << "it was changed in place";
  expect_right(built);
  expect_right(read);
  fs::resize_file(cache, 0);
  expect_right(built);
  expect_right(read);
}

TEST_F(TokenStoreTest, SharesTheMemoryOfAnotherProcess) {
  const TokenStore first = open();
  const auto number_of = [](const std::string& place) {
    struct stat status {};
    EXPECT_EQ(::stat(place.c_str(), &status), 0) << place;
    return status.st_ino;
  };
  fs::remove_all(options_.cache_folder);
  options_.cache_folder.clear();
  options_.places = {"/proc/self/fd/none", file_.string(), first.place()};
  const TokenStore second = open();
  EXPECT_TRUE(second.from_cache());
  EXPECT_TRUE(second.warnings().empty());
  EXPECT_EQ(number_of(second.place()), number_of(first.place())) << "one memory, not two";
  expect_right(second);
  const pid_t child = ::fork();
  if (child == 0) {
    const TokenStore third = open();
    ::_exit(third.from_cache() && number_of(third.place()) == number_of(options_.places.back()) &&
                    third.tokens() == first.tokens()
                ? 0
                : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(TokenStoreTest, DoesNotTakeTheMemoryOfAnotherStore) {
  options_.max_tokens = 13;
  const TokenStore other = open();
  options_.max_tokens = 14;
  options_.places = {other.place()};
  const TokenStore store = open();
  EXPECT_FALSE(store.from_cache());
  expect_right(store);
}

/// Its hash would fit: another user could have made tokens as they please.
TEST_F(TokenStoreTest, DoesNotUseACacheThatOthersMayHaveMade) {
  open();
  const fs::path cache = only_cache_file();
  const auto expect_unused = [&](const std::string& why) {
    const TokenStore store = open();
    EXPECT_FALSE(store.from_cache());
    ASSERT_EQ(store.warnings().size(), 1u);
    EXPECT_HAS(store.warnings()[0], cache.string() + " is not used: " + why);
    expect_right(store);
  };
  for (const fs::perms more : {fs::perms::group_write, fs::perms::others_write}) {
    fs::permissions(cache, fs::perms::owner_all | more);
    expect_unused("other users may write it");
    EXPECT_EQ(fs::status(cache).permissions(), fs::perms::owner_all | more) << "it stays as it is";
  }
  fs::permissions(cache, fs::perms::owner_all);
  EXPECT_TRUE(open().from_cache());
  if (::geteuid() != 0) GTEST_SKIP() << "root alone gives files away";
  ASSERT_EQ(::chown(cache.c_str(), 12345, 12345), 0);
  expect_unused("it belongs to another user (number 12345)");
}

/// With a umask that gives the group everything, as many have it.
TEST_F(TokenStoreTest, LetsNobodyElseWriteItsCache) {
  const mode_t before = ::umask(0);
  open();
  ::umask(before);
  EXPECT_EQ(fs::status(only_cache_file()).permissions() & (fs::perms::group_write | fs::perms::others_write),
            fs::perms::none);
  EXPECT_TRUE(open().from_cache());
}

TEST_F(TokenStoreTest, WorksWithoutACacheItCannotKeep) {
  write_bytes(folder_ / "file", "");
  for (const fs::path& unusable : {folder_ / "file" / "cache", fs::path("/proc/no/such/folder")}) {
    options_.cache_folder = unusable;
    const TokenStore store = open();
    EXPECT_FALSE(store.from_cache());
    ASSERT_EQ(store.warnings().size(), 1u);
    EXPECT_HAS(store.warnings()[0], "cannot be kept");
    EXPECT_HAS(store.warnings()[0], "unless `data.cache` or GAUSSCSE_CACHE names a folder that can be written");
    expect_right(store);
  }
  // A folder where the cache file belongs: neither usable nor replaceable.
  options_.cache_folder = folder_ / "cache";
  open();
  const fs::path cache = only_cache_file();
  fs::remove(cache);
  fs::create_directories(cache / "in_the_way");
  const TokenStore store = open();
  EXPECT_EQ(store.warnings().size(), 2u);
  expect_right(store);
  options_.cache_folder.clear();
  const TokenStore without = open();
  EXPECT_TRUE(without.warnings().empty());
  expect_right(without);
}

TEST_F(TokenStoreTest, MayBeOpenedByManyAtOnce) {
  std::vector<std::thread> threads;
  std::vector<std::size_t> sentences(6, 0);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    threads.emplace_back([&, i] { sentences[i] = open().sentences(); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sentences, std::vector<std::size_t>(6, open().sentences()));
  EXPECT_TRUE(open().from_cache());
}

TEST_F(TokenStoreTest, PassesOnErrorsAndLeavesNothing) {
  std::ofstream(file_, std::ios::app) << "only,two\n";
  EXPECT_HAS(input_error([&] { open(); }), "triples.csv:602: the row has 2 comma-separated fields");
  EXPECT_FALSE(fs::exists(options_.cache_folder));
  options_.corpus.bad_lines = BadLines::skip;
  for (int i = 0; i < 2; ++i) {
    const TokenStore store = open();
    EXPECT_EQ(store.from_cache(), i == 1);
    EXPECT_EQ(store.counts().bad_lines, 1u);
    ASSERT_EQ(store.bad_line_messages().size(), 2u);
    EXPECT_EQ(store.bad_line_messages()[0], "the training data: 1 of 601 lines is left out");
    EXPECT_HAS(store.bad_line_messages()[1], "triples.csv:602: ");
  }
  options_.max_tokens = 2;
  options_.threads = 3;
  EXPECT_HAS(input_error([&] { open(); }), "max_tokens is under 3");
}

TEST_F(TokenStoreTest, TakesAPlainList) {
  const std::vector<std::string> sentences{"b", "a", "b", "a rather long sentence"};
  const TokenStore store = TokenStore::from_sentences(sentences, ByteTokenizer(), 6, 2);
  EXPECT_EQ(store.sentences(), 4u);
  EXPECT_EQ(store.cut_sentences(), 1u);
  EXPECT_EQ(store.examples(), 0u);
  EXPECT_EQ(store.roles(), 0);
  EXPECT_THROW(store.sentence(0, 0), std::logic_error);
  std::vector<std::uint32_t> ids;
  store.append_tokens(2, ids);
  EXPECT_EQ(ids, (std::vector<std::uint32_t>{1, 3 + 'b', 2}));
  EXPECT_EQ(store.length(3), 6u);
  EXPECT_THROW(store.length(4), std::logic_error);
  EXPECT_EQ(TokenStore::from_sentences({}, ByteTokenizer(), 6, 2).sentences(), 0u);
}

/// A sentence that comes again in another block and in another file is the one it was.
TEST_F(TokenStoreTest, SentencesOfAllBlocksAndFilesAreDistinct) {
  const fs::path other = file_.parent_path() / "other.csv";
  std::string first = "sent0,sent1,hard_neg\n", second = first;
  for (int i = 0; i < 4000; ++i) {
    first += concat("\"p, ", i, "\",e\u00E9 ", i % 2500, ",c", i % 3, "\r\n");
    second += concat("\"p, ", 3999 - i, "\",new ", i, ",c", i % 3, "\n");
  }
  std::ofstream(file_) << first;
  std::ofstream(other) << second;
  options_.threads = 3;
  const TokenStore store = TokenStore::open_or_build({file_, other}, ByteTokenizer(), options_);
  ASSERT_EQ(store.sentences(), 4000u + 2500 + 3 + 4000);
  ASSERT_EQ(store.token_counts().size(), 2u);
  EXPECT_EQ(store.token_counts()[0].sentences, 6503u);
  EXPECT_EQ(store.token_counts()[1].sentences, 4000u);
  for (std::size_t i = 0; i < 4000; ++i) {
    EXPECT_EQ(store.sentence(4000 + i, 0), store.sentence(3999 - i, 0)) << i;
    EXPECT_EQ(store.sentence(4000 + i, 2), store.sentence(i % 3, 2)) << i;
    std::vector<std::uint32_t> ids, expected;
    store.append_tokens(store.sentence(i, 1), ids);
    ByteTokenizer().encode(concat("e\u00E9 ", i % 2500), options_.max_tokens, expected);
    EXPECT_EQ(ids, expected) << i;
  }
}

}  // namespace
}  // namespace gausscse
