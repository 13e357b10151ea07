#include "demo/generator/generated_corpus.hpp"

#include <xxhash.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "base/output_paths.hpp"
#include "demo/generator/sentences.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

/// Returns the file of a premise: of 16 premises about one belongs to dev and one to test.
std::string_view part_of(std::string_view premise) {
  const XXH64_hash_t sixteenth = XXH3_64bits(premise.data(), premise.size()) % 16;
  return sixteenth == 0 ? "dev" : sixteenth == 1 ? "test" : "train";
}

/// Writes the pairs of premises that belong to a file, one by one, so that memory does not grow with their number.
void write_part(const fs::path& folder, std::string_view part, std::uint64_t pairs, std::uint64_t seed) {
  static constexpr std::array labels{NliLabel::entailment, NliLabel::neutral, NliLabel::contradiction};
  if (pairs == 0) return;
  const fs::path path = folder / concat(part, ".jsonl");
  FileDescriptor file = file_calls::create_file(path);
  std::string block;
  std::uint64_t written = 0, premises = 0;
  // Each draw of a premise has its own stream, so that none depends on how much another drew.
  for (std::uint64_t stream = 0; written < pairs; ++stream) {
    PhiloxStream draws(seed, stream);
    const Scene scene = draw_scene(draws);
    const std::string premise = sentence(draws, scene, false);
    if (part_of(premise) != part) continue;
    const std::string caption = concat(part, "-", premises++);
    const std::size_t first = draws.below(labels.size());
    for (std::size_t i = 0; i < labels.size() && written < pairs; ++i, ++written) {
      const NliLabel label = labels[(first + i) % labels.size()];
      const std::string name(nli_label_name(label));
      const nlohmann::ordered_json line{{"annotator_labels", {name}}, {"captionID", caption},
                                        {"gold_label", name},         {"pairID", concat(caption, "r1", name.front())},
                                        {"sentence1", premise},       {"sentence2", hypothesis(draws, scene, label)}};
      block += line.dump() + "\n";
    }
    if (block.size() < (std::size_t{1} << 20) && written < pairs) continue;
    file_calls::write_all(file, block, path);
    block.clear();
  }
  file_calls::close(std::move(file), path);
}

}  // namespace

void write_generated_corpus(const fs::path& folder, const GeneratedCorpusOptions& options) {
  const std::array<std::pair<std::string_view, std::uint64_t>, 3> parts{
      {{"train", options.train_pairs}, {"dev", options.dev_pairs}, {"test", options.test_pairs}}};
  if (options.train_pairs == 0 && options.dev_pairs == 0 && options.test_pairs == 0)
    throw InputError("no pairs are asked for: give a number of train, dev or test pairs");
  for (const auto& [part, pairs] : parts)
    if (pairs > max_generated_pairs)
      throw InputError(
          concat(pairs, " pairs are more than the ", max_generated_pairs, " of a generated corpus: ask for fewer"));
  check_new_folder("the folder of the corpus", folder);
  AtomicFolder whole(folder);
  for (const auto& [part, pairs] : parts) write_part(whole.staging(), part, pairs, options.seed);
  whole.commit();
}

}  // namespace gausscse
