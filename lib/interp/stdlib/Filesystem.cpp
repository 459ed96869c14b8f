//===- lib/interp/stdlib/Filesystem.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// <filesystem> and the exception classes. A path is its text; what is on the disk
// is unknown. An exception is its message.

#include "lib/interp/stdlib/Native.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace vramlint::stdlib {

//===-- path --------------------------------------------------------------===//

static Operand construct(Machine &M, CallSite &S) {
  if (S.Args.empty())
    return text("");
  if (std::optional<std::string> T = textArg(S, 0))
    return text(std::move(*T));
  return M.unknownFrom(S, "path that is not known");
}

static Operand assign(Machine &M, CallSite &S) {
  Operand New = construct(M, S);
  if (S.Object)
    S.Object->set(std::move(New.V));
  return self(S);
}

static std::string joined(const std::string &A, const std::string &B) {
  if (B.starts_with("/") || A.empty())
    return B;
  return A.ends_with("/") ? A + B : A + "/" + B;
}

static Operand join(Machine &M, CallSite &S) {
  auto A = textArg(S, 0), B = textArg(S, 1);
  if (!A || !B)
    return M.unknownFrom(S, "path that is not known");
  return text(joined(*A, *B));
}

template <bool AsPath> static Operand append(Machine &M, CallSite &S) {
  std::optional<std::string> B = textArg(S, 0);
  if (!S.Object || !S.Object->V.isString() || !B) {
    loseSelf(M, S, "path that is not known");
    return self(S);
  }
  std::string &A = S.Object->V.string();
  A = AsPath ? joined(A, *B) : A + *B;
  return self(S);
}

using Part = StringRef (*)(StringRef, llvm::sys::path::Style);

template <Part Fn> static Operand part(Machine &M, CallSite &S) {
  if (!S.Object || !S.Object->V.isString())
    return M.unknownFrom(S, "path that is not known");
  return text(
      Fn(S.Object->V.string(), llvm::sys::path::Style::posix).str());
}
template <Part Fn> static Operand hasPart(Machine &M, CallSite &S) {
  if (!S.Object || !S.Object->V.isString())
    return M.unknownFrom(S, "path that is not known");
  return integer(
      !Fn(S.Object->V.string(), llvm::sys::path::Style::posix).empty());
}
static Operand whole(Machine &M, CallSite &S) {
  if (!S.Object || !S.Object->V.isString())
    return M.unknownFrom(S, "path that is not known");
  return text(S.Object->V.string());
}
static Operand isEmpty(Machine &M, CallSite &S) {
  if (!S.Object || !S.Object->V.isString())
    return M.unknownFrom(S, "path that is not known");
  return integer(S.Object->V.string().empty());
}
static Operand isAbsolute(Machine &M, CallSite &S) {
  if (!S.Object || !S.Object->V.isString())
    return M.unknownFrom(S, "path that is not known");
  return integer(S.Object->V.string().starts_with("/"));
}
static Operand replaceExtension(Machine &M, CallSite &S) {
  std::optional<std::string> E =
      hasArg(S, 0) ? textArg(S, 0) : std::optional<std::string>("");
  if (!S.Object || !S.Object->V.isString() || !E) {
    loseSelf(M, S, "path that is not known");
    return self(S);
  }
  llvm::SmallString<64> P(S.Object->V.string());
  llvm::sys::path::replace_extension(P, *E, llvm::sys::path::Style::posix);
  S.Object->set(Value(P.str().str()));
  return self(S);
}

/// A path from another one and the disk: the path itself stands for it.
static Operand samePath(Machine &M, CallSite &S) {
  return M.copy(argValue(S, 0));
}

/// What the disk says of a path.
static Operand onDisk(Machine &M, CallSite &S) {
  std::string Name = S.Callee ? S.Callee->getNameAsString() : "file system";
  std::string Path = hasArg(S, 0) ? textArg(S, 0).value_or("…") : "";
  return M.unknown(Name + "(\"" + Path + "\")");
}
/// A file that is here exists; another may, where the program runs.
static Operand exists(Machine &M, CallSite &S) {
  std::optional<std::string> Path =
      hasArg(S, 0) ? textArg(S, 0) : std::nullopt;
  if (Path && M.domain().hasFile(*Path))
    return integer(1);
  return onDisk(M, S);
}

static Operand quiet(Machine &M, CallSite &S) {
  return quietUnknown(M, "something of the file system");
}

/// A path that stands for the folder the program runs in.
static Operand currentPath(Machine &M, CallSite &S) {
  return S.Args.empty() || !argValue(S, 0).isString() ? text(".") : nothing();
}

//===-- Exceptions --------------------------------------------------------===//

static Operand message(Machine &M, CallSite &S) {
  for (unsigned I = S.Args.size(); I-- > 0;)
    if (std::optional<std::string> T = textArg(S, I))
      return text(std::move(*T));
  if (!S.Args.empty() && argValue(S, 0).isUnknown())
    return Value(argValue(S, 0).unknown());
  // The class's name, as libstdc++'s own what() says.
  auto *Method = dyn_cast_or_null<CXXMethodDecl>(S.Callee);
  return text(Method ? M.nameOf(*Method->getParent()).str() : "exception");
}
static Operand what(Machine &M, CallSite &S) {
  if (S.Object && S.Object->V.isString())
    return text(S.Object->V.string());
  if (S.Object && S.Object->V.isUnknown())
    return Value(S.Object->V.unknown());
  return quietUnknown(M, "message of an exception");
}
static Operand rethrow(Machine &M, CallSite &S) {
  M.throwException("rethrown exception");
  return nothing();
}
static Operand noException(Machine &M, CallSite &S) {
  return Value(PointerValue{nullptr, nullptr, 0});
}

//===-- Tables ------------------------------------------------------------===//

#define FS(Name, ...) {"std::filesystem::" Name, __VA_ARGS__}
#define PATH(Name, ...) FS("path::" Name, __VA_ARGS__)

namespace path = llvm::sys::path;

static constexpr NativeEntry FilesystemEntries[] = {
    PATH("path", construct),
    PATH("operator=", assign),
    PATH("assign", assign),
    PATH("operator/=", append<true>),
    PATH("append", append<true>),
    PATH("operator+=", append<false>),
    PATH("concat", append<false>),
    PATH("string", whole),
    PATH("c_str", whole),
    PATH("native", whole),
    PATH("generic_string", whole),
    PATH("u8string", whole),
    PATH("operator T", whole),
    PATH("lexically_normal", whole),
    PATH("filename", part<path::filename>),
    PATH("stem", part<path::stem>),
    PATH("extension", part<path::extension>),
    PATH("parent_path", part<path::parent_path>),
    PATH("root_path", part<path::root_path>),
    PATH("has_filename", hasPart<path::filename>),
    PATH("has_stem", hasPart<path::stem>),
    PATH("has_extension", hasPart<path::extension>),
    PATH("has_parent_path", hasPart<path::parent_path>),
    PATH("replace_extension", replaceExtension),
    PATH("empty", isEmpty),
    PATH("is_absolute", isAbsolute),
    FS("operator/", join),
    FS("absolute", samePath),
    FS("canonical", samePath),
    FS("weakly_canonical", samePath),
    FS("relative", samePath),
    FS("exists", exists),
    FS("is_directory", onDisk),
    FS("is_regular_file", exists),
    FS("is_empty", onDisk),
    FS("file_size", onDisk),
    FS("directory_entry::path", quiet),
    FS("directory_entry::is_directory", quiet),
    FS("directory_entry::is_regular_file", quiet),
    FS("last_write_time", quiet),
    FS("current_path", currentPath),
    FS("temp_directory_path", quiet),
    FS("create_directory", quiet),
    FS("create_directories", quiet),
    FS("remove", quiet),
    FS("remove_all", quiet),
    FS("copy", quiet),
    FS("copy_file", quiet),
    FS("rename", quiet),
    FS("directory_iterator::directory_iterator", onDisk),
    FS("recursive_directory_iterator::recursive_directory_iterator", onDisk),
};
const Table FilesystemTable = FilesystemEntries;

#define EXCEPTION(C)                                                           \
  {"std::" C "::" C, message}, {"std::" C "::what", what}

static constexpr NativeEntry ExceptionEntries[] = {
    EXCEPTION("exception"),
    EXCEPTION("runtime_error"),
    EXCEPTION("logic_error"),
    EXCEPTION("invalid_argument"),
    EXCEPTION("out_of_range"),
    EXCEPTION("domain_error"),
    EXCEPTION("length_error"),
    EXCEPTION("range_error"),
    EXCEPTION("overflow_error"),
    EXCEPTION("underflow_error"),
    EXCEPTION("bad_alloc"),
    EXCEPTION("bad_cast"),
    EXCEPTION("bad_function_call"),
    EXCEPTION("bad_optional_access"),
    EXCEPTION("bad_variant_access"),
    EXCEPTION("bad_any_cast"),
    EXCEPTION("system_error"),
    {"std::error_code::error_code", quiet},
    {"std::error_code::message", quiet},
    {"std::error_code::operator bool", quiet},
    {"std::current_exception", noException},
    {"std::make_exception_ptr", noException},
    {"std::rethrow_exception", rethrow},
    {"std::rethrow_if_nested", noException},
    {"std::throw_with_nested", rethrow},
    {"std::uncaught_exceptions", quiet},
    {"std::set_terminate", noException},
    {"std::type_info::name", quiet},
    {"std::type_info::hash_code", quiet},
};
const Table ExceptionTable = ExceptionEntries;

} // namespace vramlint::stdlib
