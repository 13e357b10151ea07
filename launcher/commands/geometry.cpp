#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "dist/group_work.hpp"
#include "evaluation/geometry/geometry_report.hpp"
#include "evaluation/geometry/layer_statistics.hpp"
#include "evaluation/geometry/sentences_of_file.hpp"
#include "launcher/command.hpp"
#include "launcher/command_input.hpp"
#include "launcher/commands/model_options.hpp"
#include "launcher/json_option.hpp"
#include "launcher/libtorch_program.hpp"
#include "launcher/loaded_model.hpp"
#include "launcher/overwrite_option.hpp"
#include "launcher/standard_output.hpp"
#include "results/json_report.hpp"

namespace gausscse {

namespace {

struct GeometryArguments {
  std::string model, input, json, before, changes_of;
  std::int64_t frequent = 400;
  std::string precision = "fp32";
  GeometrySettings settings;
  DeviceOptions device;
  bool skip_bad_lines = false;
  ExistingFile existing = ExistingFile::refuse;
};

SentenceModel open_logged_encoder(const std::string& path, Precision precision, at::Device device) {
  SentenceModel opened = open_encoder(read_model_folder(path, FolderPart::encoder), precision, device);
  log_notes(opened.notes);
  return opened;
}

std::string agreement_of(const GeometryArguments& arguments, const SentenceModel& opened,
                         const std::optional<SentenceModel>& before) {
  const GeometrySettings& settings = arguments.settings;
  return concat(opened.agreement(), "FILE ", content_hash(arguments.input), "\npads ", settings.pads, "\nsamples ",
                settings.samples, "\ndraws ", settings.draws, "\nseed ", settings.seed, "\nbad lines ",
                arguments.skip_bad_lines ? "skipped" : "refused", "\n",
                before ? concat("--before ", arguments.frequent, "\n", before->agreement()) : "");
}

TokenGeometry measure(const SentenceModel& opened, const std::string& file, const std::vector<std::string>& sentences,
                      const GeometrySettings& settings, Process& process) {
  SentenceEncoder& encoder = *encoder_of(*opened.embedder);
  const TokenStore store =
      TokenStore::from_sentences(sentences, *opened.tokenizer, opened.max_tokens, process.threads());
  Notes notes;
  note_token_counts(file, store.token_counts().front(), opened.max_tokens, opened.positions, notes);
  note_exceeded_limits(*opened.tokenizer, opened.max_tokens, "", notes);
  log_notes(notes);
  const auto padding = static_cast<std::uint32_t>(encoder.settings().encoder.pad_token_id);
  return measure_token_geometry(encoder, store, padding, settings, process.communicator());
}

std::vector<TokenSelfSimilarity> adjusted_self_similarities(const TokenGeometry& geometry, const Tokenizer& tokenizer) {
  return adjusted_self_similarities(geometry.self_similarities, geometry.layers.back().anisotropy, tokenizer.tokens());
}

SelfSimilarityChange change_of(const GeometryArguments& arguments, const std::vector<TokenSelfSimilarity>& before,
                               const std::vector<TokenSelfSimilarity>& after) {
  SelfSimilarityChange change = self_similarity_change(before, after, static_cast<std::size_t>(arguments.frequent));
  if (change.tokens.empty())
    throw InputError(concat("--before ", arguments.before, ": none of the most frequent tokens of ", arguments.input,
                            " has a self-similarity in both models, which takes the same string in both vocabularies "
                            "and ",
                            CountedIds::least_occurrences,
                            " occurrences in two sentences or more: give the model that MODEL was trained from, or a "
                            "longer text"));
  return change;
}

int run_geometry(const GeometryArguments& arguments, const CommonOptions& common) {
  continue_with_libtorch(common.process.command_line);
  Process process(common.process);
  Communicator& communicator = process.communicator();
  start_log(communicator, common.verbosity());
  if (!arguments.json.empty())
    run_on_root(communicator, [&] {
      std::vector<InputPath> inputs{{"MODEL", arguments.model}, {"FILE", arguments.input}};
      if (!arguments.before.empty()) inputs.push_back({"--before", arguments.before});
      if (!arguments.changes_of.empty()) inputs.push_back({"--changes-of", arguments.changes_of});
      check_report_file(arguments.json, inputs, arguments.existing);
    });
  std::vector<TokenChange> other_changes;
  if (!arguments.changes_of.empty())
    run_on_root(communicator, [&] { other_changes = read_changes(arguments.changes_of); });
  keep_piped_inputs(std::vector<std::filesystem::path>{arguments.input}, communicator);
  const at::Device device = process.choose_device(arguments.device.request()).device;
  const auto precision = parse_choice<Precision>("--precision", arguments.precision);
  LongOperation reading(communicator);
  const SentenceModel opened = open_logged_encoder(arguments.model, precision, device);
  std::optional<SentenceModel> before;
  if (!arguments.before.empty()) before = open_logged_encoder(arguments.before, precision, device);
  check_agreement(communicator, model_and_inputs, agreement_of(arguments, opened, before));
  warn_of_different_instructions(process.provenance(), encoder_of(*opened.embedder));
  ReadReport report;
  const std::vector<std::string> sentences =
      read_sentences(arguments.input, arguments.skip_bad_lines ? BadLines::skip : BadLines::error, report);
  Notes bad_lines;
  note_bad_lines(arguments.input, report, bad_lines);
  log_notes(bad_lines);
  reading.end();
  const TokenGeometry geometry = measure(opened, arguments.input, sentences, arguments.settings, process);
  std::optional<ComparedGeometry> compared;
  if (before) {
    // Nothing of its samples is printed.
    const GeometrySettings settings{.pads = arguments.settings.pads, .samples = 2, .draws = 0};
    const TokenGeometry earlier = measure(*before, arguments.input, sentences, settings, process);
    compared = {.before = arguments.before,
                .change = change_of(arguments, adjusted_self_similarities(earlier, *before->tokenizer),
                                    adjusted_self_similarities(geometry, *opened.tokenizer))};
  }
  if (!communicator.is_root()) return 0;
  if (compared && !arguments.changes_of.empty())
    compared->correlation = correlate_changes(compared->change.tokens, arguments.changes_of, other_changes);
  if (!is_standard_output(arguments.json)) {
    print_text(geometry_table(geometry));
    if (compared) print_text(change_table(*compared));
  }
  if (!arguments.json.empty()) write_report(arguments.json, geometry_json(geometry, compared));
  return 0;
}

}  // namespace

void add_geometry_command(CLI::App& app, Action& action) {
  const auto [command, arguments] =
      add_command<GeometryArguments>(app, action, "geometry",
                                     "measure the geometry of a model's token states, layer by layer: anisotropy, "
                                     "similarities, norms, rogue dimensions",
                                     with_skip_advice(run_geometry));
  command->add_option("MODEL", arguments->model, "a Hugging Face folder, or folder `model` of a finished run")
      ->required();
  command
      ->add_option("FILE", arguments->input,
                   "text file, one sentence per line, or a file of the STS benchmark, whose sentence1 is read")
      ->required();
  command->add_flag("--skip-bad-lines", arguments->skip_bad_lines, "skip bad lines and count them instead of stopping");
  command->add_flag("--pads", arguments->settings.pads, "count padding as a token id, as the released notebook does");
  command
      ->add_option("--samples", arguments->settings.samples,
                   "sentences of a sampled metric, which takes one token of each")
      ->capture_default_str()
      ->check(CLI::Range(2, 100000));
  command->add_option("--draws", arguments->settings.draws, "number of samples over which informativity is averaged")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000));
  command->add_option("--seed", arguments->settings.seed, "seed of the samples")->capture_default_str();
  command->add_option("--precision", arguments->precision, "precision of matmuls")
      ->capture_default_str()
      ->check(one_of(words_of<Precision>()));
  add_device_options(*command, arguments->device);
  CLI::Option* before =
      command->add_option("--before", arguments->before,
                          "model before training; prints how the self-similarity of tokens changed from it to MODEL");
  command->add_option("--frequent", arguments->frequent, "number of most frequent tokens that --before compares")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000000))
      ->needs(before);
  command
      ->add_option("--changes-of", arguments->changes_of,
                   "report of another model, written with --before and --json; prints how its changes correlate with "
                   "those of MODEL")
      ->needs(before);
  add_json_option(*command, arguments->json);
  add_overwrite_option(*command, arguments->existing, "the file of --json");
}

}  // namespace gausscse
