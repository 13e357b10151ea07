#include <nlohmann/json.hpp>

#include "model/weights/safetensors.hpp"
#include "results/embeddings_file.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

constexpr std::size_t width = 32;

/// Heads that are trained on the vectors that the project's encoder gives to its sentences.
class VectorHead : public TinyProjectTest {
 protected:
  VectorHead() {
    std::set<std::string> seen;
    for (const auto& file : {project_.train(), project_.dev(), project_.test()}) {
      std::istringstream lines(read_whole_file(file, 1 << 20));
      for (std::string line; std::getline(lines, line);)
        for (const char* key : {"sentence1", "sentence2"})
          if (std::string text = nlohmann::json::parse(line).at(key); seen.insert(text).second) texts_.push_back(text);
    }
    write_texts("texts.txt", texts_);
    run_expecting(0, {"encode", project_.model(), path("texts.txt"), path("vectors.h5"), "--pooling", "first_token",
                      "--max-tokens", "16"});
    vectors_ = EmbeddingsReader(path("vectors.h5")).read(0, texts_.size());
  }

  std::string write_texts(const std::string& name, const std::vector<std::string>& texts) const {
    std::string lines;
    for (const std::string& text : texts) lines += text + "\n";
    return file(name, lines);
  }

  /// Writes vectors, by the suffix of the name.
  std::string write_vectors(const std::string& name, const std::vector<float>& values) const {
    EmbeddingsWriter writer(path(name), {"embedding"}, static_cast<std::int64_t>(values.size() / width), width);
    writer.append({values});
    writer.commit();
    return path(name);
  }

  /// Gives the trial this backbone; returns the overrides of its other keys.
  std::vector<std::string> settings_of(const std::string& backbone) const {
    std::string trial = trial_;
    const std::string as_it_was = "{path: model}";
    trial.replace(trial.find(as_it_was), as_it_was.size(), backbone);
    write_bytes(project_.trial(), trial);
    return head_settings;
  }
  std::vector<std::string> settings(const std::string& vectors = "vectors.h5",
                                    const std::string& texts = "texts.txt") const {
    return settings_of("{vectors: " + vectors + ", texts: " + texts + "}");
  }

  /// Trains a head on the vectors; returns its folder.
  std::string trained() const {
    train_to_result(project_, path("run"), 0, settings());
    return path("run/model");
  }

  void expect_refused(const std::vector<std::string>& overrides, const std::vector<std::string>& texts) const {
    const ProgramRun run = run_expecting(2, train_arguments(project_, path("refused"), overrides), texts);
    EXPECT_FALSE(std::filesystem::exists(path("refused/model")));
    EXPECT_EQ(run.errors.find("step 1/"), std::string::npos) << "found in the middle";
  }

  /// A start without random numbers, which an encoder's parameters would shift.
  inline static const std::vector<std::string> head_settings{"training.parameters=head", "training.precision=fp32",
                                                             "model.head.init=identity", "select.task=\"\"",
                                                             "select.figure=\"\""};
  std::vector<std::string> texts_;
  std::vector<float> vectors_;
  const std::string trial_ = read_whole_file(project_.trial(), 1 << 20);
};

void expect_near(const Measurement& a, const Measurement& b) {
  ASSERT_EQ(a.metrics.size(), b.metrics.size());
  for (std::size_t i = 0; i < a.metrics.size(); ++i) {
    EXPECT_EQ(a.metrics[i].name, b.metrics[i].name);
    if (std::isnan(b.metrics[i].value)) continue;
    EXPECT_NEAR(a.metrics[i].value, b.metrics[i].value, 2e-5) << a.task << " " << a.metrics[i].name;
  }
}

TEST_F(VectorHead, IsTheOneThatTheEncoderOfTheVectorsGives) {
  const RunResult by_encoder = train_to_result(project_, path("by-encoder"), 0, head_settings);
  const RunResult by_vectors = train_to_result(project_, path("by-vectors"), 0, settings());
  ASSERT_EQ(by_vectors.training.loss.size(), 6u);
  for (std::size_t step = 0; step < 6; ++step)
    EXPECT_NEAR(by_vectors.training.loss[step], by_encoder.training.loss[step],
                2e-6 * std::abs(by_encoder.training.loss[step]))
        << step;
  EXPECT_NE(by_vectors.training.loss.front(), by_vectors.training.loss.back());
  ASSERT_EQ(by_vectors.states.size(), by_encoder.states.size());
  for (const char* name : {"backbone", "last"}) {
    const StateResult *of_vectors = find_state(by_vectors, name), *of_encoder = find_state(by_encoder, name);
    ASSERT_TRUE(of_vectors && of_encoder) << name;
    ASSERT_EQ(of_vectors->tasks.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) expect_near(of_vectors->tasks[i], of_encoder->tasks[i]);
  }
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path("by-vectors/model")))
    files.insert(entry.path().filename());
  EXPECT_EQ(files, (std::set<std::string>{".gausscse", "README.md", "calibration.json", "gausscse.safetensors"}));
  // Ranks share the examples.
  const RunResult by_two = train_to_result(project_, path("by-two"), 2, settings());
  for (std::size_t step = 0; step < 6; ++step)
    EXPECT_NEAR(by_two.training.loss[step], by_vectors.training.loss[step], 1e-5) << step;
  // Each head gives the other's embeddings, and the encoder's model those of its own texts.
  for (const char* run : {"by-encoder", "by-vectors"})
    run_expecting(0, {"apply", path(run), path("vectors.h5"), path(concat(run, ".h5"))});
  run_expecting(0, {"encode", path("by-encoder"), path("texts.txt"), path("encoded.h5")});
  const auto rows_of = [&](const char* name) { return EmbeddingsReader(path(name)).read(0, texts_.size()); };
  const std::vector<float> encoded = rows_of("encoded.h5"), applied = rows_of("by-encoder.h5"),
                           of_vectors = rows_of("by-vectors.h5");
  ASSERT_EQ(encoded.size(), texts_.size() * 2 * width);
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    ASSERT_NEAR(applied[i], encoded[i], 1e-6) << i;
    ASSERT_NEAR(of_vectors[i], encoded[i], 1e-4) << i;
  }
}

TEST_F(VectorHead, IsAppliedAsItsTensorsSay) {
  const std::string head = trained();
  const SafetensorsFile file = SafetensorsFile::open(std::filesystem::path(head) / "gausscse.safetensors");
  EXPECT_EQ(file.metadata().at("backbone"), "vectors");
  EXPECT_EQ(file.metadata().at("width"), "32");
  EXPECT_FALSE(file.metadata().contains("pooling"));
  const auto tensor = [&](const std::string& name) {
    const TensorEntry* entry = file.find(name);
    EXPECT_TRUE(entry) << name;
    std::vector<float> values(entry->bytes.size() / sizeof(float));
    std::memcpy(values.data(), entry->bytes.data(), entry->bytes.size());
    return values;
  };
  const std::vector<float> mean_weight = tensor("mean.weight"), mean_bias = tensor("mean.bias"),
                           log_var_weight = tensor("log_var.weight"), log_var_bias = tensor("log_var.bias");
  const auto linear = [&](const std::vector<float>& weight, const std::vector<float>& bias, std::size_t row,
                          std::size_t d) {
    double sum = bias[d];
    for (std::size_t k = 0; k < width; ++k)
      sum += static_cast<double>(weight[d * width + k]) * static_cast<double>(vectors_[row * width + k]);
    return sum;
  };
  std::string bytes;
  for (const char* out : {"out.h5", "out.npz", "out.safetensors"}) {
    run_expecting(0, {"apply", path("run"), path("vectors.h5"), path(out)},
                  {concat(texts_.size(), " vectors, 32 dimensions: ")});
    const EmbeddingsReader reader(path(out));
    ASSERT_TRUE(reader.is_gaussian());
    const std::vector<float> rows = reader.read(0, texts_.size());
    for (std::size_t row = 0; row < texts_.size(); ++row)
      for (std::size_t d = 0; d < width; ++d) {
        ASSERT_NEAR(rows[row * 2 * width + d], std::tanh(linear(mean_weight, mean_bias, row, d)), 2e-6);
        ASSERT_NEAR(rows[row * 2 * width + width + d], linear(log_var_weight, log_var_bias, row, d), 2e-5);
      }
    // The same bits from any format, by any number of ranks.
    const std::string from = write_vectors(concat("again-", out), vectors_);
    run_expecting(0, {"apply", head, from, path(concat("two-", out))}, {}, 2);
    EXPECT_EQ(EmbeddingsReader(path(concat("two-", out))).read(0, texts_.size()), rows) << out;
  }
  if (GAUSSCSE_HAS_PARQUET) {
    const std::string parquet = write_vectors("vectors.parquet", vectors_);
    run_expecting(0, {"apply", head, parquet, path("from-parquet.h5")});
    EXPECT_EQ(EmbeddingsReader(path("from-parquet.h5")).read(0, texts_.size()),
              EmbeddingsReader(path("out.h5")).read(0, texts_.size()));
  }
  const std::string npy = write_vectors("vectors.npy", vectors_);
  run_expecting(0, {"apply", head, npy, path("from-npy.h5")});
  EXPECT_EQ(EmbeddingsReader(path("from-npy.h5")).read(0, 9), EmbeddingsReader(path("out.h5")).read(0, 9));
  EXPECT_EQ(EmbeddingsReader(path("out.h5")).attributes().at("similarity"), "per_dimension");
}

/// A damaged file is refused; one of another program is read, with a note.
TEST_F(VectorHead, ComparesVectorsWithTheirChecksum) {
  const std::string head = trained(), out = path("out.h5");
  const std::string values(reinterpret_cast<const char*>(vectors_.data()), vectors_.size() * sizeof(float));
  std::string bytes = read_whole_file(path("vectors.h5"), 1 << 24);
  const std::size_t place = bytes.find(values);
  ASSERT_NE(place, std::string::npos);
  bytes[place + values.size() - 3] = static_cast<char>(bytes[place + values.size() - 3] ^ 16);
  file("damaged.h5", bytes);
  run_expecting(2, {"apply", head, path("damaged.h5"), out}, {"damaged.h5: the file is damaged"});
  expect_refused(settings("damaged.h5"), {"damaged.h5: the file is damaged"});

  std::string header =
      concat("{'descr': '<f4', 'fortran_order': False, 'shape': (", texts_.size(), ", ", width, "), }");
  header.resize(117, ' ');
  file("other.npy", concat(std::string("\x93NUMPY\x01\x00\x76\x00", 10), header, "\n", values));
  run_expecting(0, {"apply", head, path("other.npy"), out}, {"other.npy: unchecked: "});
  run_expecting(0, train_arguments(project_, path("noted"), settings("other.npy")), {"other.npy: unchecked: "});
}

/// More rows than a block has.
TEST_F(VectorHead, IsAppliedBlockByBlock) {
  std::vector<float> many;
  constexpr std::size_t rows = 4100;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto from = vectors_.begin() + static_cast<std::ptrdiff_t>(row % texts_.size() * width);
    many.insert(many.end(), from, from + width);
  }
  const std::string head = trained(), npy = write_vectors("many.npy", many);
  run_expecting(0, {"apply", head, npy, path("many.h5")}, {"4100/4100 rows"});
  run_expecting(0, {"apply", head, path("vectors.h5"), path("few.h5")});
  const EmbeddingsReader few(path("few.h5")), all(path("many.h5"));
  for (const std::size_t row : {std::size_t{0}, std::size_t{4095}, std::size_t{4096}, rows - 1})
    EXPECT_EQ(all.read(row, 1), few.read(row % texts_.size(), 1)) << row;
}

TEST_F(VectorHead, IsSearchedAndComparedByItsEmbeddings) {
  const std::string head = trained(), out = path("out.h5");
  run_expecting(0, {"apply", head, path("vectors.h5"), out});
  const ProgramRun found =
      run_expecting(0, {"search", path("run"), out, out, "--top", "1", "--text", path("texts.txt")});
  EXPECT_TRUE(says(found.output, texts_[3]));
  run_expecting(0, {"similarity", head, out, out, path("matrix.h5")});
  const std::string shown = run_program({"show", path("run/model")}).output;
  EXPECT_TRUE(says(shown, "for vectors of 32 values, without an encoder"));
  EXPECT_TRUE(says(read_whole_file(path("run/model/README.md"), 1 << 20), "gausscse apply MODEL_DIR"));

  const std::string advice = concat("gausscse apply ", head, " VECTORS OUT, then search or similarity on OUT");
  for (const std::string& given : {head, path("run")}) {
    run_expecting(2, {"encode", given, path("texts.txt"), path("x.h5")}, {advice});
    run_expecting(2, {"score", given, path("texts.txt")}, {advice});
    run_expecting(2, {"export", given, path("exported"), "--as", "onnx"}, {advice});
    run_expecting(2, {"geometry", given, path("texts.txt")}, {advice});
    run_expecting(2, {"tokenize", given, path("texts.txt")}, {advice});
    run_expecting(2, {"eval", given, "--dev", project_.dev()}, {advice});
  }
  run_expecting(2, {"search", head, out, path("texts.txt")},
                {"texts.txt: is a text, but the model is a head for vectors"});
  run_expecting(2, {"similarity", head, out, out, path("y.h5"), "--pooling", "mean"},
                {"--pooling: ", "leave --pooling out"});
  // Not by another head.
  train_to_result(project_, path("other"), 0, with(settings(), {"training.max_steps=2"}));
  run_expecting(2, {"similarity", path("other"), out, out, path("y.h5")}, {"the embeddings are of another model"});
}

TEST_F(VectorHead, IsAppliedToVectorsThatFitOnly) {
  const std::string head = trained(), out = path("out.h5");
  run_expecting(0, {"apply", head, path("vectors.h5"), out});
  run_expecting(2, {"apply", head, path("vectors.h5"), out}, {"out.h5", "--overwrite"});
  run_expecting(0, {"apply", head, path("vectors.h5"), out, "--overwrite"});
  run_expecting(2, {"apply", head, path("vectors.h5"), path("vectors.h5"), "--overwrite"});
  run_expecting(2, {"apply", head, out, path("x.h5")}, {"out.h5: holds Gaussians"});
  run_expecting(2, {"apply", head, path("texts.txt"), path("x.h5")}, {"no file of embeddings"});
  run_expecting(2, {"apply", head, path("vectors.h5"), path("x.npy")}, {".npy"});
  run_expecting(2, {"apply", project_.model(), path("vectors.h5"), path("x.h5")}, {"this folder has no head"});
  EmbeddingsWriter narrow(path("narrow.npy"), {"embedding"}, 2, 3);
  narrow.append({std::vector<float>(6, 1.0f)});
  narrow.commit();
  run_expecting(2, {"apply", head, path("narrow.npy"), path("x.h5")},
                {"narrow.npy: the vectors have 3 values, but ", " is for vectors of 32"});
  std::vector<float> broken(4100 * width, 0.5f);
  broken[4098 * width + 2] = NAN;
  run_expecting(2, {"apply", head, write_vectors("broken.npy", broken), path("x.h5")},
                {"broken.npy: row 4098, column 2: the value is nan"});
  broken = vectors_;
  broken[5 * width + 2] = NAN;
  // Rows of a table are JSON objects, and so is a value that is none.
  if (GAUSSCSE_HAS_PARQUET) {
    run_expecting(2, {"apply", head, write_vectors("broken.parquet", broken), path("x.h5")},
                  {"broken.parquet: row 5: value 2 is not a finite number"});
  }
  EXPECT_FALSE(std::filesystem::exists(path("x.h5")));
}

TEST_F(VectorHead, NeedsAVectorForEverySentence) {
  std::vector<std::string> texts(texts_.begin(), texts_.end() - 1);
  std::vector<float> vectors(vectors_.begin(), vectors_.end() - static_cast<std::ptrdiff_t>(width));
  write_texts("short.txt", texts);
  write_vectors("short.npy", vectors);
  // The last sentence is the last line's of the last task.
  std::istringstream lines(read_whole_file(project_.test(), 1 << 20));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) ++count;
  expect_refused(settings("short.npy", "short.txt"),
                 {concat(project_.test().string(), ":", count, ": ", quoted(texts_.back()), " has no vector in "),
                  "1 sentence of the trial has none: encode these texts, too"});
  // One of the training, and this one.
  texts.erase(texts.begin());
  vectors.erase(vectors.begin(), vectors.begin() + static_cast<std::ptrdiff_t>(width));
  write_texts("short.txt", texts);
  write_vectors("shorter.npy", vectors);
  expect_refused(settings("shorter.npy", "short.txt"),
                 {concat(project_.train().string(), ":1: ", quoted(texts_.front()), " has no vector in "),
                  "2 sentences of the trial have none"});
}

TEST_F(VectorHead, NeedsVectorsAndTextsThatFit) {
  std::vector<std::string> texts = texts_;
  texts.emplace_back("w1");
  write_texts("more.txt", texts);
  expect_refused(settings("vectors.h5", "more.txt"),
                 {concat("vectors.h5: has ", texts_.size(), " rows, but "), concat("has ", texts.size(), " lines")});
  for (const float bad : {NAN, INFINITY}) {
    std::vector<float> broken = vectors_;
    broken[7 * width + 31] = bad;
    const std::string name = concat("broken", bad, ".npy");
    write_vectors(name, broken);
    expect_refused(settings(name), {concat(name, ": row 7, column 31: the value is ", bad)});
  }
  // The same text twice: with one vector it does no harm.
  texts.back() = texts[4];
  write_texts("twice.txt", texts);
  std::vector<float> twice = vectors_;
  for (std::size_t k = 0; k < width; ++k) twice.push_back(vectors_[4 * width + k]);
  write_vectors("twice.npy", twice);
  const RunResult once = train_to_result(project_, path("once"), 0, settings()),
                  again = train_to_result(project_, path("again"), 0, settings("twice.npy", "twice.txt"));
  EXPECT_EQ(once.training.loss, again.training.loss);
  twice.back() += 1;
  write_vectors("two.npy", twice);
  expect_refused(settings("two.npy", "twice.txt"),
                 {concat("twice.txt: lines 5 and ", texts.size(), " have the same text"), "their vectors differ"});
}

TEST_F(VectorHead, GoesWithAHeadAloneAndNoEncoder) {
  expect_refused(with(settings(), {"training.parameters=all"}),
                 {"training.parameters: all: model.backbone.vectors have no encoder to train"});
  expect_refused(with(settings(), {"model.backbone.path=model"}), {"model.backbone.path: does not go with"});
  expect_refused(with(settings(), {"model.backbone.tokenizer=model"}), {"model.backbone.tokenizer: does not go with"});
  expect_refused(with(settings(), {"model.backbone.init=random"}), {"model.backbone.init: "});
  expect_refused(settings_of("{vectors: vectors.h5}"), {"model.backbone.texts: is missing"});
  expect_refused(settings_of("{texts: texts.txt}"), {"model.backbone.vectors: is missing"});
  expect_refused(settings("nothing.npy"), {"nothing.npy"});
}

/// A training that is stopped goes on, and one whose vectors changed does not.
TEST_F(VectorHead, KnowsItsVectorsByTheirContent) {
  train_to_result(project_, path("run"), 0, settings());
  run_expecting(0, train_arguments(project_, path("run"), settings()), {"has its result already"});
  std::vector<float> other = vectors_;
  other.front() += 1;
  std::filesystem::remove(path("vectors.h5"));
  write_vectors("vectors.h5", other);
  run_expecting(2, train_arguments(project_, path("run"), settings()));
}

}  // namespace
}  // namespace gausscse
