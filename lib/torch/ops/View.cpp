//===- lib/torch/ops/View.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows of views, joins, splits, copies and indexing.

#include "lib/torch/Tail.h"

namespace vramlint {

namespace {

using T = TensorRef;

/// view(dtype): the same bytes; the last dimension grows or shrinks with the type.
OpResult viewType(Runtime &R, const T &X, DType Type) {
  int64_t Old = itemSize(X->Type), New = itemSize(Type);
  if (!Old || !New || (Old != New && (X->rank() == 0 || !X->isContiguous())))
    return OpResult::notModelled("view of such a layout with a dtype");
  Shape S = X->Sizes;
  llvm::SmallVector<int64_t, 4> Strides = Old == New ? X->Strides : decltype(X->Strides)();
  if (Old != New) {
    Dim &Last = S.Dims.back();
    if (Last.known() && (Last.Length * Old) % New != 0) {
      R.fail("view: a last dimension of " + std::to_string(Last.Length) + " elements is no whole number of " + dtypeName(Type).str());
      return one(nullptr);
    }
    Last = Last * Dim(Old) / Dim(New);
  }
  BelowAutograd Guard(R);
  T V = aten::rawView(R, X, S, Strides);
  V->Type = Type;
  return one(V);
}

OpResult viewRow(Runtime &R, const Args &A, bool Reshape) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("view of an undefined tensor", FailureKind::Other);
  if (auto Type = A.dtype("dtype"))
    return viewType(R, X, *Type);
  Arg::Ints Sizes = A.ints(A.has("size") ? "size" : "shape");
  auto S = aten::inferShape(R, X, Sizes);
  if (!S)
    return one(nullptr);
  return one(Reshape ? aten::reshape(R, X, *S) : aten::view(R, X, *S));
}

OpResult flattenRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("flatten of an undefined tensor", FailureKind::Other);
  auto Start = wrapDim(R, A.integer("start_dim", 0), X->rank());
  auto End = wrapDim(R, A.integer("end_dim", -1), X->rank());
  if (!Start || !End)
    return one(nullptr);
  if (*Start > *End)
    return OpResult::failed("flatten: start_dim comes after end_dim");
  if (*Start == *End && X->rank())
    return one(X);
  Shape S;
  S.Why = X->Sizes.Why;
  Dim Joined(1);
  for (unsigned I = 0; I < X->rank(); ++I) {
    if (I >= *Start && I <= *End)
      Joined = Joined * X->size(I);
    else
      S.Dims.push_back(X->size(I));
    if (I == *End)
      S.Dims.push_back(Joined);
  }
  if (X->rank() == 0)
    S.Dims.push_back(Dim(1));
  return one(aten::reshape(R, X, S));
}

OpResult unflattenRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  auto D = X ? wrapDim(R, A.integer("dim", 0), X->rank()) : std::nullopt;
  if (!D)
    return one(nullptr);
  Arg::Ints Sizes = A.ints(A.has("sizes") ? "sizes" : "unflattened_size");
  if (Sizes.empty())
    return OpResult::notModelled("unflatten by names");
  Arg::Ints Full;
  for (unsigned I = 0; I < X->rank(); ++I) {
    if (I == *D)
      Full.insert(Full.end(), Sizes.begin(), Sizes.end());
    else
      Full.push_back(X->size(I).known() ? Arg::Int(X->size(I).Length)
                                        : std::nullopt);
  }
  auto S = aten::inferShape(R, X, Full);
  return one(S ? aten::view(R, X, *S) : nullptr);
}

OpResult expandRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("expand of an undefined tensor", FailureKind::Other);
  Arg::Ints Sizes = A.ints("size");
  Shape To;
  if (Sizes.size() < X->rank()) {
    R.fail("expand: " + X->Sizes.str() + " has more dimensions than asked for");
    return one(nullptr);
  }
  size_t Offset = Sizes.size() - X->rank();
  for (size_t I = 0; I < Sizes.size(); ++I) {
    bool Keep = Sizes[I] && *Sizes[I] == -1 && I >= Offset;
    To.Dims.push_back(Keep ? X->size(I - Offset) : toDim(Sizes[I]));
  }
  return one(aten::expand(R, X, To));
}

OpResult expandAsRow(Runtime &R, const Args &A) {
  T X = A.tensor("self"), Other = A.tensor("other");
  return one(X && Other ? aten::expand(R, X, Other->Sizes) : nullptr);
}

OpResult squeezeRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("squeeze of an undefined tensor", FailureKind::Other);
  if (auto D = A.integer("dim"))
    return one(aten::squeeze(R, X, *D));
  Record Rec(R, "SqueezeBackward0", {X});
  Shape From = X->Sizes, To;
  To.Why = From.Why;
  llvm::SmallVector<int64_t, 4> S, Own = From.known() ? X->strides() : S;
  for (unsigned I = 0; I < X->rank(); ++I) {
    if (!X->size(I).known())
      return one(R.opaque("squeeze", A, From.Why));
    if (X->size(I).Length == 1)
      continue;
    To.Dims.push_back(X->size(I));
    if (!Own.empty())
      S.push_back(Own[I]);
  }
  return one(Rec.result(aten::rawView(R, X, To, S),
                        [From](Runtime &R, Node &, Grads &G) {
                          T Out = G[0];
                          for (unsigned I = 0; I < From.Dims.size(); ++I)
                            if (From.Dims[I].Length == 1)
                              Out = aten::unsqueeze(R, Out, I);
                          return Grads{Out};
                        }));
}

OpResult repeatRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  Arg::Ints Times = A.ints("repeats");
  if (!X || Times.size() < X->rank()) {
    R.fail("repeat: fewer numbers than dimensions");
    return one(nullptr);
  }
  Record Rec(R, "RepeatBackward0", {X});
  Shape From = X->Sizes, S;
  S.Why = From.Why;
  size_t Offset = Times.size() - X->rank();
  llvm::SmallVector<Dim, 4> Factors;
  for (size_t I = 0; I < Times.size(); ++I) {
    Dim L = I < Offset ? Dim(1) : X->size(I - Offset);
    Factors.push_back(toDim(Times[I]));
    S.Dims.push_back(L * Factors.back());
  }
  return one(Rec.result(
      R.make(S, X->Type, X->Dev), [From, Factors](Runtime &R, Node &, Grads &G) {
        // repeat_backward: new dimensions are summed, then each other is split.
        unsigned Extra = Factors.size() - From.Dims.size();
        Shape Split;
        llvm::SmallVector<int64_t, 4> Over;
        T Whole = G[0];
        for (unsigned I = 0; I < Extra; ++I)
          Whole = aten::sum(R, Whole, {0}, false);
        for (unsigned I = Extra; I < Factors.size(); ++I) {
          if (Factors[I] != Dim(1)) {
            Over.push_back(Split.Dims.size());
            Split.Dims.push_back(Factors[I]);
          }
          Split.Dims.push_back(From.Dims[I - Extra]);
        }
        T Parts = aten::reshape(R, Whole, Split);
        return Grads{Over.empty() ? Parts : aten::sum(R, Parts, Over, false)};
      }));
}

/// \p X along \p D from S.Start to S.Stop.
T sliceAt(Runtime &R, const T &X, unsigned D, const Arg::Slice &S) {
  Dim L = X->size(D);
  auto Known = [](const Arg::Bound &B) { return !B.Given || B.At; };
  int64_t Step = S.Step.At.value_or(1);
  // A crop at an unknown place: taken to lie inside, or it would not be one.
  if (S.Span && *S.Span >= 0 && Step == 1 && Known(S.Step) && L.known())
    return aten::slice(R, X, D, Dim(), Dim(std::min(*S.Span, L.Length)), 1);
  if (!L.known() || !Known(S.Start) || !Known(S.Stop) || !Known(S.Step))
    return aten::slice(R, X, D, Dim(), Dim(), Step);
  auto Clip = [&](int64_t V) {
    V = V < 0 ? V + L.Length : V;
    return std::clamp<int64_t>(V, 0, L.Length);
  };
  int64_t From = Clip(S.Start.At.value_or(0));
  int64_t To = Clip(S.Stop.At.value_or(L.Length));
  int64_t N = Step > 0 && To > From ? (To - From + Step - 1) / Step : 0;
  return aten::slice(R, X, D, Dim(From), Dim(N), Step);
}

OpResult sliceRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  auto D = X ? wrapDim(R, A.integer("dim", 0), X->rank()) : std::nullopt;
  if (!D || X->rank() == 0)
    return one(nullptr);
  auto Bound = [&](llvm::StringRef Name) {
    return Arg::Bound{A.has(Name), A.integer(Name)};
  };
  Arg::Slice S{Bound("start"), Bound("end"), Bound("step")};
  const Arg *Start = A.find("start"), *End = A.find("end");
  auto *From = Start ? std::get_if<Arg::UnknownArg>(&Start->V) : nullptr;
  auto *To = End ? std::get_if<Arg::UnknownArg>(&End->V) : nullptr;
  if (From && To && From->Name && From->Name == To->Name)
    S.Span = To->Addend - From->Addend;
  return one(sliceAt(R, X, *D, S));
}

/// Parts of \p X along \p D, as views that one node makes together.
OpResult splitInto(Runtime &R, const T &X, unsigned D,
                   llvm::ArrayRef<Dim> Lengths, llvm::StringRef NodeName) {
  Record Rec(R, NodeName, {X});
  std::vector<T> Parts;
  llvm::SmallVector<int64_t, 4> S;
  if (X->Sizes.known())
    S = X->strides();
  std::vector<Shape> Shapes;
  Rec.backward([Shapes, D, Type = X->Type, Dev = X->Dev](Runtime &R, Node &N,
                                                         Grads &G) {
    std::vector<T> All;
    for (unsigned I = 0; I < N.Outputs.size(); ++I)
      All.push_back(I < G.size() && G[I]
                        ? G[I]
                        : aten::zeros(R, N.Outputs[I].Sizes, Type, Dev));
    return Grads{aten::cat(R, All, D)};
  });
  for (Dim L : Lengths) {
    Shape To = X->Sizes;
    To.Dims[D] = L;
    Parts.push_back(Rec.output(aten::rawView(R, X, To, S)));
  }
  return list(std::move(Parts));
}

OpResult splitRow(Runtime &R, const Args &A, llvm::StringRef Name) {
  T X = A.tensor("self");
  auto D = X ? wrapDim(R, A.integer("dim", 0), X->rank()) : std::nullopt;
  if (!D || X->rank() == 0)
    return OpResult::failed("split of a tensor without dimensions");
  Dim L = X->size(*D);
  llvm::SmallVector<Dim, 4> Lengths;
  Arg::Ints Sizes = A.ints(A.has("split_sizes") ? "split_sizes" : "split_size");
  if (Name == "split_with_sizes" || Sizes.size() > 1) {
    Dim Total(0);
    for (const Arg::Int &I : Sizes) {
      Lengths.push_back(toDim(I));
      Total = Total + Lengths.back();
    }
    if (Total.known() && L.known() && Total != L) {
      R.fail("split_with_sizes: expected sizes that sum to " +
             std::to_string(L.Length) + ", got " + std::to_string(Total.Length));
      return one(nullptr);
    }
    return splitInto(R, X, *D, Lengths, "SplitWithSizesBackward0");
  }
  bool Chunk = Name == "chunk";
  auto N = Chunk ? A.integer("chunks") : A.integer("split_size");
  const int64_t PartsMax = 1 << 16;
  if (!N || *N <= 0 || !L.known())
    return OpResult::notModelled("split into an unknown number of parts");
  int64_t Each = Chunk ? (L.Length + *N - 1) / *N : *N;
  Each = std::max<int64_t>(Each, 1);
  for (int64_t At = 0; At < L.Length || Lengths.empty(); At += Each) {
    Lengths.push_back(Dim(std::min(Each, L.Length - At)));
    if (int64_t(Lengths.size()) > PartsMax)
      return OpResult::notModelled("split into too many parts");
  }
  return splitInto(R, X, *D, Lengths, "SplitBackward0");
}

OpResult unbindRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  auto D = X ? wrapDim(R, A.integer("dim", 0), X->rank()) : std::nullopt;
  const int64_t PartsMax = 1 << 16;
  if (!D || X->rank() == 0 || !X->size(*D).known() ||
      X->size(*D).Length > PartsMax)
    return OpResult::notModelled("unbind of an unknown length");
  Record Rec(R, "UnbindBackward0", {X});
  Rec.backward([From = X->Sizes, Type = X->Type,
                Dev = X->Dev](Runtime &R, Node &N, Grads &G) {
    std::vector<T> All;
    G.resize(N.Outputs.size());
    for (T &Part : G)
      All.push_back(Part ? Part : aten::zeros(R, Shape(), Type, Dev));
    return Grads{aten::zeros(R, From, Type, Dev)};
  });
  Shape To = X->Sizes;
  llvm::SmallVector<int64_t, 4> S;
  if (To.known()) {
    S = X->strides();
    S.erase(S.begin() + *D);
  }
  To.Dims.erase(To.Dims.begin() + *D);
  std::vector<T> Parts;
  for (int64_t I = 0; I < X->size(*D).Length; ++I)
    Parts.push_back(Rec.output(aten::rawView(R, X, To, S)));
  return list(std::move(Parts));
}

OpResult stackRow(Runtime &R, const Args &A) {
  std::vector<T> Ts = A.tensors("tensors");
  if (Ts.empty() || !Ts[0])
    return OpResult::failed("stack expects a non-empty list of tensors");
  auto D = wrapDim(R, A.integer("dim", 0), Ts[0]->rank() + 1);
  if (!D)
    return one(nullptr);
  for (const T &X : Ts)
    if (!X || !(X->Sizes == Ts[0]->Sizes) ) {
      if (X && (!X->Sizes.known() || !Ts[0]->Sizes.known()))
        continue;
      R.fail("stack expects tensors of one size: " + Ts[0]->Sizes.str() +
             " and " + (X ? X->Sizes.str() : "undefined"));
      return one(nullptr);
    }
  Record Rec(R, "StackBackward0", Ts);
  Shape S = Ts[0]->Sizes;
  Dim Count = R.OpenList ? Dim() : Dim(int64_t(Ts.size()));
  S.Dims.insert(S.Dims.begin() + *D, Count);
  if (R.OpenList)
    S.Why = intern("how many tensors are in a list");
  unsigned Index = *D;
  DType Type = aten::resultType(Ts);
  T Out = R.make(S, Type, Ts[0]->Dev);
  for (const T &X : Ts)
    if (X->Type != Type && !X->onCuda())
      aten::emptyContiguous(R, X); // While it is copied and cast.
  return one(Rec.result(Out, [Index](Runtime &R, Node &N, Grads &G) {
    Grads Out(N.Next.size());
    for (unsigned I = 0; I < Out.size(); ++I)
      if (N.needs(I))
        Out[I] = aten::select(R, G[0], Index);
    return Out;
  }));
}

//===----------------------------------------------------------------------===//
// Indexing by tensors
//===----------------------------------------------------------------------===//

OpResult indexSelectRow(Runtime &R, const Args &A) {
  T X = A.tensor("self"), Index = A.tensor("index");
  auto D = X && Index ? wrapDim(R, A.integer("dim", 0), X->rank()) : std::nullopt;
  if (!D)
    return one(nullptr);
  Record Rec(R, "IndexSelectBackward0", {X});
  Rec.save(Index);
  Shape From = X->Sizes, S = From;
  if (!S.Dims.empty())
    S.Dims[*D] = Dim(Index->elements());
  T Out = R.make(S, X->Type, X->Dev);
  if (!X->onCuda()) {
    T Own = aten::contiguous(R, Index);
    if (*D == 1) // index_select_out_cpu_dim1_
      aten::contiguous(R, X);
  }
  return one(Rec.result(Out, [From](Runtime &R, Node &, Grads &G) {
    return Grads{aten::zeros(R, From, G[0]->Type, G[0]->Dev)};
  }));
}

OpResult gatherRow(Runtime &R, const Args &A) {
  T X = A.tensor("self"), Index = A.tensor("index");
  if (!X || !Index)
    return one(nullptr);
  if (X->rank() != Index->rank() && X->rank() && Index->rank()) {
    R.fail("gather: expected an index of " + std::to_string(X->rank()) +
           " dimensions, got " + Index->Sizes.str());
    return one(nullptr);
  }
  Record Rec(R, "GatherBackward0", {X});
  Rec.save(X).save(Index);
  return one(Rec.result(R.make(Index->Sizes, X->Type, X->Dev),
                        [](Runtime &R, Node &N, Grads &G) {
                          return Grads{aten::emptyLike(R, N.saved(0))};
                        }));
}

/// The indices of an index call as single items.
std::vector<Arg> indexItems(const Arg &Given) {
  std::vector<Arg> Items;
  if (const auto *L = std::get_if<std::vector<Arg>>(&Given.V))
    Items = *L;
  else if (const auto *L = std::get_if<std::vector<TensorRef>>(&Given.V))
    Items.assign(L->begin(), L->end());
  else if (const auto *L = std::get_if<Arg::Ints>(&Given.V))
    for (const Arg::Int &I : *L)
      Items.push_back(I ? Arg(*I) : Arg(Arg::UnknownArg{"index"}));
  else
    Items.push_back(Given);
  return Items;
}

/// The elements of \p Out where \p Mask, from dimension \p At on, is true: as
/// many as the data says.
OpResult maskedAt(Runtime &R, const T &Out, int64_t At, const T &Mask) {
  bool Fits = At + Mask->rank() <= Out->rank();
  for (unsigned I = 0; Fits && I < Mask->rank(); ++I)
    Fits &= Mask->size(I) == Out->size(At + I) || !Mask->size(I).known() || !Out->size(At + I).known();
  if (!Fits) {
    R.fail("index: a mask of " + Mask->Sizes.str() + " does not fit a tensor of " + Out->Sizes.str());
    return one(nullptr);
  }
  Record Rec(R, "IndexBackward0", {Out});
  Rec.save(Mask);
  Shape From = Out->Sizes, S = From;
  S.Dims.erase(S.Dims.begin() + At, S.Dims.begin() + At + Mask->rank());
  S.Dims.insert(S.Dims.begin() + At, Dim());
  S.Why = "a mask selects an unknown number of elements";
  return one(Rec.result(R.make(S, Out->Type, Out->Dev), [From](Runtime &R, Node &, Grads &G) {
    return Grads{aten::zeros(R, From, G[0]->Type, G[0]->Dev)};
  }));
}

/// The elements of \p Out at tensors of indices, each at its dimension.
OpResult gatherAt(Runtime &R, const Args &A, const T &X, const T &Out,
                  llvm::ArrayRef<std::pair<int64_t, T>> Gathered) {
  for (auto &[D, Index] : Gathered)
    if (Index->Type == DType::Bool || Index->Type == DType::UInt8)
      return Gathered.size() == 1
                 ? maskedAt(R, Out, D, Index)
                 : one(R.opaque("index", A, "a mask selects an unknown number of elements"));
  Shape S = Out->Sizes, IndexShape = Gathered[0].second->Sizes;
  for (auto &[D, Index] : Gathered)
    IndexShape = aten::broadcast(R, IndexShape, Index->Sizes);
  if (R.failed() || Gathered.back().first >= int64_t(S.Dims.size()))
    return OpResult::failed("too many indices for a tensor of shape " +
                            X->Sizes.str());
  bool Adjacent = Gathered.back().first - Gathered[0].first + 1 ==
                  int64_t(Gathered.size());
  for (size_t I = Gathered.size(); I-- > 0;)
    S.Dims.erase(S.Dims.begin() + Gathered[I].first);
  S.Dims.insert(S.Dims.begin() + (Adjacent ? Gathered[0].first : 0),
                IndexShape.Dims.begin(), IndexShape.Dims.end());
  Record Rec(R, "IndexBackward0", {Out});
  for (auto &[D, Index] : Gathered)
    Rec.save(Index);
  Shape From = Out->Sizes;
  return one(Rec.result(R.make(S, Out->Type, Out->Dev),
                        [From](Runtime &R, Node &, Grads &G) {
                          return Grads{
                              aten::zeros(R, From, G[0]->Type, G[0]->Dev)};
                        }));
}

using ByTensor = std::vector<std::pair<int64_t, T>>;

/// A scalar of integers among the indices is taken as the number in it.
bool isNumber(const T &Index) {
  return Index && Index->Sizes.RankKnown && Index->rank() == 0 &&
         (Index->Type == DType::Int8 || Index->Type == DType::Int16 ||
          Index->Type == DType::Int32 || Index->Type == DType::Int64);
}

/// applySlicing: slices, numbers and None of an index are views; its tensors are
/// listed in \p Gathered. Null after a failure.
T applySlicing(Runtime &R, const T &X, const Arg &Given, ByTensor &Gathered) {
  std::vector<Arg> Items = indexItems(Given);
  unsigned Consumed = 0;
  for (const Arg &I : Items)
    Consumed += !std::holds_alternative<Arg::Ellipsis>(I.V) &&
                !std::holds_alternative<Arg::NoneIndex>(I.V);
  int64_t At = 0;
  T Out = X;
  for (const Arg &I : Items) {
    if (!Out || R.failed())
      return nullptr;
    if (std::holds_alternative<Arg::Ellipsis>(I.V)) {
      At += int64_t(X->rank()) - Consumed;
    } else if (std::holds_alternative<Arg::NoneIndex>(I.V)) {
      Out = aten::unsqueeze(R, Out, At++);
    } else if (const auto *S = std::get_if<Arg::Slice>(&I.V)) {
      if (At >= int64_t(Out->rank())) {
        R.fail("too many indices for a tensor of shape " + X->Sizes.str());
        return nullptr;
      }
      Out = sliceAt(R, Out, At++, *S);
    } else if (const auto *Index = std::get_if<TensorRef>(&I.V)) {
      if (isNumber(*Index)) {
        Out = aten::select(R, Out, At, std::nullopt);
        continue;
      }
      if (*Index)
        Gathered.push_back({At, *Index});
      ++At;
    } else if (std::holds_alternative<Arg::Absent>(I.V)) {
      ++At;
    } else {
      const auto *N = std::get_if<int64_t>(&I.V); // Else a number that is not known.
      Out = aten::select(R, Out, At, N ? std::optional(*N) : std::nullopt);
    }
  }
  return Out;
}

/// x.index({…}), x[…]: slices and selects are views, then tensors gather.
OpResult indexRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  const Arg *Given = A.find("indices");
  if (!X || !Given)
    return OpResult::notModelled("index without indices");
  ByTensor Gathered;
  T Out = applySlicing(R, X, *Given, Gathered);
  if (Gathered.empty() || !Out)
    return one(Out == X && Out ? R.view(X, X->Sizes) : Out);
  return gatherAt(R, A, X, Out, Gathered);
}

/// copy_to of ATen/TensorIndexing.h.
void copyTo(Runtime &R, const T &To, const T &From) {
  if (!To || !From || R.failed())
    return;
  if (From->rank() == 0 && To->rank() != 0) {
    Args A;
    A.add("self", To);
    A.add("value", From);
    R.call("fill_", A);
    return;
  }
  if (To->Sizes == From->Sizes || !From->Sizes.known()) {
    aten::copyInPlace(R, To, From);
    return;
  }
  Shape Short = From->Sizes; // Without the ones it begins with.
  while (!Short.Dims.empty() && Short.Dims.front() == Dim(1))
    Short.Dims.erase(Short.Dims.begin());
  aten::copyInPlace(R, To, aten::expand(R, aten::view(R, From, Short), To->Sizes));
}

/// x.index_put_({…}, value): what slices and numbers choose is written through its
/// view; where tensors choose, the op of that name scatters.
OpResult indexPutRow(Runtime &R, const Args &A, bool InPlace) {
  T X = A.tensor("self");
  T Values = A.tensor(A.has("rhs") ? "rhs" : "values"); // Of a list of TensorIndex.
  const Arg *Given = A.find("indices");
  if (!X || !Given)
    return OpResult::failed("index_put_ of an undefined tensor", FailureKind::Other);
  T Number; // set_item makes a tensor of a number.
  if (!Values)
    Values = Number = R.make(Shape(), X->Type, X->onCuda() ? Device{} : X->Dev);
  ByTensor Gathered;
  T Out = InPlace ? applySlicing(R, X, *Given, Gathered) : X;
  if (!Out)
    return one(nullptr);
  if (InPlace && Gathered.empty()) {
    copyTo(R, Out, Values);
    return one(X);
  }
  llvm::SmallVector<T, 4> In = {Out, Values};
  std::string Saves;
  eachTensor(*Given, [&](const T &I) {
    const unsigned IndicesMax = 8;
    if (In.size() < IndicesMax) {
      Saves += char('0' + In.size());
      In.push_back(I);
    }
  });
  TailRule How{"IndexPutBackward0", Saves, A.boolean("accumulate", false) ? "gn" : "n"};
  auto Bound = [&] { R.scratch(In); };
  if (InPlace)
    return one(tailInPlace(R, How, In, Bound) ? X : T());
  return one(tailOne(R, How, In, [&] {
    Bound();
    return aten::emptyLike(R, Out);
  }));
}

OpResult embeddingRow(Runtime &R, const Args &A) {
  T W = A.tensor("weight");
  T Indices = A.tensor(A.has("indices") ? "indices" : "input");
  if (!W || !Indices || W->rank() != 2)
    return OpResult::failed("embedding expects a matrix of weights");
  Record Rec(R, "EmbeddingBackward0", {W});
  Rec.save(Indices);
  Rec.saveIf(!R.Config.atLeast(2, 0), W); // For its number of rows.
  Shape S = Indices->Sizes, From = W->Sizes;
  S.Dims.push_back(W->size(1));
  T Flat = Indices; // weight.index_select(0, indices.reshape(-1))
  if (Flat->rank() != 1 && Flat->Sizes.known()) {
    Shape List = Flat->Sizes;
    List.Dims = {Dim(Flat->elements())};
    Flat = aten::reshape(R, Flat, List);
  }
  T Out = R.make(S, W->Type, W->Dev);
  T InOrder = W->onCuda() ? T() : aten::contiguous(R, Flat);
  return one(Rec.result(Out, [From](Runtime &R, Node &, Grads &G) {
    T Own = aten::contiguous(R, G[0]);
    return Grads{aten::zeros(R, From, G[0]->Type, G[0]->Dev)};
  }));
}

OpResult narrowRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  auto Start = A.integer("start"), Length = A.integer("length");
  auto D = X ? wrapDim(R, A.integer("dim", 0), X->rank()) : std::nullopt;
  if (D && X->rank() && X->size(*D).known() && Start && Length && *Start >= 0 &&
      (Bytes{*Start} + Bytes{*Length}).Count > X->size(*D).Length) {
    R.fail("narrow: " + std::to_string(*Length) + " elements from " +
           std::to_string(*Start) + " exceed a length of " +
           std::to_string(X->size(*D).Length));
    return one(nullptr);
  }
  return one(aten::narrow(R, X, A.integer("dim", 0), Dim(0), toDim(A.integer("length"))));
}

void addShapeRows(OpTable &Rows) {
  for (llvm::StringRef Name : {"view", "reshape"})
    Rows.push_back({Name,
                    [Name](Runtime &R, const Args &A) {
                      return viewRow(R, A, Name == "reshape");
                    },
                    "size,shape"});
  for (llvm::StringRef Name : {"view_as", "reshape_as"})
    Rows.push_back({Name, [](Runtime &R, const Args &A) {
                      T X = A.tensor("self"), Other = A.tensor("other");
                      return one(X && Other ? aten::reshape(R, X, Other->Sizes)
                                            : nullptr);
                    }});
  Rows.push_back({"flatten", flattenRow});
  Rows.push_back({"expand", expandRow, "size,implicit"});
  Rows.push_back({"expand_as", expandAsRow});
  Rows.push_back({"squeeze", squeezeRow});
  Rows.push_back({"unsqueeze", [](Runtime &R, const Args &A) {
                    return one(aten::unsqueeze(R, A.tensor("self"),
                                               A.integer("dim", 0)));
                  }});
  Rows.push_back({"t", [](Runtime &R, const Args &A) {
                    return one(aten::t(R, A.tensor("self")));
                  }});
  Rows.push_back({"transpose", [](Runtime &R, const Args &A) {
                    return one(aten::transpose(R, A.tensor("self"),
                                               A.integer("dim0", 0),
                                               A.integer("dim1", 1)));
                  }});
  Rows.push_back({"permute", [](Runtime &R, const Args &A) {
                    return one(aten::permute(R, A.tensor("self"),
                                             orZero(A.ints("dims"))));
                  }});
  Rows.push_back({"select",
                  [](Runtime &R, const Args &A) {
                    return one(aten::select(R, A.tensor("self"),
                                            A.integer("dim", 0), A.integer("index")));
                  },
                  "index"});
  Rows.push_back({"slice", sliceRow, "start,end,step"});
  Rows.push_back({"narrow",
                  narrowRow,
                  "start,length"});
  Rows.push_back({"repeat", repeatRow, "repeats"});
  for (llvm::StringRef Name : {"swapaxes", "swapdims"})
    Rows.push_back({Name, [](Runtime &R, const Args &A) {
                      bool Axes = A.has("axis0");
                      return one(aten::transpose(
                          R, A.tensor("self"),
                          A.integer(Axes ? "axis0" : "dim0", 0),
                          A.integer(Axes ? "axis1" : "dim1", 1)));
                    }});
  for (llvm::StringRef Name : {"numpy_T", "mT"})
    Rows.push_back({Name, [](Runtime &R, const Args &A) {
                      T X = A.tensor("self");
                      return one(X && X->rank() >= 2
                                     ? aten::transpose(R, X, -2, -1)
                                     : X);
                    }});
  Rows.push_back({"unflatten", unflattenRow});
}

} // namespace

void addViewOps(OpTable &Rows) {
  addShapeRows(Rows);
  for (llvm::StringRef Name : {"cat", "concat"})
    Rows.push_back({Name, [](Runtime &R, const Args &A) {
                      return one(aten::cat(R, A.tensors("tensors"),
                                           A.integer("dim", 0)));
                    }});
  Rows.push_back({"stack", stackRow});
  for (llvm::StringRef Name : {"split", "split_with_sizes", "chunk"})
    Rows.push_back({Name, [Name](Runtime &R, const Args &A) {
                      return splitRow(R, A, Name);
                    }});
  Rows.push_back({"unbind", unbindRow});
  Rows.push_back({"index_select", indexSelectRow});
  Rows.push_back({"gather", gatherRow, "sparse_grad"});
  Rows.push_back({"index", indexRow, "*"});
  for (bool InPlace : {false, true})
    Rows.push_back({InPlace ? "index_put_" : "index_put",
                    [InPlace](Runtime &R, const Args &A) {
                      return indexPutRow(R, A, InPlace);
                    },
                    "*"});
  Rows.push_back({"embedding", embeddingRow,
                  "padding_idx,scale_grad_by_freq,sparse,max_norm,norm_type"});
}

} // namespace vramlint
