//===- lib/torch/ops/Gather.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows that take or put elements at indices: take, index_add_, masked_scatter.

#include "lib/torch/Tail.h"

namespace vramlint {

namespace {

using T = TensorRef;

/// Ops whose result has the form of self, with a copy and an in-place name.
struct PutTail {
  llvm::StringRef Name;
  llvm::SmallVector<llvm::StringRef, 3> Inputs; ///< After self, in the node's order.
  TailRule How;
  llvm::StringRef MayBeUnknown = "";
};

const PutTail Puts[] = {
    {"put", {"source", "index"}, {"PutBackward0", "21", "en"}, "accumulate"},
    {"scatter_reduce", {"src", "index"}, {"ScatterReduceBackward0", "021a", "gn"}, "include_self"},
    {"index_add", {"source", "index"}, {"IndexAddBackward0", "21", "gn"}, "alpha"},
    {"index_copy", {"source", "index"}, {"IndexCopyBackward0", "21", "n"}, ""},
    {"index_fill", {"value", "index"}, {"IndexFillBackward0", "2", "n"}, "value"},
    {"index_reduce", {"source", "index"}, {"IndexReduceBackward0", "021a", "n"}, "include_self"},
    {"masked_scatter", {"source", "mask"}, {"MaskedScatterBackward0", "2", "n"}, ""},
};

/// The mean form of a reduce divides by counts, with the sums kept beside.
OpResult putRow(Runtime &R, const Args &A, const PutTail &P, bool InPlace) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed((P.Name + " of an undefined tensor").str());
  llvm::SmallVector<T, 4> In = {X};
  for (llvm::StringRef Name : P.Inputs)
    In.push_back(A.tensor(Name));
  if (In.back() && P.Inputs.back() == "mask")
    aten::broadcast(R, X->Sizes, In.back()->Sizes);
  TailRule How = P.How;
  bool Sum = A.text("reduce", "") == "sum";
  if (Sum)
    How.Saves = "2"; // Only what this reduction's formula needs.
  if (InPlace)
    return one(tailInPlace(R, How, In, [] {}));
  return one(tailOne(R, How, In, [&] { return aten::emptyLike(R, X); }));
}

OpResult takeRow(Runtime &R, const Args &A) {
  T X = A.tensor("self"), Index = A.tensor("index");
  if (!X || !Index)
    return OpResult::failed("take of an undefined tensor", FailureKind::Other);
  return one(tailOne(R, {"TakeBackward0", "01", "eu"}, {X, Index},
                     [&] { return makeLike(R, X, Index->Sizes); }));
}

OpResult takeAlongDimRow(Runtime &R, const Args &A) {
  T X = A.tensor("self"), Index = A.tensor("indices");
  if (!X || !Index)
    return OpResult::failed("take_along_dim of an undefined tensor", FailureKind::Other);
  Shape S = Index->Sizes;
  T From = X;
  int64_t D = 0;
  if (A.has("dim")) {
    auto At = wrapDim(R, A.integer("dim", 0), X->rank());
    if (!At || X->rank() != Index->rank()) {
      R.fail("take_along_dim expects indices of as many dimensions as the tensor");
      return one(nullptr);
    }
    D = *At;
    Shape Other = X->Sizes, Wide = S;
    Other.Dims[D] = Wide.Dims[D] = Dim(1);
    Shape Both = aten::broadcast(R, Other, Wide);
    Shape To = Both;
    To.Dims[D] = X->size(D);
    Both.Dims[D] = S.Dims[D];
    if (R.failed())
      return one(nullptr);
    From = X->Sizes == To ? X : aten::expand(R, X, To);
    Index = S == Both ? Index : aten::expand(R, Index, Both);
  } else {
    From = aten::view(R, X, shapeOf({Dim(X->elements())}));
    Index = aten::view(R, Index, shapeOf({Dim(Index->elements())}));
  }
  return one(callOne(R, "gather", {{"self", Arg(From)}, {"dim", Arg(D)}, {"index", Arg(Index)}}));
}

/// A result whose first length is in the data; the rest is known.
T inData(Runtime &R, const T &X, llvm::SmallVector<Dim, 4> Rest, DType Type) {
  Shape S;
  S.Dims.push_back(Dim());
  S.Dims.append(Rest.begin(), Rest.end());
  S.Why = "the size is in the data";
  return R.make(S, Type, X->Dev);
}

OpResult nonzeroRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X || !X->Sizes.RankKnown)
    return one(R.opaque("nonzero", A, "the size is in the data"));
  BelowAutograd Guard(R);
  return one(inData(R, X, {Dim(int64_t(X->rank()))}, DType::Int64));
}

OpResult nonzeroNumpyRow(Runtime &R, const Args &A) {
  T X = A.tensor(A.has("condition") ? "condition" : "self");
  if (!X || !X->Sizes.RankKnown)
    return OpResult::notModelled("nonzero of an unknown rank");
  BelowAutograd Guard(R);
  std::vector<T> Out;
  for (unsigned I = 0; I < X->rank(); ++I)
    Out.push_back(inData(R, X, {}, DType::Int64));
  return list(std::move(Out));
}

OpResult maskedSelectRow(Runtime &R, const Args &A) {
  T X = A.tensor("self"), Mask = A.tensor("mask");
  if (!X || !Mask)
    return OpResult::failed("masked_select of an undefined tensor", FailureKind::Other);
  return one(tailOne(R, {"MaskedSelectBackward0", "01"}, {X, Mask},
                     [&] { return inData(R, X, {}, X->Type); }));
}

/// where(condition): the indices of what is true.
OpResult bincountRow(Runtime &R, const Args &A) {
  T X = A.tensor("self"), Weights = A.tensor("weights");
  if (!X)
    return OpResult::failed("bincount of an undefined tensor", FailureKind::Other);
  BelowAutograd Guard(R);
  DType Type = !Weights ? DType::Int64
               : Weights->Type == DType::Float32 ? DType::Float32 : DType::Float64;
  return one(inData(R, X, {}, Type));
}

/// unique and its kin: values, where they were, how many.
OpResult uniqueRow(Runtime &R, const Args &A, bool AlongDim, bool Always) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("unique of an undefined tensor", FailureKind::Other);
  BelowAutograd Guard(R);
  auto D = AlongDim ? wrapDim(R, A.integer("dim", 0), X->rank()) : std::nullopt;
  auto None = [&] { return R.make(shapeOf({Dim(0)}), DType::Int64, X->Dev); };
  T Values = inData(R, X, {}, X->Type);
  if (D && X->rank()) {
    Values->Sizes = X->Sizes;
    Values->Sizes.Dims[*D] = Dim();
    Values->Sizes.Why = "the size is in the data";
  }
  T Inverse = A.boolean("return_inverse", false) || Always
                  ? R.make(D ? shapeOf({X->size(*D)}) : X->Sizes, DType::Int64, X->Dev)
                  : None();
  T Counts = A.boolean("return_counts", false) || Always
                 ? inData(R, X, {}, DType::Int64) : None();
  return tuple({Values, Inverse, Counts});
}

OpResult repeatInterleaveRow(Runtime &R, const Args &A) {
  T X = A.tensor("self"), Repeats = A.tensor("repeats");
  if (!X && !Repeats)
    return OpResult::failed("repeat_interleave of an undefined tensor", FailureKind::Other);
  if (!X || X == Repeats)
    return one(inData(R, Repeats, {}, DType::Int64));
  auto Times = A.integer("repeats");
  unsigned D = 0;
  T From = X;
  if (A.has("dim")) {
    auto At = wrapDim(R, A.integer("dim", 0), X->rank());
    if (!At)
      return one(nullptr);
    D = *At;
  } else {
    From = aten::reshape(R, X, shapeOf({X->elements() < 0 ? Dim() : Dim(X->elements())}));
  }
  Shape S = From->Sizes;
  Dim L = A.has("output_size") ? toDim(A.integer("output_size"))
          : Times && !Repeats  ? S.Dims[D] * Dim(*Times)
                               : Dim();
  if (!L.known())
    S.Why = "the size is in the data";
  T Index = R.make(shapeOf({L}), DType::Int64, X->Dev);
  S.Dims[D] = L;
  return one(tailOne(R, {"IndexSelectBackward0", "1", "eu"}, {From, Index},
                     [&] { return makeLike(R, From, S); }));
}

OpResult triangleIndices(Runtime &R, const Args &A, bool Upper) {
  auto Rows = A.integer("row"), Columns = A.integer("col");
  int64_t Offset = A.integer("offset", 0);
  Dim Count;
  const int64_t RowsMax = 1 << 24;
  if (Rows && Columns && *Rows >= 0 && *Columns >= 0 && *Rows <= RowsMax) {
    Bytes N{0};
    for (int64_t I = 0; I < *Rows; ++I) {
      int64_t Below = std::clamp<int64_t>(I + Offset + (Upper ? 0 : 1), 0, *Columns);
      N += Bytes{Upper ? *Columns - Below : Below};
    }
    Count = Dim(N.Count);
  }
  return one(R.make(shapeOf({Dim(2), Count}), A.dtype("dtype").value_or(DType::Int64),
                    A.device("device").value_or(Device{})));
}

OpResult embeddingBagRow(Runtime &R, const Args &A) {
  T W = A.tensor("weight");
  T Indices = A.tensor(A.has("indices") ? "indices" : "input"), Offsets = A.tensor("offsets");
  if (!W || !Indices || W->rank() != 2)
    return OpResult::failed("embedding_bag expects a matrix of weights");
  bool Matrix = Indices->rank() == 2;
  if (!Matrix && !Offsets)
    return OpResult::failed("embedding_bag expects offsets for a list of indices");
  std::string Mode = A.text("mode", "");
  bool Max = Mode == "kMax" || A.integer("mode", 0) == 2;
  bool Sum = !Max && (Mode == "kSum" || (Mode.empty() && A.has("mode") && A.integer("mode", 0) == 0) ||
                      (Mode.empty() && !A.has("options") && !A.has("mode")));
  if (Matrix) {
    Dim N = Indices->size(0) * Indices->size(1);
    Offsets = R.make(shapeOf({Indices->size(0)}), DType::Int64, Indices->Dev);
    Indices = aten::reshape(R, Indices, shapeOf({N}));
  }
  Dim Bags = Offsets->size(0), N = Indices->size(0);
  if (A.boolean("include_last_offset", false))
    Bags = Bags - Dim(1);
  TailRule How{"EmbeddingBagBackward0", "012bcd", "nu"};
  auto Out = tail(R, How, {W, Indices, Offsets}, [&] {
    T Result = makeLike(R, W, shapeOf({Bags, W->size(1)}));
    // Which bag an index is in: begun with one place more.
    T BagOf = makeLike(R, W, shapeOf({Sum ? Dim(0) : N + Dim(1)}), DType::Int64);
    BagOf->Sizes = shapeOf({Sum ? Dim(0) : N});
    return std::vector<T>{
        Result, BagOf,
        makeLike(R, W, shapeOf({Bags}), DType::Int64),
        makeLike(R, W, Max ? shapeOf({Bags, W->size(1)}) : shapeOf({Bags}), DType::Int64)};
  });
  if (Out.size() != 4)
    return one(nullptr);
  if (!A.has("indices")) // F::embedding_bag gives the bags alone.
    return one(Out[0]);
  return tuple({Out[0], Out[1], Out[2], Out[3]});
}

} // namespace

void addGatherOps(OpTable &Rows) {
  for (const PutTail &P : Puts)
    for (bool InPlace : {false, true})
      Rows.push_back({InPlace ? intern((P.Name + "_").str()) : P.Name,
                      [&P, InPlace](Runtime &R, const Args &A) {
                        return putRow(R, A, P, InPlace);
                      },
                      P.MayBeUnknown, false, true});
  Rows.push_back({"take", takeRow});
  Rows.push_back({"take_along_dim", takeAlongDimRow});
  for (llvm::StringRef Name : {"nonzero", "argwhere"})
    Rows.push_back({Name, nonzeroRow, "", true, true});
  Rows.push_back({"nonzero_numpy", nonzeroNumpyRow, "", true, true});
  Rows.push_back({"masked_select", maskedSelectRow, "", false, true});
  Rows.push_back({"bincount", bincountRow, "minlength", false, true});
  static const std::tuple<llvm::StringRef, bool, bool> Unique[] = {
      {"_unique2", false, false}, {"unique_consecutive", false, false},
      {"unique_dim", true, true}, {"unique_dim_consecutive", true, true},
      {"_unique", false, false},  {"unique", false, false}};
  for (auto &[Name, Along, Always] : Unique) {
    bool D = Along, All = Always;
    Rows.push_back({Name,
                    [D, All](Runtime &R, const Args &A) { return uniqueRow(R, A, D, All); },
                    "sorted,return_inverse,return_counts", false, true});
  }
  Rows.push_back({"repeat_interleave", repeatInterleaveRow, "repeats", false, true});
  for (bool Upper : {false, true})
    Rows.push_back({Upper ? "triu_indices" : "tril_indices",
                    [Upper](Runtime &R, const Args &A) {
                      return triangleIndices(R, A, Upper);
                    },
                    "row,col,offset", true});
  Rows.push_back({"embedding_bag", embeddingBagRow,
                  "scale_grad_by_freq,sparse,padding_idx,max_norm,norm_type", false, true});
  Rows.push_back({"embedding_renorm_",
                  [](Runtime &R, const Args &A) { return one(A.tensor("self")); }, "*", false, true});
}

} // namespace vramlint
