#include "base/file_kind.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>

#include "base/error.hpp"
#include "base/text.hpp"

namespace gausscse {

namespace {

using std::string_view_literals::operator""sv;

/// Bytes that a kind of file has at a fixed place.
struct Signature {
  std::string_view bytes;
  FileKind kind;
  std::size_t offset = 0;
};

constexpr std::string_view to_utf8 = "save it as UTF-8";
constexpr std::string_view export_text = "export it as text in UTF-8";
constexpr std::string_view get_again = "get the file itself again";

constexpr FileKind utf16{"text in UTF-16", "save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"};
constexpr FileKind utf32{"text in UTF-32", "save it as UTF-8 (iconv -f UTF-32 -t UTF-8)"};
constexpr FileKind bzip2{"bzip2 data", "unpack it first (bunzip2)"};
constexpr FileKind tar{"a tar archive", "unpack it first (tar -xf)"};
constexpr FileKind zstd{zstd_kind, "unpack it first (unzstd)"};
constexpr FileKind parquet{parquet_kind, export_text};
constexpr FileKind arrow{"an Arrow table", export_text};
constexpr FileKind picture{"a picture", "check that it is the right file"};
constexpr FileKind pytorch{"a PyTorch file (pickle)", "save the model as safetensors"};
constexpr FileKind pickle{"a Python pickle", "save its content in a format that is read here"};
constexpr FileKind html{"a page of HTML or XML", "get the file itself again, not the page that shows it", true};
constexpr FileKind fasttext{"a model of fastText", "give its vectors as text (.vec)"};
constexpr FileKind hdf5{hdf5_kind, "give a file of the kind that is needed here"};
constexpr FileKind word2vec{"word vectors in word2vec's binary format", "save them as text"};

// A longer signature stands before one that it begins with.
constexpr std::array signatures{
    Signature{"\xFF\xFE\0\0"sv, utf32},
    Signature{"\0\0\xFE\xFF"sv, utf32},
    Signature{"\xFF\xFE"sv, utf16},
    Signature{"\xFE\xFF"sv, utf16},
    Signature{"\x1F\x8B"sv, {gzip_kind, "unpack it first (gunzip)"}},
    Signature{"\x1F\x9D"sv, {"data of compress", "unpack it first (uncompress)"}},
    Signature{"\xFD"
              "7zXZ\0"sv,
              {"xz data", "unpack it first (unxz)"}},
    Signature{"\x28\xB5\x2F\xFD"sv, zstd},
    Signature{"\x04\x22\x4D\x18"sv, {"lz4 data", "unpack it first (unlz4)"}},
    Signature{"LZIP\x01"sv, {"lzip data", "unpack it first (lunzip)"}},
    Signature{"7z\xBC\xAF\x27\x1C"sv, {"a 7z archive", "unpack it first (7z x)"}},
    Signature{"Rar!\x1A\x07"sv, {"a RAR archive", "unpack it first (unrar)"}},
    Signature{"ustar\0"sv, tar, 257},
    Signature{"ustar  \0"sv, tar, 257},
    Signature{"PK\x05\x06"sv, {"an empty zip archive", get_again}},
    Signature{"PK\x07\x08"sv, {"a zip archive", "unpack it first (unzip)"}},
    Signature{"PAR1\x15"sv, parquet},
    Signature{"PARE"sv, {"an encrypted Parquet table", export_text, true}},
    Signature{"ARROW1\0\0"sv, arrow},
    Signature{"FEA1\0"sv, {"a Feather table", export_text}},
    Signature{"Obj\x01"sv, {"an Avro table", export_text}},
    Signature{"\x89HDF\r\n\x1A\n"sv, hdf5},
    // The block in front of this program's own, see results/hdf5_seal.hpp.
    Signature{"gausscse-seal/"sv, hdf5},
    Signature{"\x93NUMPY"sv, {"a NumPy array", export_text}},
    Signature{"\x80\x02\x8A\x0A\x6C\xFC\x9C\x46\xF9"sv, pytorch},
    Signature{"\x80\x02"sv, pickle},
    Signature{"\x80\x03"sv, pickle},
    Signature{"\x80\x04"sv, pickle},
    Signature{"\x80\x05"sv, pickle},
    Signature{"GGUF\x01\0\0\0"sv, {"a GGUF model", "give the model as safetensors"}},
    Signature{"GGUF\x02\0\0\0"sv, {"a GGUF model", "give the model as safetensors"}},
    Signature{"GGUF\x03\0\0\0"sv, {"a GGUF model", "give the model as safetensors"}},
    Signature{"\xBA\x16\x4F\x2F"sv, fasttext},
    Signature{"SQLite format 3\0"sv, {"an SQLite database", export_text}},
    Signature{"\x7F"
              "ELF"sv,
              {"a program or library (ELF)", "check that it is the right file"}},
    Signature{"\x89PNG\r\n\x1A\n"sv, picture},
    Signature{"\xFF\xD8\xFF"sv, picture},
    Signature{"GIF89a"sv, {picture.name, picture.remedy, true}},
    Signature{"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, {"a document of Microsoft Office", export_text}},
    Signature{"{\\rtf"sv, {"a document in RTF", export_text, true}},
    Signature{"%PDF-"sv, {"a PDF document", export_text, true}},
    Signature{"version https://git-lfs.github.com/spec/"sv,
              {"a pointer of Git LFS, not the file itself", "get the file (git lfs pull)"}},
};

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// Returns a zip archive, by the name of its first entry.
const FileKind* find_zip(std::string_view bytes) {
  static constexpr FileKind archive{"a zip archive", "unpack it first (unzip)"},
      sheet{"a document of an office program", export_text}, arrays{npz_kind, export_text};
  constexpr std::size_t name_begin = 30, length_place = 26;
  if (!bytes.starts_with("PK\x03\x04")) return nullptr;
  if (bytes.size() < name_begin) return &archive;
  const auto length = static_cast<std::size_t>(little_endian(bytes.substr(length_place, 2)));
  const std::string_view name = bytes.substr(name_begin, length);
  if (name.ends_with("/data.pkl") || name == "data.pkl") return &pytorch;
  if (name.ends_with(".npy")) return &arrays;
  if (name == "[Content_Types].xml" || name.starts_with("_rels/") || name.starts_with("docProps/") ||
      name == "mimetype")
    return &sheet;
  return &archive;
}

/// Recognises bzip2's stream, which begins with its level and the digits of pi, or of pi's root where it is empty.
bool is_bzip2(std::string_view bytes) {
  return bytes.size() >= 10 && bytes.starts_with("BZh") && bytes[3] >= '1' && bytes[3] <= '9' &&
         (bytes.substr(4, 6) == "\x31\x41\x59\x26\x53\x59" || bytes.substr(4, 6) == "\x17\x72\x45\x38\x50\x90");
}

/// Returns true for a frame that readers of zstd and lz4 skip; such files often begin with one.
bool is_skippable_frame(std::string_view bytes) {
  return bytes.size() >= 4 && (static_cast<unsigned char>(bytes[0]) & 0xF0) == 0x50 &&
         bytes.substr(1, 3) == "\x2A\x4D\x18";
}

/// Recognises Arrow's stream, which the files of Hugging Face's data sets are: a mark, then the length of the schema.
bool is_arrow_stream(std::string_view bytes) {
  constexpr std::uint64_t longest = 1 << 24;
  if (bytes.size() < 8 || !bytes.starts_with("\xFF\xFF\xFF\xFF")) return false;
  const std::uint64_t length = little_endian(bytes.substr(4, 4));
  return length > 0 && length < longest;
}

/// Recognises the length of the header, then the header's JSON.
bool is_safetensors(std::string_view bytes) {
  return bytes.size() >= 10 && bytes.substr(4, 4) == "\0\0\0\0"sv && bytes[8] == '{' &&
         (bytes[9] == '"' || bytes[9] == '}' || bytes[9] == ' ');
}

/// Returns whether at least three quarters of the units of `width` bytes have zeros everywhere but at `place`, where
/// none has. Fewer than 16 bytes prove nothing: a short text may hold such characters.
bool has_zeros_around(std::string_view bytes, std::size_t width, std::size_t place) {
  const std::size_t units = bytes.size() / width;
  std::size_t with_zeros = 0;
  for (std::size_t unit = 0; unit < units; ++unit) {
    bool zeros = true;
    for (std::size_t i = 0; i < width; ++i) {
      const bool zero = bytes[unit * width + i] == '\0';
      if (i == place && zero) return false;
      zeros &= i == place || zero;
    }
    with_zeros += zeros;
  }
  return bytes.size() >= 16 && 4 * with_zeros >= 3 * units;
}

/// Recognises UTF-32 and UTF-16 without a byte order mark, of text that is mostly ASCII.
const FileKind* find_wide_text(std::string_view bytes) {
  if (has_zeros_around(bytes, 4, 0) || has_zeros_around(bytes, 4, 3)) return &utf32;
  if (has_zeros_around(bytes, 2, 0) || has_zeros_around(bytes, 2, 1)) return &utf16;
  return nullptr;
}

/// Recognises a number of words, a blank, the width, a line end, and then bytes that are no text.
bool is_binary_word2vec(std::string_view bytes) {
  const std::size_t line_end = bytes.substr(0, 40).find('\n');
  if (line_end == std::string_view::npos) return false;
  const std::string_view line = bytes.substr(0, line_end), rest = bytes.substr(line_end + 1);
  const std::size_t blank = line.find(' ');
  const auto is_number = [](std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  if (blank == std::string_view::npos || !is_number(line.substr(0, blank)) || !is_number(line.substr(blank + 1)))
    return false;
  const std::size_t invalid = find_invalid_utf8(rest);
  // The last character may be cut by the end of `bytes`.
  return rest.find('\0') != std::string_view::npos || (invalid != std::string_view::npos && invalid + 4 < rest.size());
}

bool begins_as_html(std::string_view bytes) {
  const std::size_t begin = bytes.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (begin == std::string_view::npos) return false;
  const std::string_view text = bytes.substr(begin);
  constexpr std::array tags{"<!doctype html"sv, "<html"sv, "<?xml"sv};
  return std::any_of(tags.begin(), tags.end(), [&](std::string_view tag) {
    return text.size() >= tag.size() && std::equal(tag.begin(), tag.end(), text.begin(), [](char a, char b) {
             return a == std::tolower(static_cast<unsigned char>(b));
           });
  });
}

void refuse(const FileKind& kind, std::string_view name) {
  throw InputError(concat(name, ": this is ", kind.name, ": ", kind.remedy));
}

}  // namespace

const FileKind* find_file_kind(std::string_view first_bytes) {
  const std::string_view bytes = first_bytes.substr(0, file_kind_bytes);
  for (const Signature& signature : signatures)
    if (bytes.size() > signature.offset && bytes.substr(signature.offset).starts_with(signature.bytes))
      return &signature.kind;
  if (is_bzip2(bytes)) return &bzip2;
  if (is_skippable_frame(bytes)) return &zstd;
  if (is_arrow_stream(bytes)) return &arrow;
  if (const FileKind* zip = find_zip(bytes)) return zip;
  static constexpr FileKind safetensors{safetensors_kind, "give a file of the kind that is needed here"};
  if (is_safetensors(bytes)) return &safetensors;
  if (const FileKind* text = find_wide_text(bytes)) return text;
  if (is_binary_word2vec(bytes)) return &word2vec;
  return begins_as_html(bytes) ? &html : nullptr;
}

void refuse_binary_file(std::string_view first_bytes, std::string_view name) {
  const FileKind* kind = find_file_kind(first_bytes);
  if (kind && !kind->may_be_text) refuse(*kind, name);
}

void refuse_other_file(std::string_view first_bytes, std::string_view name) {
  if (const FileKind* kind = find_file_kind(first_bytes)) refuse(*kind, name);
}

}  // namespace gausscse
