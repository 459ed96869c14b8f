//===- lib/torch/Args.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Look-ups of bound arguments by name, through options structs where needed.

#include "lib/torch/Args.h"

namespace vramlint {

/// Names that LibTorch uses for one thing: at::conv2d's "input" is at::relu's
/// "self", and a method call always binds "self".
static llvm::StringRef otherName(llvm::StringRef Name) {
  if (Name == "self")
    return "input";
  if (Name == "input")
    return "self";
  if (Name == "size")
    return "sizes";
  if (Name == "other")
    return "tensor2";
  if (Name == "dim") // torch::linalg and torch::special
    return "opt_dim";
  if (Name == "ord")
    return "opt_ord";
  return "";
}

static const Arg *findIn(const OptionMap &Options, llvm::StringRef Name) {
  auto It = Options.find(Name.str());
  return It == Options.end() ? nullptr : &It->second;
}

const Arg *Args::find(llvm::StringRef Name) const {
  for (const auto &[N, A] : List)
    if (N == Name)
      return &A;
  for (const auto &[N, A] : List)
    if (auto *Options = std::get_if<std::shared_ptr<OptionMap>>(&A.V))
      if (*Options)
        if (const Arg *Found = findIn(**Options, Name))
          return Found;
  llvm::StringRef Other = otherName(Name);
  for (const auto &[N, A] : List)
    if (!Other.empty() && (N == Other || (Name == "dim" && N == "dims")))
      return &A;
  return nullptr;
}

bool Args::has(llvm::StringRef Name) const {
  const Arg *A = find(Name);
  return A && !std::holds_alternative<Arg::Absent>(A->V);
}

TensorRef Args::tensor(llvm::StringRef Name) const {
  const Arg *A = find(Name);
  const auto *T = A ? std::get_if<TensorRef>(&A->V) : nullptr;
  return T ? *T : nullptr;
}

std::vector<TensorRef> Args::tensors(llvm::StringRef Name) const {
  const Arg *A = find(Name);
  if (!A)
    return {};
  if (const auto *L = std::get_if<std::vector<TensorRef>>(&A->V))
    return *L;
  if (const auto *T = std::get_if<TensorRef>(&A->V))
    return {*T};
  std::vector<TensorRef> Out;
  if (const auto *L = std::get_if<std::vector<Arg>>(&A->V))
    for (const Arg &E : *L)
      if (const auto *T = std::get_if<TensorRef>(&E.V))
        Out.push_back(*T);
  return Out;
}

bool Args::boolean(llvm::StringRef Name, bool Default) const {
  const Arg *A = find(Name);
  if (!A)
    return Default;
  if (const bool *B = std::get_if<bool>(&A->V))
    return *B;
  if (const int64_t *N = std::get_if<int64_t>(&A->V))
    return *N != 0;
  return Default;
}

std::optional<int64_t> Args::integer(llvm::StringRef Name) const {
  const Arg *A = find(Name);
  if (!A)
    return std::nullopt;
  if (const int64_t *N = std::get_if<int64_t>(&A->V))
    return *N;
  if (const bool *B = std::get_if<bool>(&A->V))
    return *B;
  if (const double *F = std::get_if<double>(&A->V))
    return int64_t(*F);
  if (const auto *L = std::get_if<Arg::Ints>(&A->V))
    if (L->size() == 1)
      return (*L)[0];
  return std::nullopt;
}

int64_t Args::integer(llvm::StringRef Name, int64_t Default) const {
  return integer(Name).value_or(Default);
}

double Args::number(llvm::StringRef Name, double Default) const {
  const Arg *A = find(Name);
  if (!A)
    return Default;
  if (const double *F = std::get_if<double>(&A->V))
    return *F;
  if (const int64_t *N = std::get_if<int64_t>(&A->V))
    return double(*N);
  if (const bool *B = std::get_if<bool>(&A->V))
    return *B;
  return Default;
}

Arg::Ints Args::ints(llvm::StringRef Name) const {
  const Arg *A = find(Name);
  if (!A)
    return {};
  if (const auto *L = std::get_if<Arg::Ints>(&A->V))
    return *L;
  if (const int64_t *N = std::get_if<int64_t>(&A->V))
    return {*N};
  if (const bool *B = std::get_if<bool>(&A->V))
    return {int64_t(*B)};
  if (std::holds_alternative<Arg::UnknownArg>(A->V))
    return {std::nullopt};
  Arg::Ints Out;
  if (const auto *L = std::get_if<std::vector<double>>(&A->V))
    for (double F : *L)
      Out.push_back(int64_t(F));
  if (const auto *L = std::get_if<std::vector<Arg>>(&A->V))
    for (const Arg &E : *L) {
      const int64_t *N = std::get_if<int64_t>(&E.V);
      Out.push_back(N ? Arg::Int(*N) : std::nullopt);
    }
  return Out;
}

Arg::Ints Args::ints(llvm::StringRef Name, unsigned N, int64_t Default) const {
  Arg::Ints L = ints(Name);
  if (L.empty())
    return Arg::Ints(N, Default);
  if (L.size() == 1)
    return Arg::Ints(N, L[0]);
  return L;
}

std::string Args::text(llvm::StringRef Name, llvm::StringRef Default) const {
  const Arg *A = find(Name);
  const auto *S = A ? std::get_if<std::string>(&A->V) : nullptr;
  return S ? *S : Default.str();
}

std::optional<DType> Args::dtype(llvm::StringRef Name) const {
  const Arg *A = find(Name);
  if (!A)
    return std::nullopt;
  if (const auto *T = std::get_if<DType>(&A->V))
    return *T;
  if (const auto *S = std::get_if<std::string>(&A->V))
    return parseDType(*S);
  return std::nullopt;
}

std::optional<Device> Args::device(llvm::StringRef Name) const {
  const Arg *A = find(Name);
  if (!A)
    return std::nullopt;
  if (const auto *D = std::get_if<Device>(&A->V))
    return *D;
  if (const auto *S = std::get_if<std::string>(&A->V)) {
    Device D;
    llvm::StringRef Text = *S;
    D.Kind = Text.starts_with("cuda") ? DeviceKind::CUDA : DeviceKind::CPU;
    if (auto Colon = Text.find(':'); Colon != llvm::StringRef::npos)
      Text.substr(Colon + 1).getAsInteger(10, D.Index);
    return D;
  }
  return std::nullopt;
}

std::optional<std::string> Args::firstUnknown() const {
  for (const auto &[N, A] : List)
    if (const auto *U = std::get_if<Arg::UnknownArg>(&A.V))
      return U->Why;
  return std::nullopt;
}

Arg mapTensors(const Arg &A, llvm::function_ref<TensorRef(const TensorRef &)> F) {
  Arg Result = A;
  if (auto *T = std::get_if<TensorRef>(&Result.V)) {
    if (*T)
      *T = F(*T);
  } else if (auto *Ts = std::get_if<std::vector<TensorRef>>(&Result.V)) {
    for (TensorRef &T : *Ts)
      if (T)
        T = F(T);
  } else if (auto *List = std::get_if<std::vector<Arg>>(&Result.V)) {
    for (Arg &E : *List)
      E = mapTensors(E, F);
  }
  return Result;
}

} // namespace vramlint
