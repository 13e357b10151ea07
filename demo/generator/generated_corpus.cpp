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
#include "base/philox.hpp"
#include "demo/generator/rules.hpp"
#include "demo/generator/scene.hpp"
#include "demo/generator/wording.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

constexpr std::array labels{NliLabel::entailment, NliLabel::neutral, NliLabel::contradiction};
constexpr std::array<std::string_view, 3> part_names{"train", "dev", "test"};

/// Returns the part of a premise: of 16 premises about one belongs to dev and one to test.
CorpusPart part_of(std::string_view premise) {
  switch (XXH3_64bits(premise.data(), premise.size()) % 16) {
    case 0:
      return CorpusPart::dev;
    case 1:
      return CorpusPart::test;
    default:
      return CorpusPart::train;
  }
}

std::string hypothesis(NliLabel label, PhiloxStream& draws, const Scene& scene) {
  switch (label) {
    case NliLabel::entailment:
      return entailed_hypothesis(draws, scene);
    case NliLabel::neutral:
      return neutral_hypothesis(draws, scene);
    default:
      return contradicted_hypothesis(draws, scene);
  }
}

void check_number(std::uint64_t pairs) {
  if (pairs <= max_generated_pairs) return;
  throw InputError(
      concat(pairs, " pairs are more than the ", max_generated_pairs, " of a generated corpus: ask for fewer"));
}

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
  for (const std::uint64_t pairs : {options.train_pairs, options.dev_pairs, options.test_pairs}) check_number(pairs);
  check_new_folder("the folder of the corpus", folder);
}

}  // namespace

void generate_nli_pairs(const GeneratorOptions& options, const GeneratedPairSink& sink) {
  check_number(options.pairs);
  std::uint64_t written = 0;
  std::uint64_t premises = 0;
  // Each draw of a premise has its own stream, so that none depends on how much another drew.
  for (std::uint64_t stream = 0; written < options.pairs; ++stream) {
    PhiloxStream draws(options.seed, stream);
    const Scene scene = draw_scene(draws);
    static constexpr std::array forms{Form::plain, Form::plain, Form::plain, Form::plain, Form::passive, Form::there};
    const std::string premise = sentence(scene, forms[pick(draws, forms.size())], false);
    if (part_of(premise) != options.part) continue;
    const std::size_t first = pick(draws, labels.size());
    for (std::size_t i = 0; i < labels.size() && written < options.pairs; ++i, ++written) {
      const NliLabel label = labels[(first + i) % labels.size()];
      GeneratedPair generated;
      generated.pair = {premise, hypothesis(label, draws, scene), label, false};
      generated.caption_id = concat(part_names[static_cast<std::size_t>(options.part)], "-", premises);
      generated.pair_id = concat(generated.caption_id, "r1", nli_label_name(label).front());
      sink(generated);
    }
    ++premises;
  }
}

std::string snli_json_line(const GeneratedPair& generated) {
  nlohmann::ordered_json line;
  const std::string label(nli_label_name(generated.pair.label));
  line["annotator_labels"] = {label};
  line["captionID"] = generated.caption_id;
  line["gold_label"] = label;
  line["pairID"] = generated.pair_id;
  line["sentence1"] = generated.pair.premise;
  line["sentence2"] = generated.pair.hypothesis;
  return line.dump() + "\n";
}

void write_generated_corpus(const fs::path& folder, const GeneratedCorpusOptions& options) {
  check_before_writing(folder, options);
  AtomicFolder whole(folder);
  write_part(whole.staging() / "train.jsonl", {options.train_pairs, options.seed, CorpusPart::train});
  write_part(whole.staging() / "dev.jsonl", {options.dev_pairs, options.seed, CorpusPart::dev});
  write_part(whole.staging() / "test.jsonl", {options.test_pairs, options.seed, CorpusPart::test});
  whole.commit();
}

}  // namespace gausscse
