#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "dist/group_work.hpp"
#include "inference/search/mined_pairs.hpp"
#include "inference/search/row_texts.hpp"
#include "inference/search/top_rows.hpp"
#include "launcher/command.hpp"
#include "launcher/command_input.hpp"
#include "launcher/commands/search_answer.hpp"
#include "launcher/loaded_model.hpp"
#include "launcher/loaded_rows.hpp"
#include "launcher/mined_output.hpp"
#include "launcher/standard_output.hpp"
#include "model/similarities/list.hpp"
#include "results/json_report.hpp"

namespace gausscse {

namespace {

void write_answer(const SearchArguments& arguments, const SearchAnswer& answer) {
  if (!arguments.out.empty()) {
    write_file_atomically(arguments.out, search_file(answer, search_format(arguments.out)));
    spdlog::info("{} queries, {} rows: {}", answer.queries, answer.rows, arguments.out);
  } else if (!is_standard_output(arguments.json)) {
    print_answer((arguments.header ? search_header(answer) : "") + search_lines(answer));
  }
  if (!arguments.json.empty()) write_report(arguments.json, search_json(answer));
}

/// Returns the files if all are texts, else none.
std::vector<SentenceFile*> texts_of(CorpusFiles& corpus) {
  std::vector<SentenceFile*> texts;
  for (RowsFile& file : corpus) {
    if (!file.is_text()) return {};
    texts.push_back(&file.text());
  }
  return texts;
}

std::uint64_t rows_of(const CorpusFiles& corpus) {
  return std::accumulate(corpus.begin(), corpus.end(), std::uint64_t{0},
                         [](std::uint64_t rows, const RowsFile& file) { return rows + file.rows(); });
}

void log_places(const CorpusFiles& corpus) {
  std::uint64_t first = 0;
  if (corpus.size() > 1)
    for (const RowsFile& file : corpus) {
      spdlog::info("{}: rows {} to {}", file.path().string(), first, first + file.rows() - 1);
      first += file.rows();
    }
}

/// Returns the tokenizer of texts of the corpus; null where there are none.
std::shared_ptr<const Tokenizer> corpus_tokenizer(const SearchArguments& arguments, const CorpusFiles& corpus,
                                                  const SentenceModel& model) {
  const bool has_text = std::any_of(corpus.begin(), corpus.end(), [](const RowsFile& file) { return file.is_text(); });
  if (has_text && model.bare) return model.tokenizer_with(arguments.corpus_prompt);
  if (arguments.corpus_prompt.text || !arguments.corpus_prompt.name.empty())
    throw InputError(concat("--corpus-prompt: CORPUS ", arguments.corpus_text(),
                            has_text ? " is embedded by word vectors, which take no prompt"
                                     : " is embedded already: give the prompt to encode"));
  return nullptr;
}

void search(CorpusFiles& corpus, RowsFile& queries, std::span<SentenceFile* const> texts, SentenceModel& model,
            Process& process, const SearchArguments& arguments, bool show_progress) {
  std::optional<HitAnswers> answers;
  run_on_root(process.communicator(), [&] {
    answers = answers_in_use(arguments, model);
    if (!is_gaussian(model.properties.similarity))
      spdlog::info("the model gives no variances: the column log_var_difference is empty");
    if (!arguments.direction.empty() && !has_direction(model.properties.similarity))
      spdlog::warn("the similarity {} has no direction: --direction changes nothing",
                   name_of(model.properties.similarity));
    log_places(corpus);
  });
  // Rank 0 alone has the calibration.
  const std::size_t top =
      std::stoull(process.communicator()
                      .all_gather_text(concat(answers ? answers->hits_for(arguments.wanted()) : arguments.wanted()))
                      .front());
  const auto found = search_logged_rows(corpus, queries, model, process,
                                        {.direction = arguments.chosen_direction(),
                                         .top = [&] { return top; },
                                         .show_progress = show_progress,
                                         .corpus_tokenizer = corpus_tokenizer(arguments, corpus, model)});
  run_on_root(process.communicator(), [&] {
    const SearchAnswer answer =
        answer_of(found->hits(), arguments, model.properties.similarity, rows_of(corpus), texts, answers);
    write_answer(arguments, answer);
    if (answers) log_answers(arguments, answer, *answers);
  });
}

void mine(CorpusFiles& corpus, RowsFile& queries, SentenceModel& model, Process& process,
          const SearchArguments& arguments, bool show_progress) {
  const SentenceIdentity identity(*model.tokenizer, model.max_tokens);
  MinedPairs pairs(identity);
  DistinctSentences distinct(identity);
  const auto found =
      search_logged_rows(corpus, queries, model, process,
                         {.direction = arguments.chosen_direction(),
                          .top = [&] { return arguments.wanted() + arguments.mine_skip + pairs.most_excluded(); },
                          .show_progress = show_progress,
                          .corpus_tokenizer = corpus_tokenizer(arguments, corpus, model),
                          .choose_queries = [&](std::vector<std::string>& sentences) { pairs.add(sentences); },
                          .choose_rows = [&](std::vector<std::string>& sentences) { distinct.keep_new(sentences); }});
  run_on_root(process.communicator(), [&] {
    const std::vector<std::vector<SearchHit>> hits = found->hits();
    DistinctSentences again(identity);
    const std::map<std::uint64_t, std::string> text_of_row = texts_of_rows(
        texts_of(corpus), rows_of_hits(hits), [&](std::vector<std::string>& sentences) { again.keep_new(sentences); });
    for (std::size_t premise = 0; premise < hits.size(); ++premise) {
      std::vector<std::string> texts;
      for (const SearchHit& hit : hits[premise]) texts.push_back(text_of_row.at(hit.row));
      pairs.take(premise, texts, arguments.mine_skip, arguments.wanted());
    }
    const MinedOutput output = mined_output(pairs, mined_format(arguments.mine));
    if (output.triples == 0)
      throw InputError(concat(arguments.corpus_text(),
                              ": no row is left as a negative: each is a premise's own text or one "
                              "that it entails, or is skipped by --mine-skip: give more sentences"));
    write_file_atomically(arguments.mine, output.bytes);
    spdlog::info("{} triples of {} pairs and {} premises: {}", output.triples, pairs.pairs(), pairs.premises(),
                 arguments.mine);
    if (const std::size_t lacking = pairs.pairs() * arguments.wanted() - output.triples; lacking > 0)
      spdlog::warn("{} triples are missing, as too few rows of the corpus are left for their premises", lacking);
  });
}

/// Throws InputError for options that contradict the files.
void check_inputs(const SearchArguments& arguments, const CorpusFiles& corpus, const RowsFile& queries) {
  const auto check_text = [&](const char* name, const RowsFile& file) {
    if (arguments.mines() && !file.is_text())
      throw InputError(concat("--mine: ", name, " ", file.path().string(),
                              " is a file of embeddings, but mining compares texts: give the text"));
  };
  for (const RowsFile& file : corpus) {
    if (!arguments.text.empty() && file.is_text())
      throw InputError(
          concat("--text ", arguments.text, ": CORPUS ", file.path().string(), " is a text itself: leave out --text"));
    check_text("CORPUS", file);
  }
  check_text("QUERIES", queries);
}

int run_search(const SearchArguments& arguments, const CommonOptions& common) {
  Process process(common.process);
  Communicator& communicator = process.communicator();
  start_log(communicator, common.verbosity());
  run_on_root(communicator, [&] { check_search_outputs(arguments); });
  std::vector<std::filesystem::path> inputs(arguments.corpus.begin(), arguments.corpus.end());
  inputs.emplace_back(arguments.queries);
  if (!arguments.text.empty()) inputs.emplace_back(arguments.text);
  if (!arguments.calibration.empty()) inputs.emplace_back(arguments.calibration);
  keep_piped_inputs(inputs, communicator);
  const ComputeDevice device = process.choose_device(arguments.device.request());
  LongOperation reading(communicator);
  SentenceModel model = open_logged_model(arguments.model, device.device, communicator, !common.quiet);
  const bool trim = model.properties.trim;
  CorpusFiles corpus;
  for (const std::string& file : arguments.corpus)
    corpus.emplace_back(file, model, SentenceFileSettings{.bad_lines = arguments.bad_lines(), .trim = trim});
  RowsFile queries(arguments.queries, model,
                   {.sentences_of_line = arguments.mines() ? std::size_t{2} : std::size_t{1},
                    .bad_lines = arguments.bad_lines(),
                    .trim = trim});
  check_inputs(arguments, corpus, queries);
  std::string hashes = concat("QUERIES ", queries.content_hash(), "\n");
  for (const RowsFile& file : corpus) hashes += concat("CORPUS ", file.content_hash(), "\n");
  reading.end();
  check_agreement(communicator, model_and_inputs, concat(model.agreement(), hashes, arguments.agreement()));
  warn_of_different_instructions(process.provenance(), encoder_of(*model.embedder));
  if (arguments.mines()) {
    mine(corpus, queries, model, process, arguments, !common.quiet);
    return 0;
  }
  std::optional<SentenceFile> given_texts;
  run_on_root(communicator, [&] {
    if (arguments.text.empty()) return;
    given_texts.emplace(arguments.text, SentenceFileSettings{.bad_lines = arguments.bad_lines(), .trim = trim});
    if (given_texts->lines() != rows_of(corpus))
      throw InputError(concat("--text ", arguments.text, ": the file has ", given_texts->lines(), " lines, CORPUS ",
                              arguments.corpus_text(), " has ", rows_of(corpus),
                              " rows: give the text that was encoded"));
  });
  std::vector<SentenceFile*> texts = texts_of(corpus);
  if (given_texts) texts.push_back(&*given_texts);
  search(corpus, queries, texts, model, process, arguments, !common.quiet);
  return 0;
}

}  // namespace

void add_search_command(CLI::App& app, Action& action) {
  const auto [command, arguments] = add_command<SearchArguments>(
      app, action, "search",
      "find the rows of a corpus that entail each query, are entailed by it, or mean the same: exact, on all ranks; or "
      "mine hard negatives for training",
      with_skip_advice(run_search));
  add_search_options(*command, *arguments);
}

}  // namespace gausscse
