#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gausscse {

/// Returns the CRC-32 of zip archives, bit by bit.
inline std::uint32_t zip_checksum(const std::string& bytes) {
  std::uint32_t rest = 0xffffffff;
  for (const char byte : bytes) {
    rest ^= static_cast<unsigned char>(byte);
    for (int i = 0; i < 8; ++i) rest = rest >> 1 ^ (rest & 1 ? 0xedb88320u : 0);
  }
  return ~rest;
}

/// Member of an archive, as numpy.savez stores it without zip64. `method` 0: not compressed.
struct PlainMember {
  std::string name, content;
  int method = 0;
};

inline std::string zip_number(std::size_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8) text += static_cast<char>(value & 0xff);
  return text;
}

/// Returns an archive with a comment, whose local headers have an extra field that the directory lacks.
inline std::string zip_of_members(const std::vector<PlainMember>& members) {
  std::string archive, directory;
  for (const PlainMember& member : members) {
    const std::string common = zip_number(20, 2) + zip_number(0, 2) +
                               zip_number(static_cast<std::size_t>(member.method), 2) + zip_number(0, 4) +
                               zip_number(zip_checksum(member.content), 4) + zip_number(member.content.size(), 4) +
                               zip_number(member.content.size(), 4) + zip_number(member.name.size(), 2);
    directory += "PK\x01\x02" + zip_number(20, 2) + common + zip_number(0, 2) + zip_number(0, 10) +
                 zip_number(archive.size(), 4) + member.name;
    archive += "PK\x03\x04" + common + zip_number(6, 2) + member.name + zip_number(0xcafe, 2) + zip_number(2, 2) +
               "xy" + member.content;
  }
  return archive + directory + "PK\x05\x06" + zip_number(0, 4) + zip_number(members.size(), 2) +
         zip_number(members.size(), 2) + zip_number(directory.size(), 4) + zip_number(archive.size(), 4) +
         zip_number(5, 2) + "hello";
}

}  // namespace gausscse
