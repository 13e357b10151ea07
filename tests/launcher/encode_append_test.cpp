#include "results/embeddings_file.hpp"
#include "tests/launcher/tiny_model.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 24;

/// Sentences in three files, and one file of all of them.
class EncodeAppend : public TinyProjectTest {
 protected:
  EncodeAppend() : model_(path("saved")), sentences_(tiny_sentences(700, 1)) {
    save_tiny_model(project_, model_, {});
    sentences_[11] = "";
    std::size_t first = 0;
    for (const std::size_t count : {400, 1, 299}) {
      const auto begin = sentences_.begin() + static_cast<std::ptrdiff_t>(first);
      parts_.push_back(
          file(concat("part-", parts_.size(), ".txt"), lines_of({begin, begin + static_cast<std::ptrdiff_t>(count)})));
      first += count;
    }
    all_ = file("all.txt", lines_of(sentences_));
  }

  ProgramRun encode(const std::string& model, const std::string& text, const std::string& out,
                    const std::vector<std::string>& more = {}, int ranks = 0) {
    return run_program(with({"encode", model, text, out}, more), ranks);
  }

  static std::string bytes_of(const std::string& path) { return read_whole_file(path, most_bytes); }

  /// Expects that nothing is appended to `out`, for a reason with all of `parts`.
  void expect_refused(const std::string& model, const std::string& out, const std::vector<std::string>& more,
                      const std::vector<std::string>& parts) {
    const std::string before = bytes_of(out);
    for (const int ranks : {0, 2}) {
      EXPECT_TRUE(ended(encode(model, parts_[1], out, with({"--append"}, more), ranks), 2, parts));
      EXPECT_TRUE(bytes_of(out) == before);
    }
  }

  std::string model_, all_;
  std::vector<std::string> sentences_, parts_;
};

TEST_F(EncodeAppend, GivesTheBytesOfEncodingAllAtOnce) {
  for (const std::string suffix : {".h5", ".npz", ".safetensors"})
    for (const auto& [ranks, precision] : {std::pair{0, "fp32"}, {2, "fp32"}, {3, "bf16"}, {0, "int8"}}) {
      SCOPED_TRACE(concat(suffix, ", ", ranks, " ranks, ", precision));
      const std::vector<std::string> options{"--precision", precision, "--overwrite"};
      const std::string whole = path("whole" + suffix), out = path("out" + suffix);
      ASSERT_EQ(encode(model_, all_, whole, options).exit_code, 0);
      ASSERT_EQ(encode(model_, parts_[0], out, options).exit_code, 0);
      const std::vector<std::string> appending{"--precision", precision, "--append"};
      EXPECT_TRUE(ended(encode(model_, parts_[1], out, appending, ranks), 0,
                        {"1 sentence appended to 400", "401 sentences, 32 dimensions"}));
      ASSERT_EQ(EmbeddingsReader(out).rows(), 401u);
      EXPECT_TRUE(ended(encode(model_, parts_[2], out, appending, ranks), 0, {"299 sentences appended to 401"}));
      EXPECT_GT(std::stoi(EmbeddingsReader(out).attributes().at("cut_sentences")), 0);
      EXPECT_TRUE(bytes_of(out) == bytes_of(whole));
    }
}

/// The refusal of a file that is there names the option where the format can grow.
TEST_F(EncodeAppend, IsAdvisedWhereItIsPossible) {
  for (const auto& [suffix, can_grow] : {std::pair{"", true},
                                         {".h5", true},
                                         {".hdf5", true},
                                         {".npz", true},
                                         {".safetensors", true},
                                         {".npy", false},
                                         {".parquet", false}}) {
    const std::string out = file(concat("mine", suffix), "mine");
    run_expecting(2, {"encode", model_, parts_[1], out},
                  {concat("OUT ", out, " is there already: give another path, or --overwrite to replace it",
                          can_grow ? ", or --append to add rows to it\n" : "\n")});
  }
}

/// Rows of a file are copied in blocks, of which 9,000 fill more than one.
TEST_F(EncodeAppend, CopiesMoreRowsThanABlockHas) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < 9000; ++i) lines.push_back(concat("w", i % 50, " w", i / 50 % 50, " w", i / 2500));
  const std::string many = file("many.txt", lines_of(lines)), one = file("one.txt", "w7 w9\n");
  lines.emplace_back("w7 w9");
  const std::string all = file("all-of-many.txt", lines_of(lines));
  for (const std::string suffix : {".h5", ".safetensors"}) {
    const std::string whole = path("whole" + suffix), out = path("out" + suffix);
    ASSERT_EQ(encode(model_, all, whole).exit_code, 0);
    ASSERT_EQ(encode(model_, many, out).exit_code, 0);
    ASSERT_EQ(encode(model_, one, out, {"--append"}).exit_code, 0);
    EXPECT_TRUE(bytes_of(out) == bytes_of(whole)) << suffix;
  }
}

TEST_F(EncodeAppend, AddsVectorsOfPlainModels) {
  const std::string plain = project_.model().string();
  const std::vector<std::string> mean{"--pooling", "mean"}, appending{"--pooling", "mean", "--append"};
  ASSERT_EQ(encode(plain, all_, path("whole.h5"), mean).exit_code, 0);
  ASSERT_EQ(encode(plain, parts_[0], path("out.h5"), mean).exit_code, 0);
  for (const std::string& part : {parts_[1], parts_[2]})
    ASSERT_EQ(encode(plain, part, path("out.h5"), appending, 2).exit_code, 0);
  EXPECT_TRUE(bytes_of(path("out.h5")) == bytes_of(path("whole.h5")));
  expect_refused(plain, path("out.h5"), {"--pooling", "max"},
                 {"its embeddings have the pooling \"mean\", new ones would have \"max\""});
  expect_refused(model_, path("out.h5"), {}, {"holds embedding, the model gives mean and log_var"});
}

TEST_F(EncodeAppend, RefusesWhatDiffersAndChangesNothing) {
  const std::string out = path("out.h5");
  ASSERT_EQ(encode(model_, parts_[0], out).exit_code, 0);
  expect_refused(
      model_, out, {"--precision", "bf16"},
      {"its embeddings have the precision \"fp32\", new ones would have \"bf16\"", "encode into another file"});
  expect_refused(model_, out, {"--max-tokens", "12"},
                 {"its embeddings have the max_tokens \"16\", new ones would have \"12\""});
  save_tiny_model(project_, path("joint"), {.similarity = Similarity::joint});
  expect_refused(path("joint"), out, {},
                 {"its embeddings have the similarity \"per_dimension\", new ones would have \"joint\""});
  save_tiny_model(project_, path("other"), {.head_seed = 6});
  expect_refused(path("other"), out, {}, {"are of another model (\"" + model_ + "\"), or of this one with"});
  std::filesystem::copy_file(out, path("out.npz"));
  expect_refused(model_, path("out.npz"), {}, {"out.npz is of another format than its suffix says"});
  expect_refused(model_, file("text.h5", "w1\n"), {}, {"text.h5: this is no file of embeddings"});
  EXPECT_TRUE(ended(encode(model_, parts_[1], path("missing.h5"), {"--append"}), 2,
                    {"missing.h5 is not there: leave out --append"}));
  EXPECT_TRUE(ended(encode(model_, parts_[1], out, {"--append", "--overwrite"}), 2, {"--append", "--overwrite"}));
  EXPECT_TRUE(ended(encode(model_, out, out, {"--append"}), 2, {"OUT"}));
  write_bytes(path("out.npy"), "x");
  expect_refused(model_, path("out.npy"), {}, {"a .npy file does not record what made it", ".safetensors"});
}

/// Attributes that encode did not write, or that a file of another program lacks.
TEST_F(EncodeAppend, RefusesFilesOfOtherPrograms) {
  ASSERT_EQ(encode(model_, parts_[0], path("made.safetensors")).exit_code, 0);
  const EmbeddingsReader made(path("made.safetensors"));
  const std::vector<float> values(32, 0.5F);
  const auto write = [&](const std::string& name, const std::map<std::string, std::string>& texts) {
    EmbeddingsWriter writer(path(name), {"mean", "log_var"}, 1, 32, {texts, {}});
    writer.append({values, values});
    writer.commit();
    return path(name);
  };
  std::map<std::string, std::string> texts = made.attributes();
  texts.erase("cut_sentences");
  texts["mine"] = "x";
  expect_refused(model_, write("more.safetensors", texts), {}, {"has the attribute \"mine\"", "would be lost"});
  texts.erase("mine");
  texts.erase("model_hash");
  expect_refused(model_, write("less.safetensors", texts), {}, {"does not record the model_hash of its embeddings"});
  expect_refused(model_, write("none.h5", {}), {}, {"does not record the format"});
  // Earlier versions did not write the pooling, which is a part of the hash.
  texts = made.attributes();
  texts.erase("cut_sentences");
  texts.erase("pooling");
  texts["version"] = "0.0.9";
  const std::string earlier = write("earlier.h5", texts);
  EXPECT_TRUE(ended(encode(model_, parts_[1], earlier, {"--append"}), 0, {"rows are of gausscse 0.0.9", "last bits"}));
  const EmbeddingsReader appended(earlier);
  EXPECT_EQ(appended.attributes().at("pooling"), "first_token");
  std::vector<float> row = appended.read(0, 1);
  EXPECT_EQ(row, std::vector<float>(64, 0.5F));
}

/// Rows of an earlier version, which wrote no checksum; the file has one afterwards.
TEST_F(EncodeAppend, NotesRowsWithoutAChecksum) {
  const std::string out = path("out.safetensors");
  ASSERT_EQ(encode(model_, parts_[0], out).exit_code, 0);
  std::string bytes = bytes_of(out);
  const std::size_t begin = bytes.find(",\"xxh3_128\":\"");
  ASSERT_NE(begin, std::string::npos);
  const std::size_t length = std::string(",\"xxh3_128\":\"").size() + 32 + 1;
  write_bytes(out, bytes.replace(begin, length, std::string(length, ' ')));
  EXPECT_TRUE(ended(encode(model_, parts_[1], out, {"--append"}), 0, {"out.safetensors: unchecked: "}));
  EXPECT_TRUE(EmbeddingsReader(out).is_checked());
  const ProgramRun again = encode(model_, parts_[2], out, {"--append"});
  EXPECT_TRUE(ended(again, 0));
  EXPECT_EQ(again.errors.find("unchecked"), std::string::npos) << again.errors;
}

TEST_F(EncodeAppend, AFullDiskLeavesTheFileAsItWas) {
  const std::string out = path("out.h5");
  ASSERT_EQ(encode(model_, parts_[0], out).exit_code, 0);
  const std::string before = bytes_of(out);
  run_expecting(2, {"encode", model_, parts_[2], out, "--append"}, {}, {.largest_file = before.size() + 1000});
  EXPECT_TRUE(bytes_of(out) == before);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    EXPECT_EQ(entry.path().string().find(".tmp-"), std::string::npos) << entry.path();
}

}  // namespace
}  // namespace gausscse
