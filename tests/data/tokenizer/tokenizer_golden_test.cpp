#include <thread>

#include "base/strict_json.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Ids = std::vector<std::uint32_t>;

std::string from_hexadecimal(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  return bytes;
}

struct Sample {
  std::string sentence;
  Ids whole;
};

struct Golden {
  std::unique_ptr<Tokenizer> tokenizer;
  std::vector<Sample> samples;
};

Golden read_golden(const std::string& name) {
  const nlohmann::json json = read_strict_json(golden(concat("tokenizer/", name, ".json")));
  Golden golden;
  golden.tokenizer = make_tokenizer({{}, {{"tokenizer.json", json.at("tokenizer").dump()}}});
  const Ids ids = json.at("ids").get<Ids>();
  std::ifstream sentences(gausscse::golden("tokenizer/sentences.txt"));
  auto begin = ids.begin();
  for (const std::ptrdiff_t length : json.at("lengths")) {
    std::string digits;
    std::getline(sentences, digits);
    golden.samples.push_back({from_hexadecimal(digits), Ids(begin, begin + length)});
    begin += length;
  }
  return golden;
}

class GoldenSamples : public testing::TestWithParam<const char*> {};

TEST_P(GoldenSamples, IdsAreThoseOfTheReferenceWholeAndCut) {
  const Golden golden = read_golden(GetParam());
  ASSERT_GT(golden.samples.size(), 150u);
  std::size_t cut = 0;
  for (const Sample& sample : golden.samples) {
    Ids ids;
    EXPECT_FALSE(golden.tokenizer->encode(sample.sentence, 1000000, ids));
    EXPECT_EQ(ids, sample.whole) << quoted(sample.sentence, 1000);
    ids.clear();
    EXPECT_EQ(golden.tokenizer->encode(sample.sentence, 7, ids), sample.whole.size() > 7)
        << quoted(sample.sentence, 1000);
    Ids cut_ids = sample.whole;  // keeps the last token, which ends each sentence
    if (cut_ids.size() > 7) cut_ids.erase(cut_ids.begin() + 6, cut_ids.end() - 1);
    EXPECT_EQ(ids, cut_ids) << quoted(sample.sentence, 1000);
    cut += sample.whole.size() > 7;
    for (const std::uint32_t id : sample.whole) ASSERT_LT(id, golden.tokenizer->vocabulary_size());
  }
  EXPECT_GT(cut, 50u);
}

/// The strings of the ids are those that the `tokenizers` library wrote with them, and of each sample the pieces.
TEST_P(GoldenSamples, StringsAreThoseOfTheReference) {
  const nlohmann::json json = read_strict_json(golden(concat("tokenizer/", GetParam(), ".json")));
  const nlohmann::json& reference = json.at("tokenizer");
  std::map<std::uint32_t, std::string> strings;
  for (const auto& [token, id] : reference.at("model").at("vocab").items()) {
    if (id.is_array())
      strings[static_cast<std::uint32_t>(std::stoul(token))] = id.at(0).get<std::string>();  // of a list of pieces
    else
      strings[id.get<std::uint32_t>()] = token;
  }
  for (const nlohmann::json& token : reference.at("added_tokens"))
    strings[token.at("id").get<std::uint32_t>()] = token.at("content").get<std::string>();
  const Golden golden = read_golden(GetParam());
  const std::vector<std::string> tokens = golden.tokenizer->tokens();
  ASSERT_EQ(tokens.size(), golden.tokenizer->vocabulary_size());
  for (std::uint32_t id = 0; id < tokens.size(); ++id)
    EXPECT_EQ(tokens[id], strings.contains(id) ? strings.at(id) : "") << id;
  EXPECT_GT(strings.size(), 300u);
  for (const Sample& sample : golden.samples) {
    Ids ids;
    golden.tokenizer->encode(sample.sentence, 1000000, ids);
    ASSERT_EQ(ids.size(), sample.whole.size());
    for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(tokens.at(ids[i]), strings.at(sample.whole[i]));
  }
}

INSTANTIATE_TEST_SUITE_P(Tokenizers, GoldenSamples,
                         testing::Values("bert_uncased", "bert_cased", "bert_accents", "bert_unclean", "bert_plain",
                                         "roberta", "roberta_space", "mpnet", "modernbert", "unigram", "unigram_first",
                                         "unigram_never", "unigram_nmt", "unigram_unsplit"));

/// The golden's ids are those of transformers for vocab.txt and the name of the class.
TEST(MPNetTokenizer, OfVocabTxtGivesTheIdsOfTheReference) {
  const Golden golden = read_golden("mpnet");
  std::string vocabulary;
  for (const std::string& token : golden.tokenizer->tokens()) vocabulary += token + "\n";
  const auto tokenizer = make_tokenizer(
      {{}, {{"vocab.txt", vocabulary}, {"tokenizer_config.json", R"({"tokenizer_class": "MPNetTokenizer"})"}}});
  EXPECT_EQ(tokenizer->vocabulary_size(), golden.tokenizer->vocabulary_size());
  std::size_t with_mask = 0;
  for (const Sample& sample : golden.samples) {
    Ids ids;
    tokenizer->encode(sample.sentence, 1000000, ids);
    EXPECT_EQ(ids, sample.whole) << quoted(sample.sentence, 1000);
    EXPECT_EQ(ids.front(), 0u);
    EXPECT_EQ(ids.back(), 2u);
    with_mask += std::count(ids.begin(), ids.end(), static_cast<std::uint32_t>(tokenizer->vocabulary_size() - 1)) > 0;
  }
  EXPECT_GT(with_mask, 1u);
}

/// Returns the warnings of a golden's tokenizer.json next to a tokenizer_config.json.
std::vector<std::string> warnings_of(const std::string& name, const std::string& config) {
  const nlohmann::json json = read_strict_json(golden(concat("tokenizer/", name, ".json")));
  return make_tokenizer({{}, {{"tokenizer.json", json.at("tokenizer").dump()}, {"tokenizer_config.json", config}}})
      ->warnings();
}

/// As the published folders have it, which hold no other file of the tokenizer.
TEST(ModernBertTokenizer, AgreesWithItsConfig) {
  const std::string config =
      R"({"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 8192, "cls_token": "[CLS]",
          "mask_token": "[MASK]", "pad_token": "[PAD]", "sep_token": "[SEP]", "unk_token": "[UNK]",
          "clean_up_tokenization_spaces": true, "model_input_names": ["input_ids", "attention_mask"]})";
  EXPECT_EQ(warnings_of("modernbert", config), std::vector<std::string>{});
  EXPECT_EQ(warnings_of("modernbert", R"({"mask_token": "<mask>"})").size(), 1u);
}

TEST(XlmRobertaTokenizer, AgreesWithItsConfig) {
  const std::string config = R"({"tokenizer_class": "XLMRobertaTokenizer", "add_prefix_space": true,
      "model_max_length": 512, "bos_token": "<s>", "cls_token": "<s>", "eos_token": "</s>", "mask_token":
      {"__type": "AddedToken", "content": "<mask>", "lstrip": true, "normalized": true, "rstrip": false,
       "single_word": false}, "pad_token": "<pad>", "sep_token": "</s>", "unk_token": "<unk>"})";
  EXPECT_EQ(warnings_of("unigram", config), std::vector<std::string>{});
  EXPECT_EQ(warnings_of("unigram", R"({"tokenizer_class": "XLMRobertaTokenizerFast"})"), std::vector<std::string>{});
  EXPECT_EQ(warnings_of("unigram", R"({"tokenizer_class": "RobertaTokenizer"})").size(), 1u);
  EXPECT_EQ(warnings_of("unigram", R"({"unk_token": "<pad>"})").size(), 1u);
  EXPECT_EQ(warnings_of("unigram_first", R"({"add_prefix_space": true})"), std::vector<std::string>{});
  EXPECT_TRUE(says(refusal_of([] { warnings_of("unigram", R"({"add_prefix_space": false})"); }),
                   "tokenizer_config.json: add_prefix_space is false, but tokenizer.json "
                   "(pre_tokenizer.prepend_scheme) says true"));
}

TEST(Tokenizer, AppendsToTheIdsThatAreThere) {
  const Golden golden = read_golden("bert_uncased");
  Ids alone;
  golden.tokenizer->encode("the dog", 16, alone);
  Ids appended = {9, 9, 9};
  golden.tokenizer->encode("the dog", 16, appended);
  Ids expected = {9, 9, 9};
  expected.insert(expected.end(), alone.begin(), alone.end());
  EXPECT_EQ(appended, expected);
}

TEST(Tokenizer, GivesTheSameIdsToManyThreadsAtOnce) {
  for (const char* name : {"bert_unclean", "roberta_space"}) {
    const Golden golden = read_golden(name);
    std::vector<Ids> results(4);
    std::vector<std::thread> threads;
    for (Ids& result : results) {
      threads.emplace_back([&golden, &result] {
        for (const Sample& sample : golden.samples) golden.tokenizer->encode(sample.sentence, 1000000, result);
      });
    }
    for (std::thread& thread : threads) thread.join();
    Ids expected;
    for (const Sample& sample : golden.samples)
      expected.insert(expected.end(), sample.whole.begin(), sample.whole.end());
    for (const Ids& result : results) EXPECT_EQ(result, expected) << name;
  }
}

// The digest that make_tokenizer.py documents.
void add_to_digest(const Ids& ids, std::uint64_t& digest) {
  const auto add = [&](std::uint64_t value) { digest = (digest ^ value) * 0x100000001B3; };
  for (const std::uint32_t id : ids) add(id);
  add(ids.size());
}

TEST(RealTokenizers, IdsOfAllSentencesOfSnliTestAreThoseOfTheReference) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  std::ifstream golden(gausscse::golden("tokenizer/corpora.txt"));
  std::size_t tokenizers = 0;
  for (std::string line; std::getline(golden, line); ++tokenizers) {
    std::istringstream words(line);
    std::string name, digits;
    std::size_t expected_count = 0, expected_tokens = 0;
    words >> name >> expected_count >> expected_tokens >> digits;
    const auto tokenizer = open_tokenizer(real_data() / "tokenizers" / name);
    std::ifstream corpus(real_data() / "snli_1.0-subset" / "snli_1.0_test.jsonl");
    std::uint64_t digest = 0xCBF29CE484222325;
    std::size_t count = 0, tokens = 0;
    for (std::string pair_line; std::getline(corpus, pair_line);) {
      const nlohmann::json pair = parse_strict_json(pair_line, "snli_1.0_test.jsonl");
      for (const char* key : {"sentence1", "sentence2"}) {
        Ids ids;
        tokenizer->encode(pair[key].get_ref<const std::string&>(), 20, ids);
        add_to_digest(ids, digest);
        tokens += ids.size();
        ++count;
      }
    }
    EXPECT_EQ(count, expected_count) << name;
    EXPECT_EQ(tokens, expected_tokens) << name;
    EXPECT_EQ(digest, std::stoull(digits, nullptr, 16)) << name;
  }
  EXPECT_EQ(tokenizers, 2u);
}

}  // namespace
}  // namespace gausscse
