#include <spdlog/spdlog.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/output_paths.hpp"
#include "base/temporary_name.hpp"
#include "dist/group_work.hpp"
#include "inference/export/exported_folder.hpp"
#include "inference/export/features.hpp"
#include "inference/search/rows_file.hpp"
#include "launcher/command.hpp"
#include "launcher/command_input.hpp"
#include "launcher/commands/model_options.hpp"
#include "launcher/loaded_model.hpp"
#include "launcher/overwrite_option.hpp"
#include "launcher/version.hpp"
#include "model/hub/given_folder.hpp"
#include "model/similarities/list.hpp"
#include "results/embeddings_file.hpp"

namespace gausscse {

namespace {

/// Forms of an exported model.
enum class ExportForm { sentence_transformers, sentence_transformers_gaussian, mean_only, onnx, features };

}  // namespace

template <>
inline constexpr NameTable<ExportForm, 5> names<ExportForm>{
    {{ExportForm::sentence_transformers, "sentence-transformers"},
     {ExportForm::sentence_transformers_gaussian, "sentence-transformers-gaussian"},
     {ExportForm::mean_only, "mean-only"},
     {ExportForm::onnx, "onnx"},
     {ExportForm::features, "features"}}};

namespace {

struct ExportArguments {
  SentenceModelOptions model;
  std::string output, form, sentences, side, direction;
  ModelFacts facts;
  bool skip_bad_lines = false;
  ExistingFile existing = ExistingFile::refuse;
};

/// Rows that features are made of.
struct FeatureOptions {
  FeatureSide side;
  SearchDirection direction;
};

FeatureOptions feature_options(const ExportArguments& arguments) {
  for (const auto& [option, value] : {std::pair{"--sentences FILE", &arguments.sentences},
                                      {"--side stored|query", &arguments.side},
                                      {"--direction entails|entailed-by", &arguments.direction}})
    if (value->empty())
      throw InputError(
          concat("--as features: features are those of sentences, for one side and one direction: give ", option));
  return {parse_choice<FeatureSide>("--side", arguments.side),
          parse_choice<SearchDirection>("--direction", arguments.direction)};
}

/// Throws InputError unless the inner product of features orders as a similarity of this model does; warns where it
/// does so nearly.
void check_similarity_of_features(const SentenceModel& model, const std::string& path) {
  const Similarity similarity = model.properties.similarity;
  const std::string has = concat(path, ": the model has the similarity ", quoted(name_of(similarity)));
  if (similarity == Similarity::cosine)
    throw InputError(concat(has, ": store the embeddings of `gausscse encode`, and search by cosine"));
  if (const std::string_view vectors = euclidean_vectors(similarity); !vectors.empty())
    throw InputError(concat(has, ", which has no direction: store ", vectors,
                            " of `gausscse encode`, and search by Euclidean distance"));
  if (!has_direction(similarity))
    throw InputError(concat(has, ", which has no direction, and features order by joint KL: use `gausscse search`"));
  if (!has_joint_terms(similarity))
    spdlog::warn(
        "{}, which is no inner product; these features order by joint KL: take more candidates than you need, and "
        "order "
        "them with `gausscse score`",
        has);
}

void export_features(const ExportArguments& arguments, const FeatureOptions& options, SentenceModel& model,
                     Process& process) {
  Communicator& communicator = process.communicator();
  check_similarity_of_features(model, arguments.model.path);
  RowsFile file(
      arguments.sentences, model,
      {.bad_lines = arguments.skip_bad_lines ? BadLines::skip : BadLines::error, .trim = model.properties.trim});
  check_agreement(communicator, model_and_inputs,
                  concat(model.agreement(), "--sentences ", file.content_hash(), "\nbad lines ",
                         arguments.skip_bad_lines ? "skipped" : "refused", "\n"));
  if (file.is_text()) {
    Notes bad_lines;
    note_bad_lines(arguments.sentences, file.text().report(), bad_lines);
    log_notes(bad_lines);
  }
  const std::int64_t width = model.embedder->width() + 1;
  std::optional<EmbeddingsWriter> writer;
  if (communicator.is_root()) {
    remove_abandoned_siblings(arguments.output);
    writer.emplace(arguments.output, std::vector<std::string>{"features"}, static_cast<std::int64_t>(file.rows()),
                   width,
                   EmbeddingsAttributes{.texts = {{"format", "gausscse-features/1"},
                                                  {"model", arguments.model.path},
                                                  {"model_hash", model.hash()},
                                                  {"side", arguments.side},
                                                  {"direction", arguments.direction},
                                                  {"version", version()}},
                                        .counts = {}});
  }
  log_notes(read_rows(
      file, model, communicator, {.threads = process.threads()}, [&](const at::Tensor& rows, std::uint64_t first_row) {
        const at::Tensor features = joint_features(rows.contiguous(), options.side, options.direction, first_row);
        if (writer) writer->append({{features.const_data_ptr<float>(), static_cast<std::size_t>(features.numel())}});
      }));
  if (!writer) return;
  writer->commit();
  spdlog::info("{} rows of {} features: {}", file.rows(), width, arguments.output);
}

void export_folder(const ExportArguments& arguments, ExportForm form, const SentenceModel& model) {
  const std::string& path = arguments.model.path;
  if (!model.has_layers())
    throw InputError(
        concat(path, ": word vectors have no encoder: --as ", arguments.form, " takes the folder of a model"));
  if (form == ExportForm::onnx) {
    export_onnx(arguments.output, model, version(), arguments.facts);
    return;
  }
  if (!is_saved_model(model_folder_of(path)))
    throw InputError(
        concat(path, ": gausscse did not train this model: sentence-transformers opens the folder as it is"));
  export_sentence_transformers(
      arguments.output, model,
      {.modules = form == ExportForm::sentence_transformers_gaussian ? GaussianModules::mean_and_log_var
                                                                     : GaussianModules::mean,
       .has_properties = form != ExportForm::mean_only,
       .facts = arguments.facts});
}

int run_export(const ExportArguments& arguments, const CommonOptions& common) {
  Process process(common.process);
  Communicator& communicator = process.communicator();
  start_log(communicator, common.verbosity());
  const auto form = parse_choice<ExportForm>("--as", arguments.form);
  const std::optional<FeatureOptions> features =
      form == ExportForm::features ? std::optional(feature_options(arguments)) : std::nullopt;
  run_on_root(communicator, [&] {
    if (!features) {
      if (!arguments.sentences.empty() || !arguments.side.empty() || !arguments.direction.empty())
        throw InputError(concat("--as ", arguments.form,
                                ": --sentences, --side and --direction are of --as features: ", "leave them out"));
      check_new_folder("OUT", arguments.output);
      return;
    }
    if (arguments.facts != ModelFacts())
      throw InputError(
          "--as features: a file of features has no README.md: leave --base-model, --language, --license and "
          "--dataset out");
    const std::vector<InputPath> inputs{{"MODEL", arguments.model.path}, {"--sentences", arguments.sentences}};
    check_output_file("OUT", arguments.output, inputs, arguments.existing);
    embeddings_format(arguments.output);
  });
  if (features) keep_piped_inputs(std::vector<std::filesystem::path>{arguments.sentences}, communicator);
  SentenceModel model = open_logged_model(arguments.model, at::kCPU, communicator, !common.quiet);
  if (features) {
    export_features(arguments, *features, model, process);
    return 0;
  }
  run_on_root(communicator, [&] { export_folder(arguments, form, model); });
  spdlog::info("{} as {}: {}", arguments.model.path, arguments.form, arguments.output);
  return 0;
}

}  // namespace

void add_export_command(CLI::App& app, Action& action) {
  const auto [command, arguments] = add_command<ExportArguments>(
      app, action, "export",
      "write a model for other programs: sentence-transformers, ONNX, or features of sentences for a store of vectors",
      with_skip_advice(run_export));
  add_model_options(*command, arguments->model);
  command
      ->add_option("OUT", arguments->output,
                   "new folder; with --as features a file as of encode, such as OUT.npy, with the array features")
      ->required();
  command
      ->add_option("--as", arguments->form,
                   "sentence-transformers: the mean; sentence-transformers-gaussian: also the log-variance, as "
                   "output_value=\"log_variance\"; mean-only: the mean, without the files of gausscse; onnx; features: "
                   "float32 rows whose inner products order by joint KL")
      ->required()
      ->check(one_of(words_of<ExportForm>()));
  command->add_option(
      "--sentences", arguments->sentences,
      "with --as features: text file, one sentence per line, or a file that encode wrote; -: standard input");
  command->add_option("--side", arguments->side, "with --as features: stored (the rows that are searched) or query")
      ->check(one_of(words_of<FeatureSide>()));
  command
      ->add_option("--direction", arguments->direction,
                   "with --as features: entails (find rows that entail the query) or entailed-by (rows that the query "
                   "entails); one inner product has one direction")
      ->check(one_of(words_of<SearchDirection>(SearchDirection::both)));
  ModelFacts& facts = arguments->facts;
  command->add_option("--base-model", facts.base_model,
                      "name on the Hugging Face hub of the encoder that the model began with");
  command->add_option("--language", facts.languages, "language of the sentences, such as en (repeatable)")
      ->expected(1)
      ->take_all();
  command->add_option("--license", facts.license, "licence of the model, such as apache-2.0");
  command->add_option("--dataset", facts.datasets, "name on the hub of training data (repeatable)")
      ->expected(1)
      ->take_all();
  command->add_flag("--skip-bad-lines", arguments->skip_bad_lines,
                    "skip lines that are not UTF-8 instead of stopping; they get no row");
  add_overwrite_option(*command, arguments->existing, "the file of --as features");
}

}  // namespace gausscse
