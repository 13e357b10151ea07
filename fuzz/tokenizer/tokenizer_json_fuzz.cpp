// One of the JSON files of a tokenizer: a byte that chooses the file and a text, then the file.

#include <cstddef>
#include <cstdint>

#include "base/error.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "fuzz/tokenizer/fuzz_checks.hpp"

namespace {

constexpr const char* file_names[] = {"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"};

constexpr const char* texts[] = {"a cat, [SEP]  <mask> ab", "\u00c9t\u00e9 \u4e2d\u0301 [CLS]\ta", "", "   ",
                                 "he'll <s>xx</s> \xff"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned choice = data[0];
  const std::string content(reinterpret_cast<const char*>(data) + 1, size - 1);
  const char* name = file_names[choice % std::size(file_names)];
  gausscse::TokenizerFiles files{{}, {{name, content}}};
  if (choice % std::size(file_names) != 0)
    files.contents["vocab.txt"] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\ncat\n##s\n##b\n,\nab\n";
  try {
    const auto tokenizer = gausscse::make_tokenizer(files);
    gausscse::check_encoding(*tokenizer, texts[choice / std::size(file_names) % std::size(texts)], 1000);
  } catch (const gausscse::InputError&) {
  }
  return 0;
}
