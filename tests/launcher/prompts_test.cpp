#include "results/embeddings_file.hpp"
#include "tests/launcher/program.hpp"
#include "tests/launcher/tiny_model.hpp"
#include "tests/results/read_matrix.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// A folder of sentence-transformers with prompts.
class Prompts : public testing::Test {
 protected:
  Prompts() {
    std::filesystem::copy(golden("weights/tiny-bert"), model_, std::filesystem::copy_options::recursive);
    std::filesystem::copy_file(golden("training/vocab.txt"), model_ / "vocab.txt");
    write_bytes(model_ / "modules.json",
                R"([{"path": "", "type": "sentence_transformers.models.Transformer"},
                    {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}])");
    std::filesystem::create_directory(model_ / "1_Pooling");
    write_pooling("{\"pooling_mode\": \"mean\"}");
    write_usual("null");
  }

  void write_pooling(const std::string& json) const { write_bytes(model_ / "1_Pooling/config.json", json); }
  void write_usual(const std::string& name) const {
    write_bytes(model_ / "config_sentence_transformers.json",
                R"({"prompts": {"query": "w5 w6 ", "passage": "w9 "}, "default_prompt_name": )" + name + "}");
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string file(const std::string& name, const std::string& prefix) const {
    std::string text;
    for (const char* sentence : {"w1 w2", "w3", "w4 w7 w8"}) text += concat(prefix, sentence, "\n");
    write_bytes(path(name), text);
    return path(name);
  }

  /// Returns the embeddings of the sentences, each behind `prefix`, by `encode` with these options.
  std::vector<float> encoded(const std::string& prefix, const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments{"encode", model_.string(), file("in.txt", prefix), path("out.h5"),
                                       "--overwrite"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    run_expecting(0, arguments);
    return read_matrix(path("out.h5"), "/embedding", 3, 32);
  }

  TemporaryFolder folder_;
  const std::filesystem::path model_ = folder_ / "model";
};

TEST_F(Prompts, StandBeforeEverySentence) {
  const std::vector<float> plain = encoded(""), queries = encoded("w5 w6 "), passages = encoded("w9 ");
  EXPECT_NE(plain, queries);
  EXPECT_EQ(encoded("", {"--prompt-name", "query"}), queries);
  EXPECT_EQ(encoded("", {"--prompt-name", "passage"}), passages);
  EXPECT_EQ(encoded("", {"--prompt", "w9 "}), passages);
  EXPECT_EQ(EmbeddingsReader(path("out.h5")).attributes().at("prompt"), "w9 ");
  // Without a pooling of the folder's, too.
  EXPECT_EQ(encoded("", {"--prompt-name", "query", "--pooling", "mean"}), queries);
  write_usual("\"passage\"");
  EXPECT_EQ(encoded(""), passages);
  EXPECT_EQ(encoded("", {"--prompt-name", "query"}), queries);
  EXPECT_EQ(encoded("", {"--prompt", ""}), plain);
  EXPECT_FALSE(EmbeddingsReader(path("out.h5")).attributes().contains("prompt"));
}

TEST_F(Prompts, AreNamedInTheLog) {
  const std::string in = file("in.txt", "");
  run_expecting(0, {"encode", model_.string(), in, path("a.npz")},
                {"none is put before sentences: passage \"w9 \", query \"w5 w6 \"", "--prompt-name"});
  run_expecting(0, {"encode", model_.string(), in, path("b.npz"), "--prompt-name", "query"},
                {"the prompt \"w5 w6 \" is put before every sentence"});
}

TEST_F(Prompts, OfRowsThatAreAppendedAreThoseOfTheFile) {
  const std::vector<std::string> append{"encode", model_.string(), file("in.txt", ""), path("out.h5"), "--append"};
  const auto appended = [&](const std::string& prompt) { return with(append, {"--prompt", prompt}); };
  encoded("", {"--prompt-name", "query"});
  run_expecting(2, append, {"out.h5: its embeddings have the prompt \"w5 w6 \", new ones would have \"\""});
  run_expecting(2, appended("w9 "), {"its embeddings have the prompt \"w5 w6 \", new ones would have \"w9 \""});
  run_expecting(0, appended("w5 w6 "));
  encoded("");
  run_expecting(2, appended("w9 "), {"its embeddings have the prompt \"\", new ones would have \"w9 \""});
  run_expecting(0, append);
}

TEST_F(Prompts, OfQueriesAndOfTheCorpusAreTheirOwn) {
  const std::string texts = file("in.txt", ""), queries = file("queries.txt", "w5 w6 "),
                    corpus = file("corpus.txt", "w9 ");
  const auto found = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"search", model_.string()});
    return run_expecting(0, arguments).output;
  };
  const auto columns = [](const std::string& rows) {
    // Texts differ by their prompts.
    std::string kept;
    std::istringstream lines(rows);
    for (std::string line; std::getline(lines, line);) kept += line.substr(0, line.rfind('\t')) + "\n";
    return kept;
  };
  const std::string expected = columns(found({corpus, queries}));
  EXPECT_EQ(columns(found({texts, texts, "--prompt-name", "query", "--corpus-prompt-name", "passage"})), expected);
  EXPECT_EQ(columns(found({texts, texts, "--prompt", "w5 w6 ", "--corpus-prompt", "w9 "})), expected);
  EXPECT_NE(columns(found({texts, texts, "--prompt-name", "query"})), expected);
  encoded("", {"--prompt-name", "passage"});
  EXPECT_EQ(columns(found({path("out.h5"), texts, "--text", texts, "--prompt-name", "query"})), expected);
  run_expecting(2, {"search", model_.string(), path("out.h5"), texts, "--corpus-prompt-name", "passage"},
                {"is embedded already: give the prompt to encode"});
}

TEST_F(Prompts, ArePassedOnByEachCommand) {
  const std::string plain = "w1 w2\tw3\n", prompted = "w9 w1 w2\tw9 w3\n";
  write_bytes(path("plain.tsv"), plain);
  write_bytes(path("prompted.tsv"), prompted);
  const auto scores = [&](const std::string& pairs, const std::vector<std::string>& options) {
    std::vector<std::string> arguments{"score", model_.string(), path(pairs)};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const std::string output = run_expecting(0, arguments).output;
    return output.substr(0, output.find("\tw"));
  };
  EXPECT_EQ(scores("plain.tsv", {"--prompt-name", "passage"}), scores("prompted.tsv", {}));
  EXPECT_NE(scores("plain.tsv", {}), scores("prompted.tsv", {}));
  const auto matrix = [&](const std::string& texts, const std::vector<std::string>& options) {
    std::vector<std::string> arguments{"similarity", model_.string(), texts, texts, path("matrix.h5"), "--overwrite"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    run_expecting(0, arguments);
    return read_matrix(path("matrix.h5"), "/similarity", 3, 3);
  };
  const std::string texts = file("in.txt", "");
  EXPECT_EQ(matrix(texts, {"--prompt-name", "passage"}), matrix(file("corpus.txt", "w9 "), {}));
  EXPECT_NE(matrix(texts, {}), matrix(path("corpus.txt"), {}));
}

TEST_F(Prompts, ThatCannotBeTakenAreRefused) {
  const std::string in = file("in.txt", ""), out = path("out.npz");
  run_expecting(2, {"encode", model_.string(), in, out, "--prompt-name", "qury"},
                {"no prompt \"qury\"", "did you mean \"query\"", "passage, query", "--prompt"});
  run_expecting(2, {"encode", model_.string(), in, out, "--prompt-name", "query", "--prompt", "w1 "}, {"excludes"});
  write_pooling("{\"pooling_mode\": \"mean\", \"include_prompt\": false}");
  run_expecting(2, {"encode", model_.string(), in, out, "--prompt-name", "query"}, {"include_prompt is false"});
  run_expecting(0, {"encode", model_.string(), in, out, "--prompt", ""});
  write_bytes(path("vectors.txt"), "w1 1 2\nw2 3 4\n");
  run_expecting(2, {"encode", path("vectors.txt"), in, path("other.npz"), "--prompt", "w1 "},
                {"--prompt w1 ", "word vectors"});
}

}  // namespace
}  // namespace gausscse
