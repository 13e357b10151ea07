#include "inference/embed_file.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "tests/dist/watch_notes.hpp"
#include "tests/launcher/tiny_model.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

using testing_support::TemporaryFolder;
using testing_support::TinyProject;

/// A disk, or who reads the answers, may keep a rank longer than a collective may last.
TEST(EmbedFile, OtherRanksWaitWhileOneReadsOrWrites) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  testing_support::save_tiny_model(project, folder / "saved", {});
  testing_support::write_bytes(folder / "in.txt", "w1 w2\nw3\n\n");
  std::string notes;
  MonitoredCommunicator ranks = testing_support::noted_communicator(notes);
  SentenceModel model = open_sentence_model({.path = (folder / "saved").string()}, at::kCPU);
  SentenceFile file(folder / "in.txt", {.trim = model.properties.trim});
  notes.clear();
  embed_file(file, model, ranks,
             {.name = "in.txt", .on_block = [&](std::size_t lines) { notes += concat(lines, " lines, "); }},
             [&](const at::Tensor& embeddings) {
               EXPECT_EQ(embeddings.sizes(), (std::vector<std::int64_t>{3, 64}));
               notes += "taken, ";
             });
  EXPECT_EQ(notes,
            "slow, not slow, all_gather of 192 elements (collective 1), left, slow, taken, not slow, 3 lines, slow, "
            "not slow, ");
}

}  // namespace
}  // namespace gausscse
