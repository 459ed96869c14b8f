//===- lib/interp/stdlib/Stream.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// <iostream>, <sstream>, <fstream>, <iomanip>. String streams keep their text as
// long as it is known, and files that are here have theirs; what is written
// elsewhere is ignored, what is read from elsewhere is unknown.

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

/// Opens the file that is argument 0: one that is here is read.
static void openIn(Machine &M, CallSite &S, StreamObject &F, bool Reads) {
  F.Text.clear();
  F.At = 0;
  F.Known = F.Failed = F.Ended = false;
  F.Why = quietUnknown(M, "contents of " + fileName(S)).unknown();
  std::optional<std::string> Name =
      hasArg(S, 0) ? textArg(S, 0) : std::nullopt;
  std::optional<std::string> Text =
      Reads && Name ? M.domain().readFile(*Name) : std::nullopt;
  if (!Text || !M.step(Text->size() / 64))
    return;
  F.Known = true;
  F.Text = std::move(*Text);
}

template <bool Reads> static Operand fileStream(Machine &M, CallSite &S) {
  auto New = std::make_unique<StreamObject>();
  openIn(M, S, *New, Reads);
  return Value(std::move(New));
}

template <bool Reads> static Operand openFile(Machine &M, CallSite &S) {
  if (StreamObject *F = streamOf(S))
    openIn(M, S, *F, Reads);
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
  if (V.isPointer() && V.pointer().Target) // Another stream's rdbuf().
    if (auto *From = V.pointer().Target->V.as<StreamObject>()) {
      Stream->Known = From->Known;
      Stream->Text += From->rest();
      Stream->Why = From->Why;
      From->At = From->Text.size();
      return theStream(S);
    }
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

static bool isSpace(char C) {
  return C == ' ' || C == '\t' || C == '\r' || C == '\n';
}

static void skipSpace(StreamObject &F) {
  while (F.At < F.Text.size() && isSpace(F.Text[F.At]))
    ++F.At;
}

/// Moves on by \p N characters, that a read took; at the end it says so.
static void advance(StreamObject &F, size_t N) {
  F.At += std::min(N, F.Text.size() - F.At);
  F.Ended |= F.At >= F.Text.size();
}

/// Takes the next word off the text.
static std::string nextWord(StreamObject &F) {
  std::string Word =
      F.rest().take_until([](char C) { return isSpace(C); }).str();
  advance(F, Word.size());
  return Word;
}

/// Reads a \p Type off the front of the text; nothing if there is none.
static std::optional<Value> parse(StreamObject &F, QualType Type) {
  skipSpace(F);
  if (F.At >= F.Text.size()) {
    F.Ended = true;
    return std::nullopt;
  }
  if (Type->isAnyCharacterType())
    return Value::integer(F.Text[F.At++]);
  if (!Type->isArithmeticType())
    return Value(nextWord(F));
  const char *Begin = F.Text.c_str() + F.At;
  char *End = nullptr;
  bool Float = Type->isFloatingType();
  double D = Float ? std::strtod(Begin, &End) : 0;
  int64_t N = Float ? 0 : std::strtoll(Begin, &End, 10);
  if (End == Begin)
    return std::nullopt;
  advance(F, End - Begin);
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
  std::optional<Value> V =
      Stream->Failed ? std::nullopt : parse(*Stream, Type);
  if (V)
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
    if (Stream && Stream->Known) {
      Stream->Failed |= Stream->At >= Stream->Text.size();
      advance(*Stream, Stream->rest().find('\n') + 1);
    }
    return theStream(S);
  }
  CellRef Target = placeOf(S, 1);
  std::optional<int64_t> Separator =
      hasArg(S, 2) ? intArg(S, 2) : std::optional<int64_t>('\n');
  if (!Stream || !Stream->Known || !Separator) {
    Target->set(unknownInput(M, Stream));
    return theStream(S);
  }
  if (Stream->Failed || Stream->At >= Stream->Text.size()) {
    Stream->Failed = Stream->Ended = true;
    return theStream(S);
  }
  std::string Line = Stream->rest().split(static_cast<char>(*Separator)).first.str();
  Stream->At += Line.size();
  if (Stream->At < Stream->Text.size())
    ++Stream->At; // The separator.
  else
    Stream->Ended = true;
  Target->set(Value(std::move(Line)));
  return theStream(S);
}

static Operand get(Machine &M, CallSite &S) {
  StreamObject *Stream = streamOf(S);
  bool Known = Stream && Stream->Known;
  bool Some = Known && Stream->At < Stream->Text.size();
  Value C = !Known ? unknownInput(M, Stream)
                   : Value::integer(Some ? Stream->Text[Stream->At] : -1);
  if (Some)
    ++Stream->At;
  else if (Known)
    Stream->Failed = Stream->Ended = true;
  if (S.Args.empty())
    return C;
  if (Some || !Known)
    placeOf(S, 0)->set(std::move(C));
  return theStream(S);
}
static Operand peek(Machine &M, CallSite &S) {
  StreamObject *Stream = streamOf(S);
  if (!Stream || !Stream->Known)
    return unknownInput(M, Stream);
  if (Stream->At < Stream->Text.size())
    return integer(Stream->Text[Stream->At]);
  Stream->Ended = true;
  return integer(-1);
}

static Operand ignoreChars(Machine &M, CallSite &S) {
  StreamObject *Stream = streamOf(S);
  if (!Stream || !Stream->Known)
    return theStream(S);
  int64_t N = intArg(S, 0).value_or(1);
  llvm::StringRef T = Stream->rest();
  size_t End = std::min<uint64_t>(N < 0 ? T.size() : N, T.size());
  if (std::optional<int64_t> Stop = intArg(S, 1); Stop && *Stop >= 0)
    if (size_t At = T.find(static_cast<char>(*Stop)); At < End)
      End = At + 1;
  Stream->At += End;
  return theStream(S);
}

/// read(buffer, n): the buffer's contents are unknown.
static Operand readBytes(Machine &M, CallSite &S) {
  StreamObject *Stream = streamOf(S);
  Value &P = argValue(S, 0);
  Value U = unknownInput(M, Stream);
  if (P.isPointer()) {
    if (CellRef C = P.pointer().Array)
      weaken(C->V, U.unknown());
    else if (CellRef T = P.pointer().Target)
      weaken(T->V, U.unknown());
  }
  if (!Stream || !Stream->Known)
    return theStream(S);
  std::optional<int64_t> N = hasArg(S, 1) ? intArg(S, 1) : std::nullopt;
  if (!N || *N < 0) {
    Stream->Known = false;
  } else {
    Stream->Failed |= (uint64_t)*N > Stream->rest().size();
    Stream->Ended |= Stream->Failed;
    Stream->At += std::min<uint64_t>(*N, Stream->rest().size());
  }
  return theStream(S);
}

/// seekg(position), seekg(offset, direction).
static Operand seek(Machine &M, CallSite &S) {
  StreamObject *Stream = streamOf(S);
  if (!Stream || !Stream->Known)
    return theStream(S);
  std::optional<int64_t> To = intArg(S, 0);
  std::optional<int64_t> From = hasArg(S, 1) ? intArg(S, 1) : 0;
  int64_t Size = Stream->Text.size();
  if (To && From) // ios_base::beg, cur and end are 0, 1 and 2.
    *To += *From == 1 ? (int64_t)Stream->At : *From == 2 ? Size : 0;
  if (!To || !From || *To < 0 || *To > Size) {
    Stream->Known = false;
    return theStream(S);
  }
  Stream->At = *To;
  Stream->Ended = false;
  return theStream(S);
}
static Operand tell(Machine &M, CallSite &S) {
  StreamObject *Stream = streamOf(S);
  if (!Stream || !Stream->Known)
    return unknownInput(M, Stream);
  return integer(Stream->Failed ? -1 : (int64_t)Stream->At);
}

/// A fpos is the number that it stands for.
static Operand filePosition(Machine &M, CallSite &S) {
  if (S.Object && S.Args.empty() && !S.Object->V.isVoid())
    return M.copy(S.Object->V);
  return S.Args.empty() ? Value::integer(0) : M.take(S, 0);
}

/// rdbuf(): the stream stands for its buffer.
static Operand buffer(Machine &M, CallSite &S) {
  StreamObject *Stream = streamOf(S);
  if (!Stream || !S.Args.empty())
    return quietUnknown(M, "state of a stream");
  return Value(PointerValue{streamCell(S)});
}

//===-- State -------------------------------------------------------------===//

template <bool Negate> static Operand state(Machine &M, CallSite &S) {
  StreamObject *Stream = streamOf(S);
  if (Stream && Stream->Known)
    return integer(Stream->Failed == Negate);
  return unknownInput(M, Stream);
}
static Operand good(Machine &M, CallSite &S) {
  StreamObject *Stream = streamOf(S);
  if (Stream && Stream->Known)
    return integer(!Stream->Failed && !Stream->Ended);
  return unknownInput(M, Stream);
}
static Operand isOpen(Machine &M, CallSite &S) {
  StreamObject *Stream = streamOf(S);
  if (Stream && Stream->Known)
    return integer(1);
  return unknownInput(M, Stream);
}
static Operand atEnd(Machine &M, CallSite &S) {
  StreamObject *Stream = streamOf(S);
  if (Stream && Stream->Known)
    return integer(Stream->Ended);
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
    Stream->At = 0;
    Stream->Failed = Stream->Ended = false;
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
    Stream->Failed = Stream->Ended = false;
  return nothing();
}

/// istream_iterator: what it gives is unknown.
static Operand streamIterator(Machine &M, CallSite &S) {
  StreamObject *Stream = hasArg(S, 0) ? argValue(S, 0).as<StreamObject>()
                                      : nullptr;
  return unknownInput(M, Stream);
}
/// istreambuf_iterator: an iterator over the text that is left; the end is null.
static Operand bufferIterator(Machine &M, CallSite &S) {
  if (S.Args.empty())
    return Value(PointerValue{});
  Value &From = argValue(S, 0);
  CellRef C = From.isPointer() ? From.pointer().Target : placeOf(S, 0);
  auto *Stream = C ? C->V.as<StreamObject>() : nullptr;
  if (!Stream || !Stream->Known)
    return unknownInput(M, Stream);
  CellRef Rest = makeCell(Value(Stream->rest().str()));
  Stream->At = Stream->Text.size();
  return beginOf(Rest);
}
/// ostream_iterator: takes everything and forgets it.
static Operand outputIterator(Machine &M, CallSite &S) {
  return newStream(false);
}

//===-- Table -------------------------------------------------------------===//

#define MANIPULATOR(Name) {"std::" Name, sameStream}
#define FILE_STREAM(C, Reads)                                                  \
  {"std::" C "::" C, fileStream<Reads>}, {"std::" C "::open", openFile<Reads>}, \
      {"std::" C "::is_open", isOpen}, {"std::" C "::close", ignored},         \
      {"std::" C "::rdbuf", buffer}
#define STRING_STREAM(C)                                                       \
  {"std::" C "::" C, stringStream}, {"std::" C "::str", str},                  \
      {"std::" C "::view", str}, {"std::" C "::rdbuf", buffer}

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
    FILE_STREAM("basic_ifstream", true),
    FILE_STREAM("basic_ofstream", false),
    FILE_STREAM("basic_fstream", false),
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
    {"std::basic_istream::seekg", seek},
    {"std::basic_istream::tellg", tell},
    {"std::basic_istream::gcount", quiet},
    {"std::basic_istream::unget", sameStream},
    {"std::basic_ios::operator bool", state<false>},
    {"std::basic_ios::operator!", state<true>},
    {"std::basic_ios::good", good},
    {"std::basic_ios::fail", state<true>},
    {"std::basic_ios::bad", state<true>},
    {"std::basic_ios::eof", atEnd},
    {"std::basic_ios::clear", clearState},
    {"std::basic_ios::setstate", ignored},
    {"std::basic_ios::exceptions", ignored},
    {"std::basic_ios::fill", quiet},
    {"std::basic_ios::tie", quiet},
    {"std::basic_ios::imbue", quiet},
    {"std::basic_ios::rdbuf", buffer},
    {"std::ios_base::sync_with_stdio", quiet},
    {"std::ios_base::precision", quiet},
    {"std::ios_base::width", quiet},
    {"std::ios_base::setf", quiet},
    {"std::ios_base::unsetf", ignored},
    {"std::ios_base::flags", quiet},
    {"std::fpos::fpos", filePosition},
    {"std::fpos::operator T", filePosition},
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
    {"std::istreambuf_iterator::istreambuf_iterator", bufferIterator},
    {"std::ostream_iterator::ostream_iterator", outputIterator},
    {"std::ostream_iterator::operator*", sameStream},
    {"std::ostream_iterator::operator++", sameStream},
    {"std::ostream_iterator::operator=", sameStream},
    {"std::locale::locale", quiet},
    {"std::locale::global", quiet},
};
const Table StreamTable = StreamEntries;

} // namespace vramlint::stdlib
