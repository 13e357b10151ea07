#include "demo/generator/generated_corpus.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "base/output_paths.hpp"
#include "demo/generator/nli_generator.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

void write_part(const fs::path& path, const GeneratorOptions& options) {
  constexpr std::size_t block_bytes = std::size_t{1} << 20;
  if (options.pairs == 0) return;
  FileDescriptor file = file_calls::create_file(path);
  std::string block;
  generate_nli_pairs(options, [&](const GeneratedPair& pair) {
    block += snli_json_line(pair);
    if (block.size() < block_bytes) return;
    file_calls::write_all(file, block, path);
    block.clear();
  });
  file_calls::write_all(file, block, path);
  file_calls::close(std::move(file), path);
}

void check_before_writing(const fs::path& folder, const GeneratedCorpusOptions& options) {
  if (options.train_pairs == 0 && options.dev_pairs == 0 && options.test_pairs == 0) {
    throw InputError("no pairs are asked for: give a number of train, dev or test pairs");
  }
  for (const std::uint64_t pairs : {options.train_pairs, options.dev_pairs, options.test_pairs}) {
    if (pairs <= max_generated_pairs) continue;
    throw InputError(
        concat(pairs, " pairs are more than the ", max_generated_pairs, " of a generated corpus: ask for fewer"));
  }
  check_new_folder("the folder of the corpus", folder);
}

}  // namespace

void write_generated_corpus(const fs::path& folder, const GeneratedCorpusOptions& options) {
  check_before_writing(folder, options);
  AtomicFolder whole(folder);
  write_part(whole.staging() / "train.jsonl", {options.train_pairs, options.seed, CorpusPart::train});
  write_part(whole.staging() / "dev.jsonl", {options.dev_pairs, options.seed, CorpusPart::dev});
  write_part(whole.staging() / "test.jsonl", {options.test_pairs, options.seed, CorpusPart::test});
  whole.commit();
}

}  // namespace gausscse
