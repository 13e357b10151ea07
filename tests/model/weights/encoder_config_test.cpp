#include "model/weights/encoder_config.hpp"

#include <nlohmann/json.hpp>

#include "model/weights/encoder_family.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using nlohmann::json;
using Architecture = EncoderConfig::Architecture;

const std::vector<std::string> published = {"bert-base",    "bert-large",      "bert-l8-h512",     "minilm-l6",
                                            "roberta-base", "roberta-large",   "xlm-roberta-base", "xlm-roberta-large",
                                            "mpnet-base",   "distilbert-base", "modernbert-base",  "modernbert-large",
                                            "nomic-bert"};

/// Returns a complete config to change.
json small_config() {
  return {{"model_type", "bert"},    {"hidden_size", 32}, {"num_hidden_layers", 2},       {"num_attention_heads", 4},
          {"intermediate_size", 48}, {"vocab_size", 60},  {"max_position_embeddings", 70}};
}

/// Returns the small configuration of DistilBERT, whose keys have their own names.
json small_distilbert() {
  return {{"model_type", "distilbert"},
          {"dim", 32},
          {"n_layers", 2},
          {"n_heads", 4},
          {"hidden_dim", 48},
          {"vocab_size", 60},
          {"max_position_embeddings", 70}};
}

json with(json config, const std::string& key, const json& value) {
  config[key] = value;
  return config;
}

json without(json config, const std::string& key) {
  config.erase(key);
  return config;
}

std::string refusal(const json& config) {
  const std::string message = refusal_of([&] { parse_encoder_config(config.dump(), "config.json"); });
  EXPECT_TRUE(message == "accepted" || message.rfind("config.json", 0) == 0) << message;
  return message;
}

TEST(EncoderConfigFile, ReadsWhatTransformersWrote) {
  EncoderConfig expected;
  expected.hidden_size = 32;
  expected.layers = 2;
  expected.heads = 4;
  expected.intermediate_size = 48;
  expected.vocabulary_size = 60;
  expected.max_positions = 70;
  EXPECT_EQ(read_encoder_config(golden("weights/tiny-bert")), expected);
  EXPECT_EQ(read_encoder_config(golden("weights/tiny-bert-old-names")), expected);
  expected.architecture = Architecture::roberta;
  expected.type_vocabulary_size = 1;
  expected.pad_token_id = 1;
  expected.layer_norm_eps = 1e-5;
  EXPECT_EQ(read_encoder_config(golden("weights/tiny-roberta")), expected);
  expected.architecture = Architecture::xlm_roberta;
  EXPECT_EQ(read_encoder_config(golden("weights/tiny-xlm-roberta")), expected);
  expected.architecture = Architecture::mpnet;
  expected.type_vocabulary_size = 0;
  expected.relative_position_buckets = 32;
  expected.max_positions = 140;
  EXPECT_EQ(read_encoder_config(golden("weights/tiny-mpnet")), expected);
  expected.architecture = Architecture::distilbert;
  expected.relative_position_buckets = 0;
  expected.max_positions = 70;
  expected.pad_token_id = 0;
  expected.layer_norm_eps = 1e-12;
  EXPECT_EQ(read_encoder_config(golden("weights/tiny-distilbert")), expected);
}

TEST(EncoderConfigFile, TakesTheDefaultsOfTransformers) {
  const EncoderConfig bert = parse_encoder_config(small_config().dump(), "c");
  EXPECT_EQ(bert.type_vocabulary_size, 2);
  EXPECT_EQ(bert.pad_token_id, 0);
  EXPECT_EQ(bert.layer_norm_eps, 1e-12);
  EXPECT_EQ(bert.hidden_dropout, 0.1);
  EXPECT_EQ(bert.attention_dropout, 0.1);
  EXPECT_EQ(parse_encoder_config(with(small_config(), "model_type", "roberta").dump(), "c").pad_token_id, 1);
  const EncoderConfig mpnet = parse_encoder_config(with(small_config(), "model_type", "mpnet").dump(), "c");
  EXPECT_EQ(mpnet.type_vocabulary_size, 0);
  EXPECT_EQ(mpnet.relative_position_buckets, 32);
  EXPECT_EQ(mpnet.pad_token_id, 1);
  EXPECT_EQ(mpnet.layer_norm_eps, 1e-12);
  const EncoderConfig distilbert = parse_encoder_config(small_distilbert().dump(), "c");
  EXPECT_EQ(distilbert.type_vocabulary_size, 0);
  EXPECT_EQ(distilbert.relative_position_buckets, 0);
  EXPECT_EQ(distilbert.pad_token_id, 0);
  EXPECT_EQ(distilbert.layer_norm_eps, 1e-12);
  EXPECT_EQ(distilbert.hidden_dropout, 0.1);
  EXPECT_EQ(distilbert.attention_dropout, 0.1);
}

TEST(EncoderConfigFile, ReadsTheNamesOfDistilBert) {
  json config = small_distilbert();
  config["dropout"] = 0.25;
  config["attention_dropout"] = 0.5;
  const EncoderConfig read = parse_encoder_config(config.dump(), "c");
  EXPECT_EQ(read.hidden_size, 32);
  EXPECT_EQ(read.layers, 2);
  EXPECT_EQ(read.heads, 4);
  EXPECT_EQ(read.intermediate_size, 48);
  EXPECT_EQ(read.hidden_dropout, 0.25);
  EXPECT_EQ(read.attention_dropout, 0.5);
  // Its attention's output is not dropped out; BERT's is.
  EXPECT_EQ(read.attention_output_dropout(), 0);
  EXPECT_EQ(
      parse_encoder_config(with(small_config(), "hidden_dropout_prob", 0.25).dump(), "c").attention_output_dropout(),
      0.25);
  EXPECT_TRUE(says(refusal(with(config, "hidden_size", 32)), "unknown key \"hidden_size\""));
  EXPECT_TRUE(says(refusal(with(config, "type_vocab_size", 2)), "unknown key \"type_vocab_size\""));
  EXPECT_TRUE(says(refusal(with(config, "layer_norm_eps", 1e-5)), "unknown key \"layer_norm_eps\""));
  EXPECT_TRUE(says(refusal(without(config, "dim")), "\"dim\" is missing"));
  EXPECT_TRUE(says(refusal(with(config, "n_heads", 5)), "n_heads is 5, which does not divide dim, 32"));
  EXPECT_TRUE(says(refusal(with(small_config(), "dim", 32)), "unknown key \"dim\"")) << "BERT has none";
}

TEST(EncoderConfigFile, RefusesWhatIsNotImplementedOfAFamily) {
  EXPECT_TRUE(says(refusal(with(small_distilbert(), "sinusoidal_pos_embds", true)),
                   "sinusoidal_pos_embds is true; only false is implemented: use another model"));
  EXPECT_EQ(refusal(with(small_distilbert(), "sinusoidal_pos_embds", false)), "accepted");
  EXPECT_TRUE(says(refusal(with(small_distilbert(), "activation", "relu")), "activation is \"relu\"; only \"gelu\""));
  const json mpnet = with(small_config(), "model_type", "mpnet");
  EXPECT_TRUE(says(refusal(with(mpnet, "relative_attention_num_buckets", 64)),
                   "relative_attention_num_buckets is 64; only 32 is implemented"));
  EXPECT_EQ(refusal(with(mpnet, "relative_attention_num_buckets", 32)), "accepted");
  EXPECT_TRUE(says(refusal(with(small_config(), "relative_attention_num_buckets", 32)), "unknown key"));
}

TEST(EncoderConfigFile, ReadsTheConfigsAsPublished) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  EXPECT_EQ(read_encoder_config(real_data() / "tokenizers/roberta-base"), named_encoder_config("roberta-base"))
      << "RoBERTa is known by vocab.json";
  EXPECT_EQ(read_encoder_config(real_data() / "tokenizers/roberta-large"), named_encoder_config("roberta-large"));
}

TEST(EncoderConfigFile, CountsPositionsOfRobertaFromAfterThePadding) {
  EXPECT_EQ(named_encoder_config("bert-base").max_tokens(), 512u);
  EXPECT_EQ(named_encoder_config("bert-base").first_position(), 0);
  EXPECT_EQ(named_encoder_config("roberta-base").max_tokens(), 512u);
  EXPECT_EQ(named_encoder_config("roberta-base").first_position(), 2);
  EXPECT_EQ(named_encoder_config("xlm-roberta-base").max_tokens(), 512u);
  EXPECT_EQ(named_encoder_config("xlm-roberta-base").first_position(), 2);
  EXPECT_EQ(named_encoder_config("distilbert-base").max_tokens(), 512u);
  EXPECT_EQ(named_encoder_config("distilbert-base").first_position(), 0);
  EncoderConfig mpnet = named_encoder_config("mpnet-base");
  EXPECT_EQ(mpnet.max_tokens(), 512u);
  EXPECT_EQ(mpnet.first_position(), 2);
  mpnet.pad_token_id = 5;
  EXPECT_EQ(mpnet.first_position(), 2) << "as transformers counts, whatever the padding";
}

TEST(EncoderConfigFile, ReadsWhatItWrites) {
  for (const std::string& name : published) {
    EncoderConfig config = named_encoder_config(name);
    EXPECT_EQ(parse_encoder_config(to_config_json(config), "c"), config) << name;
    // ModernBERT has no key for it.
    if (config.architecture != Architecture::modernbert) config.hidden_dropout = 0.25;
    config.attention_dropout = 0.0;
    config.pad_token_id = 5;
    if (config.architecture != Architecture::distilbert) config.layer_norm_eps = 3e-7;
    if (config.type_vocabulary_size > 0) config.type_vocabulary_size = 3;
    EXPECT_EQ(parse_encoder_config(to_config_json(config), "c"), config) << name;
  }
}

TEST(EncoderConfigFile, WritesTheKeysOfTransformersWithTheirValues) {
  for (const char* name : {"tiny-bert", "tiny-roberta", "tiny-xlm-roberta", "tiny-mpnet", "tiny-distilbert"}) {
    const json theirs = json::parse(read_whole_file(golden("weights") / name / "config.json", 1 << 20));
    const json ours = json::parse(to_config_json(read_encoder_config(golden("weights") / name)));
    for (const auto& [key, value] : ours.items()) {
      if (key == "position_embedding_type") continue;  // no longer written, absolute is the only one left
      EXPECT_EQ(theirs.at(key), value) << name << " " << key;
    }
    EXPECT_GT(ours.size(), 14u);
  }
}

TEST(EncoderConfigFile, ReportsTheArchitecture) {
  const json untold = without(small_config(), "model_type");
  EXPECT_TRUE(
      says(refusal(untold), "whether this is BERT, RoBERTa, XLM-RoBERTa, MPNet, DistilBERT, ModernBERT or NomicBERT"));
  EXPECT_TRUE(says(refusal(with(untold, "architectures", nullptr)), "whether this is BERT, RoBERTa"));
  const auto architecture = [](const json& config, std::optional<Architecture> assumed = std::nullopt) {
    return parse_encoder_config(config.dump(), "c", assumed).architecture;
  };
  EXPECT_EQ(architecture(with(untold, "architectures", {"RobertaForMaskedLM"})), Architecture::roberta);
  EXPECT_EQ(architecture(with(untold, "architectures", {"XLMRobertaModel"})), Architecture::xlm_roberta);
  EXPECT_EQ(architecture(with(untold, "architectures", {"BertForPreTraining"})), Architecture::bert);
  EXPECT_EQ(architecture(with(untold, "architectures", {"MPNetForMaskedLM"})), Architecture::mpnet);
  EXPECT_EQ(architecture(with(small_config(), "model_type", "mpnet")), Architecture::mpnet);
  EXPECT_EQ(architecture(with(without(small_distilbert(), "model_type"), "architectures", {"DistilBertModel"})),
            Architecture::distilbert);
  EXPECT_EQ(architecture(untold, Architecture::roberta), Architecture::roberta);
  EXPECT_EQ(architecture(small_config(), Architecture::roberta), Architecture::bert) << "the file knows better";
  EXPECT_TRUE(says(refusal(with(small_config(), "architectures", {"RobertaModel"})), "disagree"));
  EXPECT_TRUE(says(refusal(with(untold, "architectures", {"RobertaModel", "BertModel"})), "both RoBERTa and BERT"));
  EXPECT_TRUE(
      says(refusal(with(untold, "architectures", {"ElectraModel"})),
           "only classes of BERT, RoBERTa, XLM-RoBERTa, MPNet, DistilBERT, ModernBERT and NomicBERT are implemented"));
  EXPECT_TRUE(says(refusal(with(untold, "architectures", "BertModel")), "not a list"));
  for (const json& other : {json("xlm_roberta"), json("electra"), json("BERT"), json(""), json(1)}) {
    EXPECT_TRUE(says(refusal(with(small_config(), "model_type", other)),
                     "only bert, roberta, xlm-roberta, mpnet, distilbert, modernbert and nomic_bert are implemented"));
  }
}

TEST(EncoderConfigFile, AsksTheTokenizerFilesLast) {
  const TemporaryFolder folder;
  write_bytes(folder / "config.json", without(small_config(), "model_type").dump());
  EXPECT_THROW(read_encoder_config(folder.path()), InputError) << "no tokenizer";
  EXPECT_EQ(read_encoder_config(folder.path(), Architecture::roberta).architecture, Architecture::roberta);
  write_bytes(folder / "vocab.txt", "");
  EXPECT_EQ(read_encoder_config(folder.path()).architecture, Architecture::bert);
  EXPECT_EQ(read_encoder_config(folder.path(), Architecture::roberta).architecture, Architecture::roberta);
  write_bytes(folder / "vocab.json", "");
  EXPECT_THROW(read_encoder_config(folder.path()), InputError) << "files of both";
  EXPECT_THROW(read_encoder_config(folder / "missing"), InputError);
}

TEST(EncoderConfigFile, RefusesOtherComputations) {
  for (const char* activation : {"relu", "gelu_new", "silu"}) {
    EXPECT_TRUE(says(refusal(with(small_config(), "hidden_act", activation)), "hidden_act"));
  }
  EXPECT_TRUE(
      says(refusal(with(small_config(), "position_embedding_type", "relative_key")), "position_embedding_type"));
  EXPECT_TRUE(says(refusal(with(small_config(), "is_decoder", true)), "is_decoder"));
  EXPECT_TRUE(says(refusal(with(small_config(), "is_decoder", "false")), "is_decoder"));
  EXPECT_TRUE(says(refusal(with(small_config(), "is_encoder_decoder", true)), "is_encoder_decoder"));
  EXPECT_TRUE(says(refusal(with(small_config(), "add_cross_attention", true)), "add_cross_attention"));
  EXPECT_TRUE(says(refusal(with(small_config(), "cross_attention_hidden_size", 32)), "cross_attention_hidden_size"));
  EXPECT_TRUE(says(refusal(with(small_config(), "pruned_heads", {{"0", {1}}})), "pruned_heads"));
  EXPECT_EQ(refusal(with(small_config(), "pruned_heads", json::object())), "accepted");
  EXPECT_EQ(refusal(with(small_config(), "is_decoder", false)), "accepted");
}

TEST(EncoderConfigFile, RefusalsAreOneSentenceWithTheValueQuotedOnce) {
  EXPECT_EQ(refusal(with(small_config(), "hidden_act", "gelu_new")),
            "config.json: hidden_act is \"gelu_new\"; only \"gelu\" is implemented: use another model");
  EXPECT_EQ(refusal(with(small_config(), "embedding_size_of_others", 16)),
            "config.json: unknown key \"embedding_size_of_others\" with the value 16 may change what the model "
            "computes: remove it if it does not matter to the encoder");
  EXPECT_TRUE(says(refusal(with(small_config(), "own_key", "x")), "with the value \"x\" may change"));
  EXPECT_TRUE(says(refusal(with(small_config(), "hidden_size", "32")), "hidden_size is \"32\"; it must be"));
}

/// Keys that transformers 2 to 4 and programs around it wrote.
TEST(EncoderConfigFile, AcceptsOldKeysWithoutABearing) {
  for (const auto& [key, value] : std::vector<std::pair<const char*, json>>{
           {"_num_labels", 3},
           {"eos_token_ids", 7},
           {"renormalize_logits", true},
           {"sbert_ce_default_activation_function", "torch.nn.modules.linear.Identity"},
           {"sentence_transformers", {{"version", "4.1.0"}}},
           {"transformers.js_config", {{"dtype", "q8"}}}})
    EXPECT_EQ(refusal(with(small_config(), key, value)), "accepted") << key;
}

TEST(EncoderConfigFile, RefusesUnknownKeysWithTheNearest) {
  EXPECT_TRUE(says(refusal(with(small_config(), "layer_norm_epsilon", 1e-5)), "did you mean \"layer_norm_eps\"?"));
  EXPECT_TRUE(says(refusal(with(small_config(), "embedding_size", 16)), "unknown key \"embedding_size\""));
  EXPECT_TRUE(says(refusal(with(small_config(), "quantization_config", {{"bits", 4}})), "quantization_config"));
  EXPECT_TRUE(says(refusal(with(small_config(), "auto_map", {{"AutoModel", "own.Model"}})), "auto_map"));
  json harmless = small_config();
  for (const char* key :
       {"torch_dtype", "id2label", "task_specific_params", "pooler_fc_size", "gradient_checkpointing"}) {
    harmless[key] = nullptr;
  }
  EXPECT_EQ(refusal(harmless), "accepted");
}

TEST(EncoderConfigFile, AcceptsUnknownKeysThatSwitchNothingOn) {
  const char* const key = "key_of_a_later_release";
  for (const json& off : {json(nullptr), json(false), json(""), json::array(), json::object()})
    EXPECT_EQ(refusal(with(small_config(), key, off)), "accepted") << off;
  for (const json& on : {json(true), json(0), json(0.0), json(1), json(-0.5), json("x"), json("false"), json(" "),
                         json::array({nullptr}), json::array({json::array()}), json{{"layers", nullptr}}}) {
    EXPECT_TRUE(says(refusal(with(small_config(), key, on)), "unknown key \"key_of_a_later_release\" with the value "))
        << on;
  }
  EXPECT_TRUE(says(refusal(with(small_config(), key, 0.25)), "with the value 0.25"));
}

/// A key that is read has no such leave: false is no number of layers, and no position embedding either.
TEST(EncoderConfigFile, KnownKeysAreStillLookedAt) {
  EXPECT_TRUE(says(refusal(with(small_config(), "num_hidden_layers", false)), "num_hidden_layers is "));
  EXPECT_TRUE(says(refusal(with(small_config(), "position_embedding_type", "")), "position_embedding_type is "));
  EXPECT_TRUE(says(refusal(with(small_config(), "position_embedding_type", false)), "position_embedding_type is "));
  EXPECT_TRUE(says(refusal(with(small_config(), "pruned_heads", false)), "pruned_heads is "));
}

TEST(EncoderConfigFile, AcceptsTheDefaultsOfManyReleases) {
  std::istringstream lines(read_whole_file(golden("weights/config_defaults.jsonl"), 1 << 20));
  int configs = 0;
  for (std::string line; std::getline(lines, line);) {
    const json release = json::parse(line);
    for (const json& config : release.at("configs")) {
      EXPECT_EQ(refusal(config), "accepted") << release.at("transformers");
      ++configs;
    }
  }
  EXPECT_EQ(configs, 20);
}

TEST(EncoderConfigFile, RefusesMissingAndWrongValues) {
  const json whole = small_config();
  for (const auto& [key, value] : whole.items()) {
    if (key == "model_type") continue;
    EXPECT_TRUE(says(refusal(without(whole, key)), "\"" + key + "\" is missing"));
    for (const json& bad : {json(0), json(-1), json(1.5), json("8"), json(nullptr), json(true), json(4e9),
                            json(18446744073709551615u), json::array()}) {
      EXPECT_TRUE(says(refusal(with(whole, key, bad)), key + " is "));
    }
  }
  for (const char* key : {"hidden_dropout_prob", "attention_probs_dropout_prob", "layer_norm_eps"}) {
    for (const json& bad : {json(1), json(-0.1), json("0.1"), json(nullptr)}) {
      EXPECT_TRUE(says(refusal(with(whole, key, bad)), std::string(key) + " is "));
    }
    EXPECT_EQ(refusal(with(whole, key, 0)), "accepted");
  }
  EXPECT_TRUE(says(refusal(with(whole, "num_attention_heads", 5)), "does not divide hidden_size, 32"));
  EXPECT_TRUE(says(refusal(with(whole, "num_attention_heads", 64)), "whole number from 1 to 32"));
  EXPECT_TRUE(says(refusal(with(whole, "pad_token_id", 60)), "whole number from 0 to 59"));
  EXPECT_TRUE(says(refusal(with(whole, "max_position_embeddings", 1)), "too few"));
  EXPECT_TRUE(says(refusal(with(with(whole, "model_type", "roberta"), "max_position_embeddings", 3)), "too few"));
  EXPECT_EQ(refusal(with(with(whole, "model_type", "roberta"), "max_position_embeddings", 4)), "accepted");
}

TEST(EncoderConfigFile, RefusesWhatIsNoConfig) {
  for (const char* text : {"", "[]", "1", "{", "{\"vocab_size\": 1, \"vocab_size\": 1}"}) {
    EXPECT_THROW(parse_encoder_config(text, "c"), InputError) << text;
  }
}

TEST(NamedEncoderConfig, KnowsThePublishedShapes) {
  const EncoderConfig large = named_encoder_config("bert-large");
  EXPECT_EQ(large.hidden_size, 1024);
  EXPECT_EQ(large.layers, 24);
  EXPECT_EQ(large.heads, 16);
  EXPECT_EQ(large.intermediate_size, 4096);
  const EncoderConfig mini = named_encoder_config("minilm-l6");
  EXPECT_EQ(mini.hidden_size, 384);
  EXPECT_EQ(mini.layers, 6);
  EXPECT_EQ(mini.heads, 12);
  EXPECT_EQ(mini.intermediate_size, 1536);
  const EncoderConfig medium = named_encoder_config("bert-l8-h512");
  EXPECT_EQ(medium.hidden_size, 512);
  EXPECT_EQ(medium.layers, 8);
  EXPECT_EQ(medium.heads, 8);
  EXPECT_EQ(medium.intermediate_size, 2048);
  EXPECT_EQ(medium, named_encoder_config("bert_uncased_L-8_H-512_A-8")) << "as Google named it";
  const EncoderConfig mpnet = named_encoder_config("mpnet-base");
  EXPECT_EQ(mpnet.vocabulary_size, 30527);
  EXPECT_EQ(mpnet.layer_norm_eps, 1e-5);
  EXPECT_EQ(mpnet.layers, 12);
  EXPECT_EQ(named_encoder_config("distilbert-base").layers, 6);
  EncoderConfig multilingual = named_encoder_config("roberta-large");
  multilingual.architecture = Architecture::xlm_roberta;
  multilingual.vocabulary_size = 250002;
  EXPECT_EQ(named_encoder_config("xlm-roberta-large"), multilingual);
  const std::map<std::string, std::int64_t> heads{
      {"bert-base", 12},    {"bert-large", 16},      {"bert-l8-h512", 8},      {"minilm-l6", 12},
      {"roberta-base", 12}, {"roberta-large", 16},   {"xlm-roberta-base", 12}, {"xlm-roberta-large", 16},
      {"mpnet-base", 12},   {"distilbert-base", 12}, {"modernbert-base", 12},  {"modernbert-large", 16},
      {"nomic-bert", 12}};
  ASSERT_EQ(heads.size(), published.size());
  for (const auto& [name, of_model] : heads) EXPECT_EQ(named_encoder_config(name).heads, of_model) << name;
  EXPECT_TRUE(says(refusal_of([] { named_encoder_config("bert_base"); }), "did you mean \"bert-base\"?"));
  EXPECT_TRUE(says(refusal_of([] { named_encoder_config("x"); }), "modernbert-large and nomic-bert"));
}

/// Both forms of the keys, that of transformers 5 and the one before, which is written.
TEST(EncoderConfigFile, ReadsRotaryPositions) {
  const json modern = json::parse(read_whole_file(golden("weights/tiny-modernbert/config.json"), 1 << 20));
  const EncoderConfig config = parse_encoder_config(modern.dump(), "config.json");
  EXPECT_EQ(config.rotary,
            (RotaryPositions{.base = 160000, .local_base = 10000, .local_distance = 8, .global_every = 3}));
  EXPECT_FALSE(config.has_position_table());
  EXPECT_EQ(parse_encoder_config(to_config_json(config), "written"), config);
  json older = without(without(modern, "rope_parameters"), "layer_types");
  older["global_rope_theta"] = 5000.0;
  older["local_rope_theta"] = 700.0;
  older["global_attn_every_n_layers"] = 2;
  older["local_attention"] = 10;
  EXPECT_EQ(parse_encoder_config(older.dump(), "config.json").rotary,
            (RotaryPositions{.base = 5000, .local_base = 700, .local_distance = 5, .global_every = 2}));
  const EncoderConfig nomic = read_encoder_config(golden("weights/tiny-nomic_bert"));
  EXPECT_EQ(nomic.rotary, RotaryPositions{.base = 1000});
  EXPECT_EQ(parse_encoder_config(to_config_json(nomic), "written"), nomic);
}

/// Published files of ModernBERT have BERT's keys, too, of which transformers takes no notice.
TEST(EncoderConfigFile, ReadsModernBertBesideKeysOfBert) {
  json published_form = json::parse(read_whole_file(golden("weights/tiny-modernbert/config.json"), 1 << 20));
  const EncoderConfig config = parse_encoder_config(published_form.dump(), "config.json");
  published_form["layer_norm_eps"] = 0.25;
  published_form["position_embedding_type"] = "absolute";
  EXPECT_EQ(parse_encoder_config(published_form.dump(), "config.json"), config);
  EXPECT_EQ(config.layer_norm_eps, 1e-5);
}

TEST(EncoderConfigFile, RefusesOtherRotaryPositions) {
  const json modern = json::parse(read_whole_file(golden("weights/tiny-modernbert/config.json"), 1 << 20));
  const auto with_rope = [&](const char* key, const json& value) {
    json changed = modern;
    changed["rope_parameters"]["full_attention"][key] = value;
    return refusal(changed);
  };
  EXPECT_TRUE(says(with_rope("rope_type", "yarn"), "rope_type is \"yarn\"; only \"default\" is implemented"));
  EXPECT_TRUE(says(with_rope("rope_theta", 0), "rope_theta is 0; it must be a number above 0"));
  EXPECT_TRUE(says(with_rope("factor", 4.0), "unknown key \"factor\""));
  EXPECT_TRUE(says(with_rope("partial_rotary_factor", 0.5), "only 1.0 is implemented"));
  const json local = "sliding_attention", global = "full_attention";
  EXPECT_TRUE(says(refusal(with(modern, "layer_types", {local, global, local, local})), "layer_types has"));
  EXPECT_TRUE(says(refusal(with(modern, "layer_types", {global, local})), "no list of 4 layers"));
  EXPECT_TRUE(says(refusal(with(modern, "num_attention_heads", 32)), "heads are 1 wide"));
  EXPECT_TRUE(says(refusal(with(modern, "hidden_activation", "silu")), "only \"gelu\" is implemented"));
  EXPECT_TRUE(says(refusal(with(modern, "attention_bias", true)), "only false is implemented"));
  EXPECT_TRUE(says(refusal(with(modern, "mlp_dropout", 0.1)), "only 0.0 is implemented"));
}

/// Each is where its enumeration says, and no two go by the same name.
TEST(EncoderFamilies, AreDistinguished) {
  for (const EncoderFamily& family : encoder_families()) {
    EXPECT_EQ(&family_of(family.defaults.architecture), &family) << family.title;
    EXPECT_EQ(listed_families(&EncoderFamily::model_type, "or"),
              "bert, roberta, xlm-roberta, mpnet, distilbert, modernbert or nomic_bert");
    for (const EncoderFamily& other : encoder_families()) {
      if (&other == &family) continue;
      EXPECT_FALSE(other.class_prefix.starts_with(family.class_prefix)) << family.title << " and " << other.title;
      EXPECT_NE(other.model_type, family.model_type);
    }
  }
}

}  // namespace
}  // namespace gausscse
