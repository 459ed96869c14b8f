//===- test/oracle/CaseText.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The text of oracle cases, read alike by the programs that record them with real
// LibTorch and by the unit tests that replay them. Standard C++ alone.
//
//   index_add self=f32[4,3] dim=0 index=i64{0,2} source=f32[2,3] alpha=1.5
//
// Values: words (true, none, float, a variable), numbers, 'text', lists, and
// tensors:
//   f32[2,3]     some values; f16 bf16 f32 f64 c64 c128 u8 i8 i16 i32 i64 bool
//   i64[4]<3     values 0, 1, 2, 0 …
//   i64{5,0,2}   one dimension, these values
//   f32[3,4]t    the last two dimensions laid out the other way round
//   f32[2,3,4,4]n  channels last
//   f32[3,3]s    symmetric, positive definite
//   f32[3]x      needs no gradient, where others do

#pragma once

#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace cases {

struct Value {
  enum KindTy { Word, Integer, Real, Text, List, Tensor } Kind = Word;
  std::string Spelling;
  std::vector<Value> Elements; ///< Of a list.
  // A tensor's.
  std::string Type;
  std::vector<int64_t> Sizes, Given; ///< Given: its values, if they are spelled.
  int64_t Below = 0;                 ///< 0: no limit.
  char Layout = 0;                   ///< One of the letters above.

  int64_t integer() const { return std::atoll(Spelling.c_str()); }
  double real() const { return std::atof(Spelling.c_str()); }
};

struct Call {
  std::string Op;
  std::vector<std::pair<std::string, Value>> Args;
};

/// "a, b" -> {"a", "b"}.
inline std::vector<std::string> splitList(const std::string &Text) {
  std::vector<std::string> Parts;
  for (size_t I = 0; I < Text.size();) {
    size_t End = std::min(Text.find(',', I), Text.size());
    size_t B = Text.find_first_not_of(' ', I);
    if (B < End)
      Parts.push_back(Text.substr(B, Text.find_last_not_of(' ', End - 1) - B + 1));
    I = End + 1;
  }
  return Parts;
}

/// "name=value name=[a, b]" -> pairs.
inline std::vector<std::pair<std::string, std::string>>
splitArgs(const std::string &Text) {
  std::vector<std::pair<std::string, std::string>> Pairs;
  for (size_t I = 0; I < Text.size();) {
    size_t E = Text.find('=', I);
    if (E == std::string::npos)
      break;
    size_t B = Text.find_first_not_of(' ', I);
    size_t End = Text[E + 1] == '[' ? Text.find(']', E) + 1
                                    : std::min(Text.find(' ', E), Text.size());
    Pairs.emplace_back(Text.substr(B, E - B), Text.substr(E + 1, End - E - 1));
    I = End + 1;
  }
  return Pairs;
}

/// Reads the text of one call from its start.
class Reader {
public:
  explicit Reader(const std::string &Line) : S(Line) {}
  bool Ok = true;

  Call call() {
    Call C;
    C.Op = name(".");
    while (skip(), At < S.size() && Ok) {
      std::string Name = name("");
      Ok &= take('=');
      C.Args.emplace_back(Name, value());
    }
    return C;
  }

private:
  bool take(char C) {
    if (At >= S.size() || S[At] != C)
      return false;
    ++At;
    return true;
  }
  void skip() {
    while (At < S.size() && S[At] == ' ')
      ++At;
  }
  std::string name(const char *More) {
    size_t First = At;
    while (At < S.size() && (std::isalnum((unsigned char)S[At]) || S[At] == '_' ||
                             std::string(More).find(S[At]) != std::string::npos))
      ++At;
    Ok &= At > First;
    return S.substr(First, At - First);
  }
  std::vector<int64_t> integers(char End) {
    std::vector<int64_t> List;
    while (skip(), At < S.size() && !take(End)) {
      char *Stop = nullptr;
      List.push_back(std::strtoll(S.c_str() + At, &Stop, 10));
      Ok &= Stop != S.c_str() + At;
      At = Ok ? Stop - S.c_str() : S.size();
      skip();
      take(',');
    }
    return List;
  }
  Value value() {
    Value V;
    skip();
    size_t First = At;
    if (take('\'')) {
      V.Kind = Value::Text;
      At = std::min(S.find('\'', At), S.size());
      V.Spelling = S.substr(First + 1, At - First - 1);
      Ok &= take('\'');
    } else if (take('[')) {
      V.Kind = Value::List;
      while (skip(), At < S.size() && Ok && !take(']')) {
        V.Elements.push_back(value());
        skip();
        take(',');
      }
    } else if (At < S.size() && (std::isdigit((unsigned char)S[At]) || S[At] == '-' || S[At] == '.')) {
      while (At < S.size() && std::string(" ,]").find(S[At]) == std::string::npos)
        ++At;
      V.Spelling = S.substr(First, At - First);
      V.Kind = V.Spelling.find_first_of(".e") == std::string::npos ? Value::Integer
                                                                   : Value::Real;
    } else {
      V.Spelling = name("");
      tensor(V);
    }
    return V;
  }
  void tensor(Value &V) {
    V.Type = V.Spelling;
    if (take('{')) {
      V.Given = integers('}');
      V.Sizes = {int64_t(V.Given.size())};
    } else if (take('[')) {
      V.Sizes = integers(']');
    } else {
      return;
    }
    V.Kind = Value::Tensor;
    if (take('<'))
      V.Below = std::atoll(name("").c_str());
    if (At < S.size() && std::isalpha((unsigned char)S[At]))
      V.Layout = S[At++];
  }

  const std::string &S;
  size_t At = 0;
};

/// The name of an op in place: its first argument is changed.
inline bool isInPlace(const std::string &Op) {
  std::string Base = Op.substr(0, Op.find('.'));
  return Base.back() == '_' && Base.size() > 1 && Base[Base.size() - 2] != '_';
}

} // namespace cases
