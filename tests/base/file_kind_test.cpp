#include "base/file_kind.hpp"

#include "base/strict_json.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using namespace std::string_literals;

std::string name_of_kind(std::string_view bytes) {
  const FileKind* kind = find_file_kind(bytes);
  return kind ? std::string(kind->name) : "none";
}

/// Returns `text`, each character as `width` bytes.
std::string wide(std::string_view text, std::size_t width, bool little_endian) {
  std::string bytes;
  for (const char character : text) {
    const std::string zeros(width - 1, '\0');
    bytes += little_endian ? character + zeros : zeros + character;
  }
  return bytes;
}

std::string zip_of(const std::string& first_entry) {
  return "PK\x03\x04"s + std::string(22, '\0') + static_cast<char>(first_entry.size()) + "\0\0\0"s + first_entry +
         "data";
}

TEST(FileKind, IsToldByTheFirstBytes) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"\x1F\x8B\x08\0"s, "gzip data"},
      {"BZh91AY&SY"s, "bzip2 data"},
      {"\xFD"
       "7zXZ\0\0"s,
       "xz data"},
      {"\x28\xB5\x2F\xFD$"s, "zstd data"},
      {"\x50\x2A\x4D\x18\0"s, "zstd data"},
      {"\x04\x22\x4D\x18@"s, "lz4 data"},
      {zip_of("a.txt"), "a zip archive"},
      {zip_of("[Content_Types].xml"), "a document of an office program"},
      {zip_of("mean.npy"), "an archive of NumPy arrays (npz)"},
      {zip_of("archive/data.pkl"), "a PyTorch file (pickle)"},
      {"7z\xBC\xAF\x27\x1C\0"s, "a 7z archive"},
      {std::string(257, 'x') + "ustar\0"s, "a tar archive"},
      {std::string(257, 'x') + "ustar  \0"s, "a tar archive"},
      {"PAR1\x15\x04"s, "a Parquet table"},
      {"ARROW1\0\0"s, "an Arrow table"},
      {"\xFF\xFF\xFF\xFF\xA8\x02\0\0\x10\0"s, "an Arrow table"},
      {"\x89HDF\r\n\x1A\n\0"s, "an HDF5 file"},
      {"\x93NUMPY\x01\0"s, "a NumPy array"},
      {"\x80\x02}q"s, "a Python pickle"},
      {"\x80\x02\x8A\x0A\x6C\xFC\x9C\x46\xF9\x20"s, "a PyTorch file (pickle)"},
      {"\x58\0\0\0\0\0\0\0{\"a\""s, "a file of safetensors"},
      {"\x58\0\0\0\0\0\0\0{ \"a\""s, "a file of safetensors"},
      {"\x02\0\0\0\0\0\0\0{}"s, "a file of safetensors"},
      {"GGUF\x03\0\0\0"s, "a GGUF model"},
      {"SQLite format 3\0"s, "an SQLite database"},
      {"\x7F"
       "ELF\x02"s,
       "a program or library (ELF)"},
      {"\x89PNG\r\n\x1A\n"s, "a picture"},
      {"\xFF\xD8\xFF\xE0"s, "a picture"},
      {"%PDF-1.7\n"s, "a PDF document"},
      {"\n <!DOCTYPE HTML>\n"s, "a page of HTML or XML"},
      {"<html lang=\"en\">"s, "a page of HTML or XML"},
      {"version https://git-lfs.github.com/spec/v1\noid"s, "a pointer of Git LFS, not the file itself"},
      {"3000000 300\nin \x01\x80\xBD\0\x3E"s, "word vectors in word2vec's binary format"},
      {"\xFF\xFE" + wide("{\"a\"}", 2, true), "text in UTF-16"},
      {"\xFE\xFF" + wide("{\"a\"}", 2, false), "text in UTF-16"},
      {"\xFF\xFE\0\0"s + wide("{\"a\"}", 4, true), "text in UTF-32"},
      {"\0\0\xFE\xFF"s + wide("{\"a\"}", 4, false), "text in UTF-32"},
      {wide("A caf\xE9.\n", 2, true), "text in UTF-16"},
      {wide("A caf\xE9.\n", 2, false), "text in UTF-16"},
      {wide("A caf\xE9.\n", 4, true), "text in UTF-32"},
      {wide("A caf\xE9.\n", 4, false), "text in UTF-32"},
      // A dash of two bytes among letters of one.
      {wide("the dog", 2, true) + "\x14\x20" + wide("a cat", 2, true), "text in UTF-16"},
      // Just three quarters of letters of one byte.
      {wide("a dog.", 2, true) + "\x14\x20\x14\x20", "text in UTF-16"},
  };
  for (const auto& [bytes, name] : cases) EXPECT_EQ(name_of_kind(bytes), name) << name;
}

TEST(FileKind, OfTextIsNone) {
  for (const std::string& text : {""s,
                                  "A dog.\n"s,
                                  "\xEF\xBB\xBF{\"a\": 1}"s,
                                  "BZh is short.\n"s,
                                  "PK\n"s,
                                  "PAR1 of golf\n"s,
                                  "\x1F"s,
                                  "7z it\n"s,
                                  "caf\xC3\xA9\n"s,
                                  "a\0b\n"s,
                                  "a\0b\0c\0d\0"s,
                                  "\x58\0\0\0\0\0\0\0{a"s,
                                  "GGUF\n"s,
                                  "400000 2\nthe 0.1 0.2\n"s,
                                  "400000 300"s,
                                  "\0\0\0\0"s,
                                  "SQLite format 3 is a format\n"s,
                                  "\xE4\xB8\xAD\xE6\x96\x87\n"s,
                                  "Obj 1\n"s,
                                  "LZIP\n"s,
                                  std::string(256, 'x') + "mustard\n"})
    EXPECT_EQ(name_of_kind(text), "none") << text;
}

TEST(FileKind, ReadersRefuseItByName) {
  const auto refuse = [](const std::string& bytes) { return refusal_of([&] { refuse_binary_file(bytes, "f.txt"); }); };
  EXPECT_EQ(refuse("\xFF\xFE" + wide("ab", 2, true)),
            "f.txt: this is text in UTF-16: save it as UTF-8 (iconv -f UTF-16 -t UTF-8)");
  EXPECT_EQ(refuse("\x28\xB5\x2F\xFD"), "f.txt: this is zstd data: unpack it first (unzstd)");
  // Sentences may begin so.
  for (const char* text : {"<html> is a tag\n", "%PDF-1.7 is a version\n"}) {
    EXPECT_EQ(refuse(text), "accepted");
    EXPECT_NE(refusal_of([&] { refuse_other_file(text, "f.txt"); }), "accepted");
  }
  EXPECT_EQ(refusal_of([] { parse_strict_json(wide("{\"a\": 1}", 2, false), "config.json"); }),
            "config.json: this is text in UTF-16: save it as UTF-8 (iconv -f UTF-16 -t UTF-8)");
  EXPECT_EQ(refusal_of([] { parse_strict_json("<!doctype html><title>404", "config.json"); }),
            "config.json: this is a page of HTML or XML: get the file itself again, not the page that shows it");
}

}  // namespace
}  // namespace gausscse
