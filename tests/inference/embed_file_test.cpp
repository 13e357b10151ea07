#include "inference/embed_file.hpp"

#include "tests/dist/watch_notes.hpp"
#include "tests/launcher/tiny_model.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// A disk, or who reads the answers, may keep a rank longer than a collective may last.
TEST(EmbedFile, OtherRanksWaitWhileOneReadsOrWrites) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  save_tiny_model(project, folder / "saved", {});
  write_bytes(folder / "in.txt", "w1 w2\nw3\n\n");
  std::string notes;
  MonitoredCommunicator ranks = noted_communicator(notes);
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

/// Blocks of which nothing is chosen are not embedded, but counted as read.
TEST(EmbedFile, EmbedsTheChosenSentencesAndBeginsAgain) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  save_tiny_model(project, folder / "saved", {});
  const std::string text = "w1 w2\nw3\nw4 w5 w6\n";
  write_bytes(folder / "in.txt", text);
  const std::unique_ptr<Communicator> self = make_self_communicator();
  SentenceModel model = open_sentence_model({.path = (folder / "saved").string()}, at::kCPU);
  SentenceFile file(folder / "in.txt", {.trim = model.properties.trim});
  std::vector<Embedding> expected = embed_one_by_one(folder / "saved", {"w1 w2", "w4 w5 w6"});
  std::size_t lines = 0, taken = 0;
  const auto embed = [&](const std::function<void(std::vector<std::string>&)>& choose) {
    embed_file(file, model, *self,
               {.name = "in.txt",
                .on_block = [&](std::size_t done) { lines += done; },
                .choose = choose,
                .on_every_rank = true},
               [&](const at::Tensor& rows) {
                 ++taken;
                 ASSERT_EQ(rows.size(0), 2);
                 for (std::size_t i = 0; i < 2; ++i)
                   for (std::size_t d = 0; d < expected[i].size(); ++d)
                     ASSERT_NEAR(rows.const_data_ptr<float>()[i * expected[i].size() + d], expected[i][d], 1e-5);
               });
  };
  embed([](std::vector<std::string>& sentences) { sentences.erase(sentences.begin() + 1); });
  EXPECT_EQ(taken, 1u);
  EXPECT_EQ(lines, 3u);
  file.restart();
  embed([](std::vector<std::string>& sentences) { sentences.clear(); });
  EXPECT_EQ(taken, 1u);
  EXPECT_EQ(lines, 6u);
}

}  // namespace
}  // namespace gausscse
