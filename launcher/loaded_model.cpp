#include "launcher/loaded_model.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "base/process.hpp"
#include "launcher/progress.hpp"
#include "model/hub/given_folder.hpp"
#include "results/run_result.hpp"

namespace gausscse {

void warn_of_different_instructions(const Provenance& provenance, const SentenceEncoder* encoder) {
  const bool bfloat16 = encoder && encoder->settings().precision != Precision::full;
  if (const auto difference = different_instructions(provenance, bfloat16)) spdlog::warn(*difference);
}

namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

}  // namespace

void log_notes(const Notes& notes) {
  for (const std::string& note : notes.info) spdlog::info(note);
  for (const std::string& warning : notes.warnings) spdlog::warn(warning);
}

SentenceModel open_logged_model(const SentenceModelOptions& options, at::Device device, ControlGroup& ranks,
                                bool show_progress) {
  StatusLine line(show_progress && ranks.is_root(), is_drawing_terminal(STDERR_FILENO));
  bool is_begun = false;
  SentenceModel model = open_sentence_model(options, device, [&](std::uint64_t done, std::uint64_t all) {
    if (!std::exchange(is_begun, true))
      spdlog::info("{}: reading word vectors", model_folder_of(options.path).string());
    if (!line.due(done == all)) return;
    char text[96];
    std::snprintf(text, sizeof text, "%llu/%llu MiB of word vectors", static_cast<unsigned long long>(done / mebibyte),
                  static_cast<unsigned long long>(all / mebibyte));
    line.show(text, done == all);
  });
  line.erase();
  log_notes(model.notes);
  return model;
}

TokenCounts embed_logged_file(const std::string& name, SentenceFile& file, SentenceModel& model, Process& process,
                              bool show_progress, const std::function<void(const at::Tensor&)>& take) {
  Communicator& communicator = process.communicator();
  Notes bad_lines;
  note_bad_lines(name, file.report(), bad_lines);
  log_notes(bad_lines);
  EmbeddingProgress progress(show_progress && communicator.is_root(), is_drawing_terminal(STDERR_FILENO), file.lines());
  TokenCounts counts;
  log_notes(embed_file(file, model, communicator,
                       {.name = name,
                        .threads = process.threads(),
                        .on_block = [&](std::size_t lines_done) { progress.on_block(lines_done); },
                        .counts = &counts},
                       take));
  return counts;
}

}  // namespace gausscse
