#include "model/weights/encoder_weights.hpp"

#include "base/atomic_file.hpp"
#include "model/weights/safetensors_writer.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

std::int64_t total_size(const std::string& architecture) {
  std::int64_t total = 0;
  for (const ParameterSpec& parameter : encoder_parameters(named_encoder_config(architecture))) {
    total += static_cast<std::int64_t>(parameter.size());
  }
  return total;
}

TEST(EncoderParameters, AreAsManyAsPublished) {
  // The published counts of the whole models, less their poolers (hidden * hidden + hidden).
  EXPECT_EQ(total_size("bert-base"), 109482240 - (768 * 768 + 768));
  EXPECT_EQ(total_size("bert-large"), 335141888 - (1024 * 1024 + 1024));
  EXPECT_EQ(total_size("roberta-base"), 124645632 - (768 * 768 + 768));
  EXPECT_EQ(total_size("roberta-large"), 355359744 - (1024 * 1024 + 1024));
  EXPECT_EQ(total_size("minilm-l6"), 22713216 - (384 * 384 + 384));
  EXPECT_EQ(total_size("bert-l8-h512"), 41373184 - (512 * 512 + 512));
  EXPECT_EQ(total_size("mpnet-base"), 109486464 - (768 * 768 + 768));
  EXPECT_EQ(total_size("xlm-roberta-base"), 277453056) << "without a pooler";
  EXPECT_EQ(total_size("distilbert-base"), 66362880) << "without a pooler";
}

TEST(EncoderParameters, HaveQueryKeyAndValueTogether) {
  const std::vector<ParameterSpec> parameters = encoder_parameters(named_encoder_config("minilm-l6"));
  ASSERT_EQ(parameters.size(), 5u + 6 * 16);
  const std::vector<std::string> layer = {"attention.self.query.weight",
                                          "attention.self.key.weight",
                                          "attention.self.value.weight",
                                          "attention.self.query.bias",
                                          "attention.self.key.bias",
                                          "attention.self.value.bias",
                                          "attention.output.dense.weight",
                                          "attention.output.dense.bias",
                                          "attention.output.LayerNorm.weight",
                                          "attention.output.LayerNorm.bias",
                                          "intermediate.dense.weight",
                                          "intermediate.dense.bias",
                                          "output.dense.weight",
                                          "output.dense.bias",
                                          "output.LayerNorm.weight",
                                          "output.LayerNorm.bias"};
  EXPECT_EQ(parameters[0].name, "embeddings.word_embeddings.weight");
  EXPECT_EQ(parameters[1].name, "embeddings.position_embeddings.weight");
  EXPECT_EQ(parameters[2].name, "embeddings.token_type_embeddings.weight");
  EXPECT_EQ(parameters[3].name, "embeddings.LayerNorm.weight");
  EXPECT_EQ(parameters[4].name, "embeddings.LayerNorm.bias");
  for (std::size_t i = 0; i < layer.size(); ++i) {
    EXPECT_EQ(parameters[5 + i].name, "encoder.layer.0." + layer[i]);
    EXPECT_EQ(parameters[5 + 5 * 16 + i].name, "encoder.layer.5." + layer[i]);
  }
  EXPECT_EQ(parameters[5 + 10].shape, (std::vector<std::int64_t>{1536, 384})) << "a weight is [outputs, inputs]";
}

std::vector<float> loaded(const EncoderCheckpoint& checkpoint, const ParameterSpec& parameter, std::size_t index) {
  std::vector<float> values(parameter.size());
  checkpoint.load(index, values);
  return values;
}

class CheckpointOfFamily : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Families, CheckpointOfFamily,
                         testing::Values("tiny-bert", "tiny-roberta", "tiny-mpnet", "tiny-distilbert"));

TEST_P(CheckpointOfFamily, LoadsTheValuesOfTheFile) {
  const auto folder = golden("weights") / GetParam();
  const EncoderConfig config = read_encoder_config(folder);
  const EncoderCheckpoint checkpoint = EncoderCheckpoint::open(folder, config);
  const SafetensorsFile file = SafetensorsFile::open(folder / "model.safetensors");
  const std::vector<ParameterSpec> parameters = encoder_parameters(config);
  EXPECT_EQ(parameters.size(), file.tensors().size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const TensorEntry* entry = file.find(parameters[i].name_in_file());
    ASSERT_NE(entry, nullptr) << parameters[i].name;
    const std::vector<float> values = loaded(checkpoint, parameters[i], i);
    ASSERT_EQ(values.size() * 4, entry->bytes.size());
    EXPECT_EQ(std::memcmp(values.data(), entry->bytes.data(), entry->bytes.size()), 0) << parameters[i].name;
  }
  EXPECT_TRUE(checkpoint.dropped().empty());
}

void expect_same_values(const std::string& one, const std::string& other) {
  const EncoderConfig config = read_encoder_config(golden(one));
  const EncoderCheckpoint a = EncoderCheckpoint::open(golden(one), config);
  const EncoderCheckpoint b = EncoderCheckpoint::open(golden(other), config);
  const std::vector<ParameterSpec> parameters = encoder_parameters(config);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    EXPECT_EQ(loaded(a, parameters[i], i), loaded(b, parameters[i], i)) << parameters[i].name;
  }
}

TEST(EncoderCheckpoint, KnowsOldNamesPrefixesAndShards) {
  expect_same_values("weights/tiny-bert", "weights/tiny-bert-old-names");
  expect_same_values("weights/tiny-roberta", "weights/tiny-roberta-sharded");
}

TEST(EncoderParameters, HaveTheFamilysTablesAndNames) {
  const auto names = [](const char* model, bool in_file) {
    std::vector<std::string> all;
    for (const ParameterSpec& spec : encoder_parameters(read_encoder_config(golden("weights") / model)))
      all.push_back(in_file ? spec.name_in_file() : spec.name);
    return all;
  };
  const auto count = [](const std::vector<std::string>& all, const std::string& name) {
    return std::count(all.begin(), all.end(), name);
  };
  const std::vector<std::string> mpnet = names("tiny-mpnet", false), own = names("tiny-mpnet", true);
  EXPECT_EQ(mpnet[4], "encoder.relative_attention_bias.weight") << "among what the layers' backward comes before";
  EXPECT_EQ(count(mpnet, "embeddings.token_type_embeddings.weight"), 0);
  EXPECT_EQ(own[5 + 1], "encoder.layer.0.attention.attn.k.weight");
  EXPECT_EQ(mpnet[5 + 1], "encoder.layer.0.attention.self.key.weight");
  const std::vector<std::string> distilbert = names("tiny-distilbert", true);
  EXPECT_EQ(distilbert.size(), 4u + 2 * 16);
  EXPECT_EQ(distilbert[4 + 16 + 15], "transformer.layer.1.output_layer_norm.bias");
  EXPECT_EQ(names("tiny-distilbert", false)[4 + 16 + 15], "encoder.layer.1.output.LayerNorm.bias");
}

TEST(EncoderCheckpoint, ListsWhatItDrops) {
  const auto dropped = [](const std::string& name) {
    return EncoderCheckpoint::open(golden(name), read_encoder_config(golden(name))).dropped();
  };
  EXPECT_EQ(dropped("weights/tiny-bert-old-names"),
            (std::vector<std::string>{"bert.embeddings.position_ids", "bert.pooler.dense.bias",
                                      "bert.pooler.dense.weight", "cls.predictions.bias",
                                      "cls.predictions.transform.LayerNorm.gamma", "cls.seq_relationship.weight"}));
  EXPECT_EQ(dropped("weights/tiny-roberta-sharded"), (std::vector<std::string>{"lm_head.bias"}));
}

/// The tensors of a model, to be changed and written to its own folder.
class ChangedModel {
 public:
  explicit ChangedModel(const std::string& name = "tiny-bert")
      : name_(name),
        source_(SafetensorsFile::open(golden("weights") / name / "model.safetensors")),
        tensors_(source_.tensors()) {}

  TensorEntry& at(const std::string& name) {
    return *std::find_if(tensors_.begin(), tensors_.end(), [&](const TensorEntry& t) { return t.name == name; });
  }
  void remove(const std::string& name) {
    std::erase_if(tensors_, [&](const TensorEntry& t) { return t.name == name; });
  }
  void add(TensorEntry tensor) { tensors_.push_back(std::move(tensor)); }

  void add_prefix(const std::string& prefix) {
    for (TensorEntry& tensor : tensors_) tensor.name = prefix + tensor.name;
  }

  EncoderCheckpoint open() {
    write_file_atomically(folder_ / "model.safetensors", SafetensorsImage(tensors_).parts());
    return EncoderCheckpoint::open(folder_.path(), read_encoder_config(golden("weights") / name_));
  }

  std::string refusal() {
    return refusal_of([&] { open(); });
  }

 private:
  std::string name_;
  TemporaryFolder folder_;
  SafetensorsFile source_;
  std::vector<TensorEntry> tensors_;
};

TEST(EncoderCheckpoint, NamesWhatIsMissing) {
  ChangedModel model;
  model.remove("embeddings.LayerNorm.bias");
  EXPECT_TRUE(says(model.refusal(), "1 tensor does not fit"));
  EXPECT_TRUE(says(model.refusal(), "\"embeddings.LayerNorm.bias\" is missing"));
}

TEST(EncoderCheckpoint, NamesTheTableOfRelativePositionsThatIsMissingOrOfAnotherShape) {
  ChangedModel without("tiny-mpnet");
  without.remove("encoder.relative_attention_bias.weight");
  EXPECT_TRUE(says(without.refusal(), "\"encoder.relative_attention_bias.weight\" is missing"));
  EXPECT_TRUE(says(without.refusal(), "of the same MPNet model"));
  ChangedModel transposed("tiny-mpnet");
  transposed.at("encoder.relative_attention_bias.weight").shape = {4, 32};
  EXPECT_TRUE(says(transposed.refusal(), "has the shape [4, 32], config.json makes it [32, 4]"));
}

TEST(EncoderCheckpoint, KnowsPrefixesAndHeadsOfTheFamily) {
  for (const auto& [model, prefix, head] : {std::tuple("tiny-mpnet", "mpnet.", "lm_head.dense.weight"),
                                            std::tuple("tiny-distilbert", "distilbert.", "vocab_projector.bias"),
                                            std::tuple("tiny-distilbert", "distilbert.", "vocab_transform.weight"),
                                            std::tuple("tiny-distilbert", "distilbert.", "vocab_layer_norm.weight"),
                                            std::tuple("tiny-distilbert", "distilbert.", "pre_classifier.weight")}) {
    ChangedModel changed(model);
    TensorEntry moved = changed.at("embeddings.LayerNorm.bias");
    changed.remove(moved.name);
    moved.name = prefix + moved.name;
    changed.add(moved);
    changed.add({head, Dtype::u8, {1}, "x"});
    EXPECT_EQ(changed.refusal(), "accepted") << model;
    EXPECT_EQ(changed.open().dropped(), std::vector<std::string>{head});
    // What another family calls a tensor is nothing here.
    changed.add({"encoder.layer.0.attention.self.query.weight", Dtype::u8, {1}, "x"});
    EXPECT_TRUE(says(changed.refusal(), "has no place in the encoder")) << model;
  }
  ChangedModel bert;
  bert.add({"vocab_projector.bias", Dtype::u8, {1}, "x"});
  EXPECT_TRUE(says(bert.refusal(), "has no place in the encoder"));
}

TEST(EncoderCheckpoint, ReadsNamesBehindTheOnePrefixOfAWrapper) {
  const EncoderConfig config = read_encoder_config(golden("weights/tiny-bert"));
  const EncoderCheckpoint plain = EncoderCheckpoint::open(golden("weights/tiny-bert"), config);
  EXPECT_EQ(plain.wrapper(), "");
  for (const auto& [prefix, wrapper] : std::vector<std::pair<std::string, std::string>>{
           {"module.", "module."},
           {"0.auto_model.", "0.auto_model."},
           {"encoder.", "encoder."},
           {"module.bert.", "module."},
           {"question_encoder.bert_model.", "question_encoder.bert_model."},
           {"bert.", ""}}) {
    ChangedModel model;
    model.add_prefix(prefix);
    model.add({wrapper + "cls.predictions.bias", Dtype::u8, {1}, "x"});
    ASSERT_EQ(model.refusal(), "accepted") << prefix;
    const EncoderCheckpoint checkpoint = model.open();
    EXPECT_EQ(checkpoint.wrapper(), wrapper);
    EXPECT_EQ(checkpoint.dropped(), std::vector<std::string>{wrapper + "cls.predictions.bias"});
    const std::vector<ParameterSpec> parameters = encoder_parameters(config);
    for (std::size_t i = 0; i < parameters.size(); ++i)
      EXPECT_EQ(loaded(checkpoint, parameters[i], i), loaded(plain, parameters[i], i)) << prefix << parameters[i].name;
  }
}

TEST(EncoderCheckpoint, RefusesTwoEncodersBehindDifferentPrefixes) {
  ChangedModel model;
  model.add_prefix("query.");
  TensorEntry twin = model.at("query.embeddings.word_embeddings.weight");
  twin.name = "passage.embeddings.word_embeddings.weight";
  model.add(twin);
  EXPECT_TRUE(says(model.refusal(), "\"passage.embeddings.word_embeddings.weight\" has no place in the encoder"));
  ChangedModel dense;
  dense.add_prefix("0.auto_model.");
  dense.add({"2.linear.weight", Dtype::u8, {1}, "x"});
  EXPECT_TRUE(says(dense.refusal(), "1 tensor does not fit"));
  EXPECT_TRUE(says(dense.refusal(), "\"2.linear.weight\" has no place in the encoder"));
}

TEST(EncoderCheckpoint, NamesWhatIsLeftOver) {
  for (const char* name : {"encoder.layer.2.output.dense.bias", "roberta.embeddings.LayerNorm.bias", "adapter.weight",
                           "encoder.layer.0.output.dense.weight_scale", "model.cls.bias"}) {
    ChangedModel model;
    model.add({name, Dtype::u8, {1}, "x"});
    EXPECT_TRUE(says(model.refusal(), concat("\"", name, "\" has no place in the encoder")));
  }
  for (const char* name : {"pooler.dense.bias", "cls.predictions.bias", "lm_head.bias", "classifier.weight",
                           "qa_outputs.weight", "embeddings.position_ids", "embeddings.token_type_ids"}) {
    ChangedModel model;
    model.add({name, Dtype::u8, {1}, "x"});
    EXPECT_EQ(model.refusal(), "accepted") << name;
  }
}

TEST(EncoderCheckpoint, NamesTwoOfTheSame) {
  ChangedModel model;
  TensorEntry twin = model.at("embeddings.LayerNorm.bias");
  twin.name = "bert.embeddings.LayerNorm.beta";
  model.add(twin);
  EXPECT_TRUE(says(model.refusal(), "is there twice, also as \"bert.embeddings.LayerNorm.beta\""));
}

TEST(EncoderCheckpoint, NamesWrongShapesAndTypes) {
  ChangedModel model;
  model.at("embeddings.position_embeddings.weight").shape = {35, 64};
  model.at("embeddings.LayerNorm.weight").dtype = Dtype::i32;
  const std::string message = model.refusal();
  EXPECT_TRUE(says(message, "2 tensors do not fit"));
  EXPECT_TRUE(says(message, "has the shape [35, 64], config.json makes it [70, 32]"));
  EXPECT_TRUE(says(message, "\"embeddings.LayerNorm.weight\" has the dtype I32"));
}

TEST(EncoderCheckpoint, NamesAtMostTen) {
  ChangedModel model;
  for (int i = 10; i < 35; ++i) model.add({concat("odd.", i), Dtype::u8, {1}, "x"});
  const std::string message = model.refusal();
  EXPECT_TRUE(says(message, "25 tensors do not fit"));
  EXPECT_TRUE(says(message, "\"odd.19\""));
  EXPECT_EQ(message.find("\"odd.20\""), std::string::npos);
}

TEST(EncoderCheckpoint, ReadsHalfPrecision) {
  ChangedModel model;
  std::string halves;
  for (int i = 0; i < 32; ++i) halves += std::string("\x80\x3f", 2);  // bfloat16 1.0
  model.at("embeddings.LayerNorm.bias") = {"embeddings.LayerNorm.bias", Dtype::bf16, {32}, halves};
  std::vector<float> values(32);
  model.open().load(4, values);
  EXPECT_EQ(values, std::vector<float>(32, 1.0f));
}

TEST(EncoderCheckpoint, NamesTensorsThatAreNotFinite) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    ChangedModel model;
    std::vector<float> values(32, 0.5f);
    values[31] = bad;
    model.at("embeddings.LayerNorm.bias") = float32_tensor("embeddings.LayerNorm.bias", {32}, values);
    const EncoderCheckpoint checkpoint = model.open();
    std::vector<float> target(32);
    checkpoint.load(3, target);
    EXPECT_TRUE(says(refusal_of([&] { checkpoint.load(4, target); }),
                     "\"embeddings.LayerNorm.bias\" has infinite or NaN values (1 of 32)"));
  }
}

TEST(EncoderCheckpoint, RefusesTheConfigOfAnotherModel) {
  EncoderConfig config = read_encoder_config(golden("weights/tiny-bert"));
  config.vocabulary_size = 61;
  EXPECT_THROW(EncoderCheckpoint::open(golden("weights/tiny-bert"), config), InputError);
  config = read_encoder_config(golden("weights/tiny-bert"));
  config.layers = 1;
  EXPECT_THROW(EncoderCheckpoint::open(golden("weights/tiny-bert"), config), InputError);
}

}  // namespace
}  // namespace gausscse
