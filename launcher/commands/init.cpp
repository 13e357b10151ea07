#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/choice.hpp"
#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/output_paths.hpp"
#include "base/shard_names.hpp"
#include "base/text.hpp"
#include "base/user_paths.hpp"
#include "config/proposal/proposed_trial.hpp"
#include "config/schema/key_kinds.hpp"
#include "data/corpus/token_counts.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "dist/communicator.hpp"
#include "inference/notes.hpp"
#include "launcher/command.hpp"
#include "launcher/command_input.hpp"
#include "launcher/layout_option.hpp"
#include "launcher/loaded_model.hpp"
#include "launcher/log.hpp"
#include "launcher/named_set.hpp"
#include "launcher/overwrite_option.hpp"
#include "launcher/standard_output.hpp"
#include "launcher/trial_paths.hpp"
#include "model/folder/model_folder_reader.hpp"
#include "model/weights/encoder_config.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

struct InitArguments {
  std::string trial, backbone, recipe, dev;
  std::vector<std::string> train, tests;
  CorpusLayout layout;
  bool skip_bad_lines = false;
  ExistingFile existing = ExistingFile::refuse;

  BadLines bad_lines() const { return skip_bad_lines ? BadLines::skip : BadLines::error; }
};

/// Returns whether a file has scores, or entailments among its labels; if not, logs the reason.
bool can_be_measured(const fs::path& file, const InitArguments& arguments) {
  try {
    const FileContent content = read_columns(file, arguments.layout).content;
    if (content == FileContent::scored_pairs) return true;
    if (content != FileContent::labelled_pairs) throw InputError("it has neither labels nor scores");
    return sample_data({file}, arguments.layout, arguments.bad_lines()).pairs > 0;
  } catch (const InputError& error) {
    spdlog::info("{}: is not measured: {}", file.string(), error.what());
    return false;
  }
}

/// Takes sets of the folders of --train in place of --dev and --test, where they are not given.
InitArguments with_sets_of_folders(InitArguments arguments) {
  std::vector<std::string> sets;
  const auto add = [&](const char* name) {
    for (const std::string& folder : arguments.train)
      for (const fs::path& file : sets_of_folder(folder, name))
        if (can_be_measured(file, arguments)) sets.push_back(file.string());
  };
  if (arguments.dev.empty()) add("validation");
  if (!sets.empty()) {
    arguments.dev = sets.front();
    sets.erase(sets.begin());
  }
  if (arguments.tests.empty()) add("test");
  arguments.tests.insert(arguments.tests.end(), sets.begin(), sets.end());
  return arguments;
}

std::vector<MeasuredSet> measured_sets(const InitArguments& arguments, std::vector<MeasuredSet>& dev) {
  if (!arguments.dev.empty()) dev.push_back({"dev", read_columns(arguments.dev, arguments.layout)});
  std::vector<MeasuredSet> tests;
  for (const std::string& given : arguments.tests) {
    auto [name, file] = named_set("--test", given);
    const auto is_used = [&](const std::string& candidate) {
      return candidate == "dev" ||
             std::any_of(tests.begin(), tests.end(), [&](const MeasuredSet& other) { return other.name == candidate; });
    };
    const std::string first = name;
    for (int number = 2; is_used(name); ++number) name = concat(first, "_", number);
    tests.push_back({name, read_columns(file, arguments.layout)});
  }
  return tests;
}

/// Returns the lengths of the sample's sentences, and warns of tokens that the vocabulary lacks.
SampledLengths lengths_of(const std::vector<std::string>& sentences, const Tokenizer& tokenizer,
                          std::size_t encoder_tokens) {
  std::vector<std::size_t> lengths;
  std::vector<std::uint32_t> ids;
  TokenCounts counts;
  for (const std::string& sentence : sentences) {
    ids.clear();
    const bool is_cut = tokenizer.encode(sentence, encoder_tokens, ids);
    lengths.push_back(ids.size());
    counts.add(tokenizer, sentence, ids, is_cut);
  }
  Notes notes;
  note_token_counts("sampled sentences", counts, encoder_tokens, encoder_tokens, notes);
  log_notes(notes);
  std::sort(lengths.begin(), lengths.end());
  return {
      .longest = lengths.back(), .of_most = lengths[(lengths.size() - 1) * 99 / 100], .encoder_tokens = encoder_tokens};
}

/// Checks the path of the trial, which takes the place of no file that is read.
void check_trial_file(const InitArguments& arguments) {
  std::vector<InputPath> inputs{{"--backbone", arguments.backbone}};
  for (const std::string& given : arguments.train)
    for (const fs::path& file : key_kinds::file_or_shards(given, "train")) inputs.push_back({"--train", file});
  if (!arguments.dev.empty()) inputs.push_back({"--dev", arguments.dev});
  for (const std::string& test : arguments.tests) inputs.push_back({"--test", named_set("--test", test).second});
  check_output_file("TRIAL", arguments.trial, inputs, arguments.existing);
}

/// Reads the backbone's files; the tokens of the sample are counted by its tokenizer.
void look_at_backbone(const InitArguments& arguments, const fs::path& folder, ProposalRequest& request) {
  const ModelFolder backbone = read_model_folder(arguments.backbone, FolderPart::encoder);
  const EncoderConfig encoder = read_encoder_config(backbone.encoder);
  request.backbone = path_from(folder, arguments.backbone);
  request.own_pooling = own_pooling(arguments.backbone, backbone);
  request.backbone_text = concat(counted(encoder.layers, "layer"), " of size ", encoder.hidden_size,
                                 " and takes at most ", encoder.max_tokens(), " tokens of a sentence");
  request.lengths = lengths_of(request.data.sentences, *open_tokenizer(backbone.encoder), encoder.max_tokens());
}

void warn_of_missing_shards(const std::vector<fs::path>& files) {
  if (const std::string missing = missing_shards_text(files); !missing.empty()) spdlog::warn(missing);
}

/// Reads the beginnings of all files, and logs their columns.
void look_at_data(const InitArguments& arguments, const fs::path& folder, ProposalRequest& request) {
  std::vector<fs::path> files;
  for (const std::string& given : arguments.train) {
    const std::vector<fs::path> found = key_kinds::file_or_shards(given, "train");
    if (found.empty())
      throw InputError(concat("--train ", given, ": is a folder without files train*.parquet: name the files in it"));
    if (const std::string missing = key_kinds::missing_shards_of_folder(given, found); !missing.empty())
      throw InputError(concat("--train ", given, missing));
    files.insert(files.end(), found.begin(), found.end());
    request.train.push_back(path_from(folder, given));
  }
  warn_of_missing_shards(files);
  request.data = sample_data(files, request.layout, request.bad_lines);
  Notes bad_lines;
  for (std::size_t i = 0; i < files.size(); ++i)
    note_bad_lines(files[i].string(), request.data.reports.at(i), bad_lines);
  log_notes(bad_lines);
  request.tests = measured_sets(arguments, request.dev);
  std::vector<FileColumns> all = request.data.files;
  for (std::vector<MeasuredSet>* sets : {&request.dev, &request.tests}) {
    for (MeasuredSet& set : *sets) {
      warn_of_missing_shards({set.columns.path});
      all.push_back(set.columns);
      set.columns.path = path_from(folder, set.columns.path);
    }
  }
  check_columns(arguments.layout, all);
  for (const FileColumns& file : all)
    spdlog::info("{}: {}", file.path.string(),
                 file.text.empty() ? "two sentences and a score" : concat("columns: ", file.text));
}

int run_init(const InitArguments& given, const CommonOptions& common) {
  if (!is_first_process()) return 0;
  start_log(*make_self_communicator(), common.verbosity());
  const InitArguments arguments = with_sets_of_folders(given);
  const bool printed = is_standard_output(arguments.trial);
  const fs::path trial = printed ? fs::path("trial.yaml") : fs::path(arguments.trial);
  if (!printed) check_trial_file(arguments);
  const fs::path folder = fs::absolute(trial).lexically_normal().parent_path();
  ProposalRequest request;
  if (!arguments.recipe.empty()) request.recipe = find_choice<setting::Recipe>(arguments.recipe);
  request.layout = arguments.layout;
  request.bad_lines = arguments.bad_lines();
  request.output = new_output(folder, trial.stem().string());
  look_at_data(arguments, folder, request);
  look_at_backbone(arguments, folder, request);

  const ProposedTrial proposed = propose_trial(request);
  spdlog::info("{}; recipe {}, about {}", proposed.data_text, name_of(proposed.trial.recipe),
               counted(proposed.steps, "step"));
  if (proposed.trial.tasks.empty()) spdlog::info("nothing is measured: --dev takes a set with labels or scores");
  const std::string model = (trial.parent_path() / request.output).lexically_normal().string(),
                    train = concat("gausscse train ", shell_word(trial.string())),
                    score = concat("gausscse score ", shell_word(model), " pairs.tsv --header");
  const std::string text = to_commented_yaml(
      proposed.trial, proposed.remarks,
      {"A trial, as gausscse init proposes it. Keys that are not here have the recipe's defaults: gausscse train "
       "--keys prints all of them.",
       concat("Train: ", train), concat("Score pairs of sentences, with a tab between the two: ", score)},
      folder);
  if (printed) {
    print_answer(text);
    return 0;
  }
  write_file_atomically(trial, text);
  print_text(concat("wrote ", visible_text(trial.string()), "\ntrain: ", visible_text(train), "\nscore: ",
                    visible_text(score), "   # pairs.tsv: two sentences a line, with a tab between them\n"));
  return 0;
}

}  // namespace

void add_init_command(CLI::App& app, Action& action) {
  const auto [command, arguments] = add_command<InitArguments>(
      app, action, "init", "write a commented trial for your data and backbone", with_skip_advice(run_init));
  command->add_option("TRIAL", arguments->trial, "trial file to write; -: standard output")->required();
  command->add_option("--backbone", arguments->backbone, "model folder, or the folder of a run")->required();
  command
      ->add_option("--train", arguments->train,
                   "files of triples, pairs or pairs with labels: CSV, TSV, JSON, Parquet, compressed or not; or a "
                   "folder with train*.parquet")
      ->required()
      ->check([](const std::string& file) {
        const bool is_trial = file.ends_with(".yaml") || file.ends_with(".yml");
        return is_trial
                   ? quoted(file, 200) + " is no file of sentences: give TRIAL first, gausscse init TRIAL --train FILE"
                   : std::string();
      });
  command->add_option(
      "--dev", arguments->dev,
      "set with labels or scores, which chooses the state that is kept (default: the validation set of a folder)");
  command->add_option("--test", arguments->tests,
                      "FILE or NAME=FILE: sets that are measured at the end (default: the test sets of a folder)");
  command
      ->add_option("--recipe", arguments->recipe,
                   "recipe (default: released; without contradictions contrastive_pairs)")
      ->check(one_of(words_of<setting::Recipe>()));
  add_layout_options(*command, arguments->layout, NamedColumns::nli_and_triples);
  command->add_flag("--skip-bad-lines", arguments->skip_bad_lines, "let the trial skip bad lines and count them");
  add_overwrite_option(*command, arguments->existing, "TRIAL");
}

}  // namespace gausscse
