//===- lib/interp/stdlib/Stream.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// <iostream>, <sstream>, <fstream>, <iomanip>. String streams keep their text as
// long as it is known; what is written elsewhere is ignored, what is read from
// elsewhere is unknown.

#include "lib/interp/stdlib/Native.h"

using namespace clang;

namespace vramlint::stdlib {

//===-- Helpers -----------------------------------------------------------===//

/// The stream of the call: its object, or a free function's first argument.
static CellRef streamCell(CallSite &S) {
  return S.Object ? S.Object : placeOf(S, 0);
}
static StreamObject *streamOf(CallSite &S) {
  CellRef C = streamCell(S);
  return C ? C->V.as<StreamObject>() : nullptr;
}
/// Index of the first argument after the stream.
static unsigned operandIndex(CallSite &S) { return S.Object ? 0 : 1; }
static Operand theStream(CallSite &S) { return streamCell(S); }

/// Why what a stream gives is not known.
static Value unknownInput(Machine &M, StreamObject *Stream) {
  if (Stream && Stream->Why)
    return Value(Stream->Why);
  return quietUnknown(M, "input that is not known");
}

static Value newStream(bool Known) {
  auto S = std::make_unique<StreamObject>();
  S->Known = Known;
  return Value(std::move(S));
}

//===-- Making ------------------------------------------------------------===//

static Operand console(Machine &M, CallSite &S) { return newStream(false); }

static Operand input(Machine &M, CallSite &S) {
  auto New = std::make_unique<StreamObject>();
  New->Known = false;
  New->Why = quietUnknown(M, "console input").unknown();
  return Value(std::move(New));
}

static Operand stringStream(Machine &M, CallSite &S) {
  auto New = std::make_unique<StreamObject>();
  if (!S.Args.empty() && !argValue(S, 0).isInt()) {
    std::optional<std::string> T = textArg(S, 0);
    New->Known = T.has_value();
    New->Text = T.value_or("");
    if (argValue(S, 0).isUnknown())
      New->Why = argValue(S, 0).unknown();
  }
  return Value(std::move(New));
}

static std::string fileName(CallSite &S) {
  std::optional<std::string> T = textArg(S, 0);
  return T ? "\"" + *T + "\"" : "a file";
}

static Operand fileStream(Machine &M, CallSite &S) {
  auto New = std::make_unique<StreamObject>();
  New->Known = false;
  New->Why = quietUnknown(M, "contents of " + fileName(S)).unknown();
  return Value(std::move(New));
}

static Operand openFile(Machine &M, CallSite &S) {
  if (StreamObject *F = streamOf(S)) {
    F->Known = false;
    F->Why = quietUnknown(M, "contents of " + fileName(S)).unknown();
  }
  return nothing();
}

//===-- Writing -----------------------------------------------------------===//

static bool isManipulator(Machine &M, const Value &V) { return V.isFunction(); }

/// Text as `<<` prints it with default formatting.
static std::optional<std::string> printed(const Value &V, QualType T) {
  T = T.isNull() ? T : T.getNonReferenceType().getCanonicalType();
  if (V.isInt()) {
    if (!T.isNull() && T->isAnyCharacterType())
      return std::string(1, static_cast<char>(V.asInt()));
    if (!T.isNull() && T->isUnsignedIntegerType())
      return std::to_string(static_cast<uint64_t>(V.asInt()));
    return std::to_string(V.asInt());
  }
  if (V.isFloat()) {
    char Buffer[40];
    snprintf(Buffer, sizeof Buffer, "%g", V.asFloat());
    return std::string(Buffer);
  }
  return textOf(V);
}

static Operand write(Machine &M, CallSite &S) {
  StreamObject *Stream = streamOf(S);
  unsigned I = operandIndex(S);
  if (!Stream || !Stream->Known || !hasArg(S, I))
    return theStream(S);
  Value &V = argValue(S, I);
  if (isManipulator(M, V)) {
    StringRef Name = M.nameOf(*V.function().Fn);
    if (Name == "std::endl")
      Stream->Text += '\n';
    else if (Name != "std::flush" && Name != "std::dec" &&
             Name != "std::boolalpha" && Name != "std::left")
      Stream->Known = false;
    return theStream(S);
  }
  std::optional<std::string> T = printed(V, paramType(S, I));
  if (T && (int64_t)(Stream->Text.size() + T->size()) <= M.limits().MaxElements)
    Stream->Text += *T;
  else
    Stream->Known = false;
  return theStream(S);
}

static Operand endLine(Machine &M, CallSite &S) {
  if (StreamObject *Stream = streamOf(S); Stream && Stream->Known)
    Stream->Text += '\n';
  return theStream(S);
}
static Operand put(Machine &M, CallSite &S) {
  StreamObject *Stream = streamOf(S);
  if (std::optional<int64_t> C = intArg(S, 0); Stream && C)
    Stream->Text += static_cast<char>(*C);
  return theStream(S);
}
static Operand writeBytes(Machine &M, CallSite &S) {
  StreamObject *Stream = streamOf(S);
  if (!Stream)
    return theStream(S);
  std::optional<std::string> T = textArg(S, 0);
  std::optional<int64_t> N = intArg(S, 1);
  if (T && N && *N >= 0)
    Stream->Text += T->substr(0, *N);
  else
    Stream->Known = false;
  return theStream(S);
}

/// A manipulator with an argument (setw …): formatting is not followed.
static Operand format(Machine &M, CallSite &S) {
  return quietUnknown(M, "text formatting");
}
static Operand sameStream(Machine &M, CallSite &S) { return theStream(S); }
static Operand ignored(Machine &M, CallSite &S) { return nothing(); }
static Operand quiet(Machine &M, CallSite &S) {
  return quietUnknown(M, "state of a stream");
}

//===-- Reading -----------------------------------------------------------===//

static void skipSpace(std::string &T) {
  size_t At = T.find_first_not_of(" \t\r\n");
  T.erase(0, At);
}

/// Takes the next word off the text.
static std::string nextWord(std::string &T) {
  skipSpace(T);
  size_t End = std::min(T.find_first_of(" \t\r\n"), T.size());
  std::string Word = T.substr(0, End);
  T.erase(0, End);
  return Word;
}

/// Reads a \p Type off the front of the text; nothing if there is none.
static std::optional<Value> parse(std::string &T, QualType Type) {
  skipSpace(T);
  if (T.empty())
    return std::nullopt;
  if (Type->isAnyCharacterType()) {
    char C = T[0];
    T.erase(0, 1);
    return Value::integer(C);
  }
  if (!Type->isArithmeticType())
    return Value(nextWord(T));
  char *End = nullptr;
  bool Float = Type->isFloatingType();
  double D = Float ? std::strtod(T.c_str(), &End) : 0;
  int64_t N = Float ? 0 : std::strtoll(T.c_str(), &End, 10);
  if (End == T.c_str())
    return std::nullopt;
  T.erase(0, End - T.c_str());
  return Float ? Value::real(D) : Value::integer(N);
}

static Operand read(Machine &M, CallSite &S) {
  StreamObject *Stream = streamOf(S);
  unsigned I = operandIndex(S);
  if (!hasArg(S, I) || argValue(S, I).isFunction())
    return theStream(S);
  CellRef Target = placeOf(S, I);
  if (!Stream || !Stream->Known) {
    Target->set(unknownInput(M, Stream));
    return theStream(S);
  }
  QualType Type = paramType(S, I).getNonReferenceType().getCanonicalType();
  if (std::optional<Value> V = parse(Stream->Text, Type))
    Target->set(std::move(*V));
  else
    Stream->Failed = true;
  return theStream(S);
}

static Operand getLine(Machine &M, CallSite &S) {
  StreamObject *Stream = streamOf(S);
  if (S.Object) { // stream.getline(char *, n): not followed.
    if (hasArg(S, 0) && argValue(S, 0).isPointer())
      if (CellRef C = argValue(S, 0).pointer().Array)
        C->set(unknownInput(M, Stream));
    return theStream(S);
  }
  CellRef Target = placeOf(S, 1);
  std::optional<int64_t> Separator =
      hasArg(S, 2) ? intArg(S, 2) : std::optional<int64_t>('\n');
  if (!Stream || !Stream->Known || !Separator) {
    Target->set(unknownInput(M, Stream));
    return theStream(S);
  }
  std::string &T = Stream->Text;
  if (T.empty()) {
    Stream->Failed = true;
    return theStream(S);
  }
  size_t End = T.find(static_cast<char>(*Separator));
  Target->set(Value(T.substr(0, End)));
  T.erase(0, End == std::string::npos ? End : End + 1);
  return theStream(S);
}

static Operand get(Machine &M, CallSite &S) {
  StreamObject *Stream = streamOf(S);
  bool Known = Stream && Stream->Known;
  bool Some = Known && !Stream->Text.empty();
  Value C = !Known ? unknownInput(M, Stream)
                   : Value::integer(Some ? Stream->Text[0] : -1);
  if (Some)
    Stream->Text.erase(0, 1);
  if (S.Args.empty())
    return C;
  if (Known && !Some)
    Stream->Failed = true;
  else
    placeOf(S, 0)->set(std::move(C));
  return theStream(S);
}
static Operand peek(Machine &M, CallSite &S) {
  StreamObject *Stream = streamOf(S);
  if (!Stream || !Stream->Known)
    return unknownInput(M, Stream);
  return integer(Stream->Text.empty() ? -1 : Stream->Text[0]);
}

static Operand ignoreChars(Machine &M, CallSite &S) {
  StreamObject *Stream = streamOf(S);
  if (!Stream || !Stream->Known)
    return theStream(S);
  int64_t N = intArg(S, 0).value_or(1);
  std::string &T = Stream->Text;
  size_t End = std::min<uint64_t>(N < 0 ? T.size() : N, T.size());
  if (std::optional<int64_t> Stop = intArg(S, 1); Stop && *Stop >= 0)
    if (size_t At = T.find(static_cast<char>(*Stop)); At < End)
      End = At + 1;
  T.erase(0, End);
  return theStream(S);
}

/// read(buffer, n): the buffer's contents are unknown.
static Operand readBytes(Machine &M, CallSite &S) {
  Value &P = argValue(S, 0);
  Value U = unknownInput(M, streamOf(S));
  if (P.isPointer()) {
    if (CellRef C = P.pointer().Array)
      weaken(C->V, U.unknown());
    else if (CellRef T = P.pointer().Target)
      weaken(T->V, U.unknown());
  }
  return theStream(S);
}

//===-- State -------------------------------------------------------------===//

template <bool Negate> static Operand state(Machine &M, CallSite &S) {
  StreamObject *Stream = streamOf(S);
  if (Stream && Stream->Known)
    return integer(Stream->Failed == Negate);
  return unknownInput(M, Stream);
}
static Operand atEnd(Machine &M, CallSite &S) {
  StreamObject *Stream = streamOf(S);
  if (Stream && Stream->Known)
    return integer(Stream->Text.empty());
  return unknownInput(M, Stream);
}

static Operand str(Machine &M, CallSite &S) {
  StreamObject *Stream = streamOf(S);
  if (!S.Args.empty()) {
    if (!Stream)
      return nothing();
    std::optional<std::string> T = textArg(S, 0);
    Stream->Known = T.has_value();
    Stream->Text = T.value_or("");
    Stream->Failed = false;
    return nothing();
  }
  if (Stream && Stream->Known)
    return text(Stream->Text);
  return Stream && Stream->Why
             ? Value(Stream->Why)
             : quietUnknown(M, "text of a stream with formatting or values "
                               "that are not known");
}

static Operand clearState(Machine &M, CallSite &S) {
  if (StreamObject *Stream = streamOf(S))
    Stream->Failed = false;
  return nothing();
}

/// istream_iterator and istreambuf_iterator: what they give is unknown.
static Operand streamIterator(Machine &M, CallSite &S) {
  StreamObject *Stream = hasArg(S, 0) ? argValue(S, 0).as<StreamObject>()
                                      : nullptr;
  return unknownInput(M, Stream);
}
/// ostream_iterator: takes everything and forgets it.
static Operand outputIterator(Machine &M, CallSite &S) {
  return newStream(false);
}

//===-- Table -------------------------------------------------------------===//

#define MANIPULATOR(Name) {"std::" Name, sameStream}
#define FILE_STREAM(C)                                                         \
  {"std::" C "::" C, fileStream}, {"std::" C "::open", openFile},              \
      {"std::" C "::is_open", state<false>}, {"std::" C "::close", ignored},   \
      {"std::" C "::rdbuf", quiet}
#define STRING_STREAM(C)                                                       \
  {"std::" C "::" C, stringStream}, {"std::" C "::str", str},                  \
      {"std::" C "::view", str}, {"std::" C "::rdbuf", quiet}

static constexpr NativeEntry StreamEntries[] = {
    {"std::cout", console},
    {"std::cerr", console},
    {"std::clog", console},
    {"std::wcout", console},
    {"std::wcerr", console},
    {"std::cin", input},
    {"stdin", quiet},
    {"stdout", quiet},
    {"stderr", quiet},
    FILE_STREAM("basic_ifstream"),
    FILE_STREAM("basic_ofstream"),
    FILE_STREAM("basic_fstream"),
    STRING_STREAM("basic_ostringstream"),
    STRING_STREAM("basic_istringstream"),
    STRING_STREAM("basic_stringstream"),
    {"std::basic_ostream::operator<<", write},
    {"std::operator<<", write},
    {"std::__detail::operator<<", write},
    {"std::filesystem::operator<<", write},
    {"std::chrono::operator<<", write},
    {"std::basic_ostream::write", writeBytes},
    {"std::basic_ostream::put", put},
    {"std::basic_ostream::flush", sameStream},
    {"std::basic_ostream::seekp", sameStream},
    {"std::basic_ostream::tellp", quiet},
    {"std::endl", endLine},
    {"std::ends", sameStream},
    {"std::flush", sameStream},
    {"std::basic_istream::operator>>", read},
    {"std::operator>>", read},
    {"std::ws", sameStream},
    {"std::getline", getLine},
    {"std::basic_istream::getline", getLine},
    {"std::basic_istream::get", get},
    {"std::basic_istream::peek", peek},
    {"std::basic_istream::read", readBytes},
    {"std::basic_istream::readsome", readBytes},
    {"std::basic_istream::ignore", ignoreChars},
    {"std::basic_istream::seekg", sameStream},
    {"std::basic_istream::tellg", quiet},
    {"std::basic_istream::gcount", quiet},
    {"std::basic_istream::unget", sameStream},
    {"std::basic_ios::operator bool", state<false>},
    {"std::basic_ios::operator!", state<true>},
    {"std::basic_ios::good", state<false>},
    {"std::basic_ios::fail", state<true>},
    {"std::basic_ios::bad", state<true>},
    {"std::basic_ios::eof", atEnd},
    {"std::basic_ios::clear", clearState},
    {"std::basic_ios::setstate", ignored},
    {"std::basic_ios::exceptions", ignored},
    {"std::basic_ios::fill", quiet},
    {"std::basic_ios::tie", quiet},
    {"std::basic_ios::imbue", quiet},
    {"std::basic_ios::rdbuf", quiet},
    {"std::ios_base::sync_with_stdio", quiet},
    {"std::ios_base::precision", quiet},
    {"std::ios_base::width", quiet},
    {"std::ios_base::setf", quiet},
    {"std::ios_base::unsetf", ignored},
    {"std::ios_base::flags", quiet},
    {"std::fpos::fpos", quiet},
    {"std::setw", format},
    {"std::setprecision", format},
    {"std::setfill", format},
    {"std::setbase", format},
    {"std::setiosflags", format},
    {"std::put_time", format},
    {"std::get_time", format},
    {"std::quoted", format},
    MANIPULATOR("boolalpha"),
    MANIPULATOR("noboolalpha"),
    MANIPULATOR("dec"),
    MANIPULATOR("hex"),
    MANIPULATOR("oct"),
    MANIPULATOR("fixed"),
    MANIPULATOR("scientific"),
    MANIPULATOR("defaultfloat"),
    MANIPULATOR("left"),
    MANIPULATOR("right"),
    MANIPULATOR("internal"),
    MANIPULATOR("showpoint"),
    MANIPULATOR("showpos"),
    MANIPULATOR("unitbuf"),
    MANIPULATOR("skipws"),
    MANIPULATOR("noskipws"),
    {"std::istream_iterator::istream_iterator", streamIterator},
    {"std::istreambuf_iterator::istreambuf_iterator", streamIterator},
    {"std::ostream_iterator::ostream_iterator", outputIterator},
    {"std::ostream_iterator::operator*", sameStream},
    {"std::ostream_iterator::operator++", sameStream},
    {"std::ostream_iterator::operator=", sameStream},
    {"std::locale::locale", quiet},
    {"std::locale::global", quiet},
};
const Table StreamTable = StreamEntries;

} // namespace vramlint::stdlib
