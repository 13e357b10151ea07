#include "model/weights/safetensors.hpp"

#include "tests/model/weights/safetensors_bytes.hpp"
#include "tests/support/disturbances.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Returns the message the bytes are refused with, or "accepted".
std::string refusal(std::string_view bytes) {
  const std::string message = refusal_of([&] { parse_safetensors(bytes, "f.safetensors"); });
  EXPECT_TRUE(message == "accepted" || says(message, "f.safetensors"));
  return message;
}

std::string refusal(std::string_view header, std::string_view data) {
  return refusal(safetensors_bytes(header, data));
}

/// Returns a header entry: "name":{...}.
std::string entry(const std::string& name, const std::string& dtype, const std::string& shape,
                  const std::string& offsets) {
  return concat("\"", name, "\":{\"dtype\":", dtype, ",\"shape\":", shape, ",\"data_offsets\":", offsets, "}");
}

/// Returns the members in braces.
std::string object(const std::string& members) {
  return concat("{", members, "}");
}

/// Returns a file whose only tensor is described so.
std::string refusal_of_entry(const std::string& dtype, const std::string& shape, const std::string& offsets,
                             std::size_t data_size) {
  return refusal(object(entry("a", dtype, shape, offsets)), std::string(data_size, 'x'));
}

TEST(Safetensors, ReadsTensorsInTheOrderOfTheirBytes) {
  const std::string header =
      object(entry("b", "\"F32\"", "[2,1]", "[4,12]") + "," + entry("a", "\"I32\"", "[]", "[0,4]") +
             R"(,"__metadata__":{"format":"pt","k":"v"})");
  const std::string bytes = safetensors_bytes(header + "   ", "0123456789ab");
  const SafetensorsContent content = parse_safetensors(bytes, "f");
  ASSERT_EQ(content.tensors.size(), 2u);
  EXPECT_EQ(content.tensors[0].name, "a");
  EXPECT_EQ(content.tensors[0].dtype, Dtype::i32);
  EXPECT_TRUE(content.tensors[0].shape.empty());
  EXPECT_EQ(content.tensors[0].bytes, "0123");
  EXPECT_EQ(content.tensors[1].name, "b");
  EXPECT_EQ(content.tensors[1].shape, (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(content.tensors[1].bytes, "456789ab");
  EXPECT_EQ(content.metadata, (std::map<std::string, std::string>{{"format", "pt"}, {"k", "v"}}));
}

TEST(Safetensors, ReadsWhatTheReferenceWriterWrote) {
  const SafetensorsFile file = SafetensorsFile::open(golden("weights/all-dtypes.safetensors"));
  EXPECT_EQ(file.tensors().size(), 44u);
  ASSERT_NE(file.find("b.bfloat16"), nullptr);
  EXPECT_EQ(file.find("b.bfloat16")->dtype, Dtype::bf16);
  EXPECT_EQ(file.find("b.bfloat16")->shape, (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(file.find("b.float4_e2m1fn_x2")->shape, (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(file.find("empty")->bytes.size(), 0u);
  EXPECT_EQ(file.find("a.int8")->bytes.size(), 1u);
  EXPECT_NE(file.find("quote \" backslash \\ newline \n control \x01 \x7f letter é emoji 😀"), nullptr);
  EXPECT_EQ(file.find("b.bfloat1"), nullptr);
  EXPECT_EQ(file.find(""), nullptr);
  EXPECT_EQ(file.metadata().at("key \t"), "value \u2028 \x1f");
}

TEST(Safetensors, StaysValidWhenMoved) {
  SafetensorsFile first = SafetensorsFile::open(golden("weights/tiny-bert/model.safetensors"));
  const TensorEntry* tensor = first.find("embeddings.LayerNorm.bias");
  ASSERT_NE(tensor, nullptr);
  const std::string before(tensor->bytes);
  const SafetensorsFile second = std::move(first);
  EXPECT_EQ(second.find("embeddings.LayerNorm.bias"), tensor);
  EXPECT_EQ(tensor->bytes, before);
}

TEST(SafetensorsRules, Rule1TheFileHoldsALength) {
  EXPECT_TRUE(says(refusal(""), "has 0 bytes"));
  EXPECT_TRUE(says(refusal("1234567"), "has 7 bytes"));
}

TEST(SafetensorsRules, Rules2And3TheHeaderFits) {
  std::string bytes = safetensors_bytes("{}");
  bytes[0] = 3;
  EXPECT_TRUE(says(refusal(bytes), "claims a header of 3 bytes, but has only 2"));
  EXPECT_TRUE(says(refusal(std::string(8, '\xff') + "{}"), "claims a header of 18446744073709551615 bytes"));
  EXPECT_TRUE(says(refusal(std::string("\xf9\xff\xff\xff\xff\xff\xff\xff{}", 10)), "claims a header"));
  EXPECT_TRUE(says(refusal(std::string("\x01\xe1\xf5\x05\0\0\0\0{}", 10)), "100000001 bytes, more than 100000000"));
  EXPECT_TRUE(says(refusal(std::string("\x00\xe1\xf5\x05\0\0\0\0{}", 10)), "100000000 bytes, but has only 2"));
}

TEST(SafetensorsRules, Rule4TheHeaderIsUtf8) {
  EXPECT_TRUE(says(refusal("{\"a\xff\":1}", ""), "UTF-8"));
}

TEST(SafetensorsRules, Rules5And6TheHeaderBeginsWithABraceAndMayEndWithSpaces) {
  EXPECT_TRUE(says(refusal(" {}", ""), "does not begin with {"));
  EXPECT_TRUE(says(refusal("\n{}", ""), "does not begin with {"));
  EXPECT_TRUE(says(refusal("\xef\xbb\xbf{}", ""), "does not begin with {"));
  EXPECT_TRUE(says(refusal("[]", ""), "does not begin with {"));
  EXPECT_TRUE(says(refusal("", ""), "does not begin with {"));
  EXPECT_EQ(refusal("{}", ""), "accepted");
  EXPECT_EQ(refusal("{}      ", ""), "accepted");
}

TEST(SafetensorsRules, Rule7TheHeaderIsJsonWithStringMetadata) {
  EXPECT_TRUE(says(refusal("{", ""), "not valid JSON"));
  EXPECT_TRUE(says(refusal("{}x", ""), "not valid JSON"));
  EXPECT_TRUE(says(refusal(std::string_view("{}\0", 3), ""), "NUL"));
  EXPECT_TRUE(says(refusal(R"({"__metadata__":{"a":1}})", ""), "__metadata__ has a value that is not a string"));
  EXPECT_TRUE(says(refusal(R"({"__metadata__":[]})", ""), "__metadata__ is not an object"));
  EXPECT_TRUE(says(refusal(R"({"__metadata__":null})", ""), "__metadata__ is not an object"));
  EXPECT_TRUE(says(refusal(R"({"a":["F32",[1],[0,4]]})", "1234"), "is not described by an object"));
  EXPECT_TRUE(says(refusal(R"({"a":{"shape":[1],"data_offsets":[0,4]}})", "1234"), "has no dtype"));
  EXPECT_TRUE(says(refusal(R"({"a":{"dtype":"F32","data_offsets":[0,4]}})", "1234"), "has no shape"));
  EXPECT_TRUE(says(refusal(R"({"a":{"dtype":"F32","shape":[1]}})", "1234"), "has no data_offsets"));
  EXPECT_EQ(refusal(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"later":{"x":1}}})", "1234"), "accepted");
}

TEST(SafetensorsRules, Rule8TheDtypeIsKnown) {
  for (const char* dtype : {"\"F33\"", "\"f32\"", "\"\"", "null", "1", "{\"F32\":null}"}) {
    EXPECT_TRUE(says(refusal_of_entry(dtype, "[1]", "[0,4]", 4), "unknown dtype"));
  }
}

TEST(SafetensorsRules, Rule9SizesDoNotOverflow) {
  EXPECT_TRUE(says(refusal_of_entry("\"U8\"", "[4294967296,4294967296]", "[0,0]", 0), "overflows"));
  EXPECT_TRUE(says(refusal_of_entry("\"U8\"", "[4294967296,4294967296,0]", "[0,0]", 0), "overflows"));
  EXPECT_TRUE(says(refusal_of_entry("\"F32\"", "[1152921504606846976]", "[0,0]", 0), "overflows"));
  EXPECT_TRUE(says(refusal_of_entry("\"U8\"", "[9223372036854775808]", "[0,0]", 0), "more than any tensor"));
  EXPECT_TRUE(says(refusal_of_entry("\"U8\"", "[18446744073709551616]", "[0,0]", 0), "not a whole number"));
  EXPECT_EQ(refusal_of_entry("\"U8\"", "[0,4294967296,4294967296]", "[0,0]", 0), "accepted");
}

TEST(SafetensorsRules, Rule10DataIsWholeBytes) {
  EXPECT_TRUE(says(refusal_of_entry("\"F4\"", "[3]", "[0,2]", 2), "not whole bytes"));
  EXPECT_TRUE(says(refusal_of_entry("\"F6_E2M3\"", "[2]", "[0,2]", 2), "not whole bytes"));
  EXPECT_EQ(refusal_of_entry("\"F4\"", "[4]", "[0,2]", 2), "accepted");
  EXPECT_EQ(refusal_of_entry("\"F6_E3M2\"", "[4]", "[0,3]", 3), "accepted");
}

TEST(SafetensorsRules, Rule11SizeAndRangeAgree) {
  EXPECT_TRUE(says(refusal_of_entry("\"F32\"", "[2]", "[0,4]", 4), "4 bytes of data where dtype and shape make 8"));
  EXPECT_TRUE(says(refusal_of_entry("\"F32\"", "[1]", "[0,8]", 8), "8 bytes of data where dtype and shape make 4"));
}

TEST(SafetensorsRules, Rule12RangesFollowOneAnother) {
  const auto two = [](const std::string& first, const std::string& second) {
    return refusal(object(entry("a", "\"U8\"", "[4]", first) + "," + entry("b", "\"U8\"", "[4]", second)), "12345678");
  };
  EXPECT_EQ(two("[0,4]", "[4,8]"), "accepted");
  EXPECT_EQ(two("[4,8]", "[0,4]"), "accepted") << "in any order of names";
  EXPECT_TRUE(says(two("[0,4]", "[3,7]"), "where the data before it ends at 4"));
  EXPECT_TRUE(says(two("[0,4]", "[5,9]"), "where the data before it ends at 4"));
  EXPECT_TRUE(says(two("[0,4]", "[0,4]"), "where the data before it ends at 4"));
  EXPECT_TRUE(says(two("[1,5]", "[5,9]"), "where the data before it ends at 0"));
  EXPECT_TRUE(says(refusal_of_entry("\"U8\"", "[4]", "[4,0]", 4), "data_offsets [4, 0]"));
  EXPECT_TRUE(says(refusal_of_entry("\"U8\"", "[0]", "[0,18446744073709551615]", 0), "18446744073709551615 bytes"));
  for (const char* offsets : {"[0]", "[0,4,4]", "[]", "4", "null", "{\"0\":0}"}) {
    EXPECT_TRUE(says(refusal_of_entry("\"U8\"", "[4]", offsets, 4), "not two numbers"));
  }
  for (const char* offsets :
       {"[-0,4]", "[0,-4]", "[0.0,4]", "[0,4.0]", "[0,4e0]", "[\"0\",4]", "[null,4]", "[0,[4]]"}) {
    EXPECT_TRUE(says(refusal_of_entry("\"U8\"", "[4]", offsets, 4), "not a whole number"));
  }
  for (const char* shape : {"[-4]", "[4.0]", "[\"4\"]", "[[4]]", "[null]", "[true]"}) {
    EXPECT_TRUE(says(refusal_of_entry("\"U8\"", shape, "[0,4]", 4), "not a whole number"));
  }
  EXPECT_TRUE(says(refusal_of_entry("\"U8\"", "4", "[0,4]", 4), "not a list"));
}

TEST(SafetensorsRules, Rule13TensorsTakeAllData) {
  EXPECT_TRUE(says(refusal_of_entry("\"U8\"", "[4]", "[0,4]", 3), "the file has only 3"));
  EXPECT_TRUE(says(refusal_of_entry("\"U8\"", "[4]", "[0,4]", 5), "has 5 bytes of data, but its tensors take 4"));
  EXPECT_TRUE(says(refusal("{}", "x"), "has 1 bytes of data, but its tensors take 0"));
}

TEST(SafetensorsRules, Rules14And15EmptyTensorsSingleValuesAndAnyValuesAreFine) {
  EXPECT_EQ(refusal_of_entry("\"F32\"", "[]", "[0,4]", 4), "accepted");
  EXPECT_EQ(refusal_of_entry("\"F32\"", "[0]", "[0,0]", 0), "accepted");
  EXPECT_EQ(refusal(object(entry("a", "\"F32\"", "[1]", "[0,4]")), std::string(4, '\xff')), "accepted") << "a NaN";
}

TEST(SafetensorsRules, Rule16NoKeyComesTwice) {
  EXPECT_TRUE(
      says(refusal(object(entry("a", "\"F32\"", "[1]", "[0,4]") + "," + entry("a", "\"I32\"", "[1]", "[0,4]")), "1234"),
           "\"a\" appears twice"));
  EXPECT_TRUE(says(refusal(R"({"__metadata__":{"a":"1","a":"2"}})", ""), "\"a\" appears twice"));
  EXPECT_TRUE(says(refusal(R"({"__metadata__":{},"__metadata__":{}})", ""), "appears twice"));
  EXPECT_TRUE(says(refusal(R"({"a":{"dtype":"F32","dtype":"I32","shape":[1],"data_offsets":[0,4]}})", "1234"),
                   "appears twice"));
}

TEST(SafetensorsRules, Rule17EmptyTensorsMayShareAnOffset) {
  const std::string empty_pair = entry("a", "\"F32\"", "[0]", "[0,0]") + "," + entry("b", "\"F32\"", "[2,0]", "[0,0]");
  EXPECT_EQ(refusal(object(empty_pair), ""), "accepted");
  EXPECT_EQ(refusal(object(empty_pair + "," + entry("c", "\"U8\"", "[1]", "[0,1]") + "," +
                           entry("d", "\"U8\"", "[0]", "[1,1]")),
                    "x"),
            "accepted");
  EXPECT_TRUE(
      says(refusal(object(entry("a", "\"U8\"", "[2]", "[0,2]") + "," + entry("b", "\"U8\"", "[0]", "[1,1]")), "xx"),
           "where the data before it ends at 2"));
}

TEST(SafetensorsRules, NamesAndCountsAreLimited) {
  const auto named = [](std::size_t size) {
    return refusal(object(entry(std::string(size, 'n'), "\"U8\"", "[0]", "[0,0]")), "");
  };
  EXPECT_EQ(named(1024), "accepted");
  EXPECT_TRUE(says(named(1025), "name of 1025 bytes"));

  std::string header = "{\"__metadata__\":{}";
  for (int i = 0; i < 100000; ++i) header += concat(",", entry(concat(i), "\"U8\"", "[0]", "[0,0]"));
  EXPECT_EQ(refusal(header + "}", ""), "accepted");
  EXPECT_TRUE(says(refusal(concat(header, ",", entry("x", "\"U8\"", "[0]", "[0,0]"), "}"), ""), "more than 100000"));
}

TEST(SafetensorsRules, EveryPrefixOfAFileIsRefused) {
  const std::string whole = read_whole_file(golden("weights/all-dtypes.safetensors"), 1 << 20);
  ASSERT_EQ(refusal(whole), "accepted");
  count_disturbance("files cut short", whole.size());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    // A copy of exactly this size, so that the sanitizer sees a read beyond it.
    const std::vector<char> prefix(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_NE(refusal(std::string_view(prefix.data(), size)), "accepted") << size;
  }
}

}  // namespace
}  // namespace gausscse
