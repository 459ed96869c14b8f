//===- lib/interp/stdlib/Cstdlib.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The C library: <cstdlib>, <cstdio>, <ctime>, <cctype>, <cstring>. In glibc's
// headers these are global functions, under std:: too by using-declarations.

#include "lib/interp/stdlib/Native.h"
#include <cctype>

using namespace clang;

namespace vramlint::stdlib {

//===-- Helpers -----------------------------------------------------------===//

static Operand quiet(Machine &M, CallSite &S) {
  StringRef Name = S.Callee ? M.nameOf(*S.Callee) : "a C function";
  return quietUnknown(M, "result of " + Name + "()");
}
static Operand ignored(Machine &M, CallSite &S) { return nothing(); }

/// The plain values that argument \p I points at are not known any more.
static void losePointee(CallSite &S, unsigned I, const UnknownRef &Cause) {
  if (!hasArg(S, I) || !argValue(S, I).isPointer())
    return;
  const PointerValue &P = argValue(S, I).pointer();
  if (CellRef C = P.Array ? P.Array : P.Target) {
    if (C->V.isVoid())
      C->set(Value(Cause));
    weaken(C->V, Cause);
  }
}

//===-- <cstdlib> ---------------------------------------------------------===//

static Operand environment(Machine &M, CallSite &S) {
  std::string Name = textArg(S, 0).value_or("");
  return M.unknown("getenv(\"" + Name + "\")", "--set " + Name + "=VALUE");
}

static Operand exitProgram(Machine &M, CallSite &S) {
  M.stop("the program ends here");
  return nothing();
}

static Operand divide(Machine &M, CallSite &S) {
  return M.unknownFrom(S, "result of div()");
}

//===-- <cstdio>, <ctime> -------------------------------------------------===//

/// scanf and others that write through their arguments from \p From on.
template <unsigned From> static Operand scan(Machine &M, CallSite &S) {
  Value U = M.unknown("input read by scanf");
  for (unsigned I = From; I < S.Args.size(); ++I)
    losePointee(S, I, U.unknown());
  return U;
}

/// Puts \p Text and its end where argument \p I points; false: no room, or it
/// points at nothing known.
static bool putText(CallSite &S, unsigned I, StringRef Text) {
  if (!hasArg(S, I) || !argValue(S, I).isPointer())
    return false;
  const PointerValue &P = argValue(S, I).pointer();
  auto *Q = P.Array ? P.Array->V.as<Sequence>() : nullptr;
  if (!Q || P.Index < 0 || P.Index + Text.size() >= Q->Elements.size())
    return false;
  for (size_t K = 0; K <= Text.size(); ++K)
    Q->Elements[P.Index + K]->set(
        Value::integer(K < Text.size() ? Text[K] : 0));
  return true;
}

/// One conversion of printf, as `%5.2f`; nothing if it or \p V is not known.
static std::optional<std::string> converted(std::string Spec, const Value &V) {
  char Buffer[512];
  char Kind = Spec.back();
  // What follows is passed as 64 bits, whatever the program's length modifier.
  Spec.pop_back();
  llvm::erase_if(Spec, [](char C) { return StringRef("hlzjtqL").contains(C); });
  if (Spec.size() > 8 ||
      StringRef(Spec).find_first_not_of("%0123456789.+-# ") != StringRef::npos)
    return std::nullopt;
  if (StringRef("diouxX").contains(Kind) && V.isInt()) {
    Spec += std::string("ll") + Kind;
    snprintf(Buffer, sizeof Buffer, Spec.c_str(), (long long)V.asInt());
  } else if (Kind == 'c' && V.isInt()) {
    snprintf(Buffer, sizeof Buffer, (Spec + Kind).c_str(), (int)V.asInt());
  } else if (StringRef("eEfFgG").contains(Kind) && V.isNumber()) {
    snprintf(Buffer, sizeof Buffer, (Spec + Kind).c_str(), V.asNumber());
  } else if (std::optional<std::string> T = Kind == 's' ? textOf(V) : std::nullopt;
             T && T->size() < sizeof Buffer) {
    snprintf(Buffer, sizeof Buffer, (Spec + Kind).c_str(), T->c_str());
  } else {
    return std::nullopt;
  }
  return std::string(Buffer);
}

/// The text that printf makes of the format in argument \p I and what follows it.
static std::optional<std::string> formatted(CallSite &S, unsigned I) {
  std::optional<std::string> Format = textArg(S, I);
  if (!Format)
    return std::nullopt;
  std::string Out;
  StringRef Left = *Format;
  while (!Left.empty()) {
    auto [Plain, Rest] = Left.split('%');
    Out += Plain;
    if (Plain.size() == Left.size())
      break;
    if (Rest.consume_front("%")) {
      Out += '%';
      Left = Rest;
      continue;
    }
    size_t End = Rest.find_first_of("diouxXeEfFgGaAcspn");
    if (End == StringRef::npos || Rest.take_front(End).contains('*') ||
        !hasArg(S, ++I))
      return std::nullopt;
    auto T = converted("%" + Rest.take_front(End + 1).str(), argValue(S, I));
    if (!T)
      return std::nullopt;
    Out += *T;
    Left = Rest.drop_front(End + 1);
  }
  return Out;
}

/// sprintf(buffer, format, …) and snprintf(buffer, size, format, …).
template <bool Limited> static Operand print(Machine &M, CallSite &S) {
  std::optional<std::string> Text = formatted(S, Limited ? 2 : 1);
  std::optional<int64_t> Size = Limited ? intArg(S, 1) : INT64_MAX;
  bool Known = Text && Size && *Size >= 0;
  if (Known && *Size > 0 &&
      putText(S, 0, StringRef(*Text).take_front(*Size - 1)))
    return integer(Text->size());
  Value U = quiet(M, S).V;
  losePointee(S, 0, U.unknown());
  return Known ? integer(Text->size()) : Operand(std::move(U));
}

/// getcwd and the like: a path that stands for the folder the program runs in.
static Operand currentFolder(Machine &M, CallSite &S) {
  putText(S, 0, ".");
  return text(".");
}

/// fgets, fread, …: the buffer that the first argument points at.
static Operand fillBuffer(Machine &M, CallSite &S) {
  Value U = quiet(M, S).V;
  losePointee(S, 0, U.unknown());
  return U;
}

//===-- <cctype> ----------------------------------------------------------===//

template <int (*Fn)(int)> static Operand character(Machine &M, CallSite &S) {
  std::optional<int64_t> C = intArg(S, 0);
  if (!C || *C < -1 || *C > 255)
    return M.unknownFrom(S, "character that is not known");
  return integer(Fn(static_cast<int>(*C)));
}

//===-- <cstring> ---------------------------------------------------------===//

static Operand length(Machine &M, CallSite &S) {
  std::optional<std::string> T = textArg(S, 0);
  if (!T)
    return M.unknownFrom(S, "length of a text that is not known");
  return integer(std::min(T->find('\0'), T->size()));
}

template <bool Limited, bool NoCase>
static Operand compare(Machine &M, CallSite &S) {
  auto A = textArg(S, 0), B = textArg(S, 1);
  std::optional<int64_t> N = Limited ? intArg(S, 2) : 0;
  if (!A || !B || !N)
    return M.unknownFrom(S, "comparison of texts that are not known");
  if (Limited) {
    A = A->substr(0, *N);
    B = B->substr(0, *N);
  }
  int C = NoCase ? StringRef(*A).compare_insensitive(*B) : A->compare(*B);
  return integer(C < 0 ? -1 : C > 0);
}

/// The rest of the text from what is searched for, or null.
template <bool ForCharacter, bool Last>
static Operand search(Machine &M, CallSite &S) {
  std::optional<std::string> T = textArg(S, 0), What;
  if (ForCharacter && intArg(S, 1))
    What = std::string(1, static_cast<char>(*intArg(S, 1)));
  else
    What = textArg(S, 1);
  if (!T || !What)
    return M.unknownFrom(S, "search in a text that is not known");
  size_t At = Last ? T->rfind(*What) : T->find(*What);
  if (At == std::string::npos)
    return Value(PointerValue{nullptr, nullptr, 0});
  return text(T->substr(At));
}

/// memcpy, strcpy and the like: returns the destination, whose values are lost.
static Operand copyBytes(Machine &M, CallSite &S) {
  Value U = quietUnknown(M, "memory written by a C function");
  losePointee(S, 0, U.unknown());
  return M.copy(argValue(S, 0));
}

/// strcpy and strcat: as memcpy, where the texts are not known.
template <bool Append> static Operand copyText(Machine &M, CallSite &S) {
  std::optional<std::string> From = textArg(S, 1);
  std::optional<std::string> To = Append ? textArg(S, 0) : "";
  if (From && To && putText(S, 0, *To + *From))
    return M.copy(argValue(S, 0));
  return copyBytes(M, S);
}

/// memset(p, 0, n) of numbers is known; anything else is not followed.
static Operand setBytes(Machine &M, CallSite &S) {
  Value &P = argValue(S, 0);
  auto *Q = P.isPointer() && P.pointer().Array
                ? P.pointer().Array->V.as<Sequence>()
                : nullptr;
  if (!Q || intArg(S, 1) != 0 || P.pointer().Index != 0)
    return copyBytes(M, S);
  for (const CellRef &C : Q->Elements)
    if (C && C->V.isFloat())
      C->set(Value::real(0));
    else if (C && (C->V.isInt() || C->V.isVoid() || C->V.isUnknown()))
      C->set(Value::integer(0));
  return M.copy(P);
}

//===-- Tables ------------------------------------------------------------===//

static constexpr NativeEntry CstdlibEntries[] = {
    {"getenv", environment},
    {"setenv", quiet},
    {"exit", exitProgram},
    {"_exit", exitProgram},
    {"_Exit", exitProgram},
    {"quick_exit", exitProgram},
    {"abort", exitProgram},
    {"std::terminate", exitProgram},
    {"atexit", quiet},
    {"system", quiet},
    {"malloc", quiet},
    {"calloc", quiet},
    {"realloc", quiet},
    {"free", ignored},
    {"div", divide},
    {"printf", quiet},
    {"fprintf", quiet},
    {"vprintf", quiet},
    {"vfprintf", quiet},
    {"puts", quiet},
    {"fputs", quiet},
    {"putchar", quiet},
    {"putc", quiet},
    {"fputc", quiet},
    {"perror", ignored},
    {"fflush", quiet},
    {"sprintf", print<false>},
    {"snprintf", print<true>},
    {"vsnprintf", fillBuffer},
    {"scanf", scan<1>},
    {"fscanf", scan<2>},
    {"sscanf", scan<2>},
    {"getchar", quiet},
    {"getc", quiet},
    {"fgetc", quiet},
    {"fgets", fillBuffer},
    {"fread", fillBuffer},
    {"fwrite", quiet},
    {"fopen", quiet},
    {"freopen", quiet},
    {"fclose", quiet},
    {"fseek", quiet},
    {"ftell", quiet},
    {"feof", quiet},
    {"ferror", quiet},
    {"rewind", ignored},
    {"remove", quiet},
    {"rename", quiet},
    {"setlocale", quiet},
    {"setvbuf", quiet},
    {"setbuf", ignored},
    {"time", quiet},
    {"clock", quiet},
    {"difftime", quiet},
    {"mktime", quiet},
    {"localtime", quiet},
    {"gmtime", quiet},
    {"localtime_r", quiet},
    {"ctime", quiet},
    {"asctime", quiet},
    {"strftime", fillBuffer},
    {"gettimeofday", quiet},
    {"clock_gettime", quiet},
    {"sleep", quiet},
    {"usleep", quiet},
    {"nanosleep", quiet},
    {"signal", quiet},
    {"getpid", quiet},
    {"getcwd", currentFolder},
    {"get_current_dir_name", currentFolder},
    {"access", quiet},
    {"stat", quiet},
    {"mkdir", quiet},
    {"opendir", quiet},
    {"readdir", quiet},
    {"closedir", quiet},
    {"tolower", character<tolower>},
    {"toupper", character<toupper>},
    {"isdigit", character<isdigit>},
    {"isspace", character<isspace>},
    {"isalpha", character<isalpha>},
    {"isalnum", character<isalnum>},
    {"isupper", character<isupper>},
    {"islower", character<islower>},
    {"ispunct", character<ispunct>},
    {"isxdigit", character<isxdigit>},
    {"isprint", character<isprint>},
};
const Table CstdlibTable = CstdlibEntries;

static constexpr NativeEntry CstringEntries[] = {
    {"strlen", length},
    {"strcmp", compare<false, false>},
    {"strncmp", compare<true, false>},
    {"strcasecmp", compare<false, true>},
    {"strncasecmp", compare<true, true>},
    {"memcmp", compare<true, false>},
    {"strstr", search<false, false>},
    {"std::strstr", search<false, false>},
    {"strchr", search<true, false>},
    {"std::strchr", search<true, false>},
    {"strrchr", search<true, true>},
    {"std::strrchr", search<true, true>},
    {"memcpy", copyBytes},
    {"memmove", copyBytes},
    {"strcpy", copyText<false>},
    {"strncpy", copyBytes},
    {"strcat", copyText<true>},
    {"strncat", copyBytes},
    {"memset", setBytes},
    {"strtok", fillBuffer},
    {"strdup", quiet},
    {"strerror", quiet},
};
const Table CstringTable = CstringEntries;

} // namespace vramlint::stdlib
