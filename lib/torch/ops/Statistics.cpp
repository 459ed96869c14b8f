//===- lib/torch/ops/Statistics.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows of rarer reductions and of what counts, sorts or sums along a dimension.

#include "lib/torch/Tail.h"

namespace vramlint {

namespace {

using T = TensorRef;

Shape reduced(Runtime &R, const Args &A, const T &X) {
  return aten::reducedShape(R, X, dimsOf(A), A.boolean("keepdim", false));
}

/// A reduction to one value per place.
struct ReduceTail {
  llvm::StringRef Name;
  TailRule Whole, Along;
  bool Sums = false;    ///< Integers become int64.
  bool Indices = false; ///< With a dimension, values and where they were.
  bool AlwaysAlong = false;
};

const ReduceTail Reductions[] = {
    {"prod", {"ProdBackward0", "0a"}, {"ProdBackward1", "0a"}, true},
    {"nansum", {"NansumBackward0", "0"}, {"NansumBackward0", "0"}, true},
    {"amax", {"AmaxBackward0", "0a"}, {"AmaxBackward0", "0a"}},
    {"amin", {"AminBackward0", "0a"}, {"AminBackward0", "0a"}},
    {"median",
     {"MedianBackward0", "0a"},
     {"MedianBackward1", "b"},
     false,
     true},
    {"nanmedian",
     {"NanmedianBackward0", "0a"},
     {"NanmedianBackward1", "b"},
     false,
     true},
    {"mode", {"ModeBackward0", "b"}, {"ModeBackward0", "b"}, false, true, true},
    {"kthvalue",
     {"KthvalueBackward0", "b"},
     {"KthvalueBackward0", "b"},
     false,
     true,
     true},
};

OpResult reduceTail(Runtime &R, const Args &A, const ReduceTail &Rule) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed((Rule.Name + " of an undefined tensor").str());
  bool Along = A.has("dim") || Rule.AlwaysAlong;
  llvm::SmallVector<int64_t, 4> Over = dimsOf(A);
  if (Over.empty() && Rule.AlwaysAlong)
    Over = {-1};
  Shape S = aten::reducedShape(R, X, Over, A.boolean("keepdim", false));
  if (R.failed())
    return one(nullptr);
  DType Type = A.dtype("dtype").value_or(
      Rule.Sums && !isFloating(X->Type) ? DType::Int64 : X->Type);
  bool WithIndices = Rule.Indices && Along;
  auto Out = tail(R, Along ? Rule.Along : Rule.Whole, {X}, [&] {
    R.flops(X->elements());
    std::vector<T> Results{makeLike(R, X, S, Type)};
    if (WithIndices)
      Results.push_back(makeLike(R, X, S, DType::Int64));
    return Results;
  });
  if (Out.empty())
    return one(nullptr);
  return WithIndices ? tuple({Out[0], Out[1]}) : one(Out[0]);
}

/// cumprod, cummax …: a result of the input's form.
OpResult cumulativeRow(Runtime &R, const Args &A, llvm::StringRef Op,
                       bool InPlace) {
  T X = A.tensor("self");
  if (!X || !wrapDim(R, A.integer("dim", 0), X->rank()))
    return one(nullptr);
  if (Op == "cummax" || Op == "cummin") {
    TailRule How{Op == "cummax" ? "CummaxBackward0" : "CumminBackward0", "b",
                 "e"};
    auto Out = tail(R, How, {X}, [&] {
      return std::vector<T>{aten::emptyContiguous(R, X),
                            makeLike(R, X, X->Sizes, DType::Int64)};
    });
    return Out.size() == 2 ? tuple({Out[0], Out[1]}) : one(nullptr);
  }
  DType Type =
      A.dtype("dtype").value_or(isFloating(X->Type) ? X->Type : DType::Int64);
  TailRule How = Op == "cumprod"  ? TailRule{"CumprodBackward0", "0a"}
                 : Op == "cumsum" ? TailRule{"CumsumBackward0", ""}
                                  : TailRule{"LogcumsumexpBackward0", "0a"};
  if (InPlace)
    return one(tailInPlace(R, How, {X}, [] {}));
  return one(
      tailOne(R, How, {X}, [&] { return makeLike(R, X, X->Sizes, Type); }));
}

/// nanmean: nansum over the count of what is no NaN.
OpResult nanmeanRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X || !isFloating(X->Type))
    return OpResult::failed("nanmean(): expected a floating point tensor");
  Shape S = reduced(R, A, X);
  T Sum = callOne(R, "nansum",
                  {{"self", Arg(X)},
                   {"dim", A.has("dim") ? *A.find("dim") : Arg(Arg::Ints())},
                   {"keepdim", Arg(A.boolean("keepdim", false))},
                   {"dtype", A.has("dtype") ? *A.find("dtype") : Arg()}});
  T Count = R.failed() ? nullptr : makeLike(R, X, S, DType::Int64);
  return one(aten::div(R, Sum, Count));
}

OpResult aminmaxRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("aminmax of an undefined tensor",
                            FailureKind::Other);
  Shape S = reduced(R, A, X);
  auto Out = tail(R, {"!NotImplemented", ""}, {X}, [&] {
    return std::vector<T>{makeLike(R, X, S), makeLike(R, X, S)};
  });
  return Out.size() == 2 ? tuple({Out[0], Out[1]}) : one(nullptr);
}

OpResult countNonzeroRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("count_nonzero of an undefined tensor",
                            FailureKind::Other);
  BelowAutograd Guard(R);
  Shape S = reduced(R, A, X);
  return one(R.failed() ? nullptr : makeLike(R, X, S, DType::Int64));
}

/// A result of one number.
OpResult scalarTail(Runtime &R, const Args &A, const TailRule &How,
                    unsigned Rank) {
  T X = A.tensor("self"), Y = A.tensor("other");
  if (!X || (Rank && X->rank() != Rank)) {
    R.fail("expected a tensor of " + std::to_string(Rank) +
           " dimensions, got " + (X ? X->Sizes.str() : "nothing"));
    return one(nullptr);
  }
  llvm::SmallVector<T, 2> In = {X};
  if (Y)
    In.push_back(Y);
  DType Type = isFloating(X->Type) ? X->Type : DType::Int64;
  return one(
      tailOne(R, How, In, [&] { return makeLike(R, X, Shape(), Type); }));
}

//===----------------------------------------------------------------------===//
// Quantiles, bins
//===----------------------------------------------------------------------===//

OpResult quantileRow(Runtime &R, const Args &A) {
  T X = A.tensor("self"), Q = A.tensor("q");
  if (!X)
    return OpResult::failed("quantile of an undefined tensor",
                            FailureKind::Other);
  Shape S = reduced(R, A, X);
  if (R.failed())
    return one(nullptr);
  bool Many = Q && Q->rank() == 1;
  TailRule How{"SqueezeBackward3", "bc"};
  auto Out = tail(R, How, {X}, [&] {
    Dim N = Many ? Q->size(0) : Dim(1);
    Shape Full = S;
    if (Many)
      Full.Dims.push_back(N); // Made last, then seen first.
    T Result = makeLike(R, X, Full);
    if (Many && Full.known() && !S.Dims.empty()) {
      llvm::SmallVector<int64_t, 4> Own = Result->strides();
      std::rotate(Own.begin(), Own.end() - 1, Own.end());
      std::rotate(Result->Sizes.Dims.begin(), Result->Sizes.Dims.end() - 1,
                  Result->Sizes.Dims.end());
      Result->Strides = Own;
    }
    return std::vector<T>{Result};
  });
  return one(Out.empty() ? nullptr : Out[0]);
}

OpResult bucketsRow(Runtime &R, const Args &A, bool Sorted) {
  T X = A.tensor("self"),
    Edges = A.tensor(Sorted ? "sorted_sequence" : "boundaries");
  if (!Edges)
    return OpResult::failed("bucketize without boundaries");
  BelowAutograd Guard(R);
  if (Sorted && Edges->rank() > 1 && X) {
    bool Same = X->rank() == Edges->rank();
    for (unsigned I = 0; Same && I + 1 < X->rank(); ++I)
      Same &= X->size(I) == Edges->size(I) || !X->size(I).known() ||
              !Edges->size(I).known();
    if (!Same) {
      R.fail("searchsorted: expected all but the last dimension to be alike, "
             "got " +
             Edges->Sizes.str() + " and " + X->Sizes.str());
      return one(nullptr);
    }
  }
  DType Type = A.boolean("out_int32", false) ? DType::Int32 : DType::Int64;
  return one(R.make(X ? X->Sizes : Shape(), Type, Edges->Dev));
}

OpResult histcRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("histc of an undefined tensor", FailureKind::Other);
  BelowAutograd Guard(R);
  return one(makeLike(R, X, shapeOf({toDim(A.integer("bins", 100))})));
}

OpResult histogramRow(Runtime &R, const Args &A) {
  T X = A.tensor("self"), Edges = A.tensor("bins");
  if (!X)
    return OpResult::failed("histogram of an undefined tensor",
                            FailureKind::Other);
  Dim Bins = Edges ? Edges->size(0) - Dim(1) : toDim(A.integer("bins", 100));
  auto Out = tail(R, {"!NotImplemented", ""}, {X}, [&] {
    return std::vector<T>{makeLike(R, X, shapeOf({Bins})),
                          makeLike(R, X, shapeOf({Bins + Dim(1)}))};
  });
  return Out.size() == 2 ? tuple({Out[0], Out[1]}) : one(nullptr);
}

OpResult histogramddRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  Arg::Ints Bins = A.ints("bins");
  if (!X || Bins.empty())
    return OpResult::notModelled("histogramdd with bins of tensors");
  Shape S;
  for (const Arg::Int &B : Bins)
    S.Dims.push_back(toDim(B));
  auto Out = tail(R, {"!NotImplemented", ""}, {X}, [&] {
    std::vector<T> All{makeLike(R, X, S)};
    for (Dim B : S.Dims)
      All.push_back(makeLike(R, X, shapeOf({B + Dim(1)})));
    return All;
  });
  if (Out.empty())
    return one(nullptr);
  OpResult Res = tuple({Out[0]});
  Res.Values.push_back(Arg(std::vector<T>(Out.begin() + 1, Out.end())));
  return Res;
}

//===----------------------------------------------------------------------===//
// Differences, integrals
//===----------------------------------------------------------------------===//

OpResult diffRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  auto D = X ? wrapDim(R, A.integer("dim", -1), X->rank()) : std::nullopt;
  int64_t N = A.integer("n", 1);
  if (!D || X->rank() == 0 || N < 0)
    return OpResult::failed("diff expects at least one dimension");
  std::vector<T> Joined;
  for (const T &Part : {A.tensor("prepend"), X, A.tensor("append")})
    if (Part)
      Joined.push_back(Part);
  T Out = Joined.size() > 1 ? aten::cat(R, Joined, *D) : X;
  Joined.clear();
  const int64_t TimesMax = 64;
  for (int64_t I = 0; I < N && I < TimesMax && Out; ++I) {
    Dim L = Out->size(*D) - Dim(1);
    T Upper = aten::slice(R, Out, *D, Dim(1), L),
      Lower = aten::slice(R, Out, *D, Dim(0), L);
    Out = aten::sub(R, Upper, Lower);
  }
  return one(Out);
}

OpResult gradientRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("gradient of an undefined tensor",
                            FailureKind::Other);
  llvm::SmallVector<int64_t, 4> Over = dimsOf(A);
  if (Over.empty())
    for (unsigned I = 0; I < X->rank(); ++I)
      Over.push_back(I);
  std::vector<T> Out;
  for (size_t I = 0; I < Over.size(); ++I)
    Out.push_back(tailOne(R, {"CatBackward0", ""}, {X},
                          [&] { return aten::emptyContiguous(R, X); }));
  return list(std::move(Out));
}

/// trapz, cumulative_trapezoid: sums of neighbours.
OpResult trapezoidRow(Runtime &R, const Args &A, bool Cumulative) {
  T Y = A.tensor("y"), X = A.tensor("x");
  auto D = Y ? wrapDim(R, A.integer("dim", -1), Y->rank()) : std::nullopt;
  if (!D || Y->rank() == 0)
    return OpResult::failed("trapezoid expects at least one dimension");
  Dim L = Y->size(*D) - Dim(1);
  auto Part = [&](const T &V, int64_t From) {
    return aten::slice(R, V, *D, Dim(From), L);
  };
  // Each is one expression of ATen's: what it makes stays until its end.
  if (!X && !Cumulative) {
    T Ends = aten::add(R, aten::select(R, Y, *D), aten::select(R, Y, *D));
    T Half = aten::mul(R, Ends, Scalar(0.5));
    T Whole = aten::sum(R, Y, {int64_t(*D)}, false);
    T Inner = aten::sub(R, Whole, Half);
    return one(aten::mul(R, Inner, Scalar(A.number("dx", 1))));
  }
  T Step;
  if (X) {
    int64_t DX = X->rank() == 1 ? 0 : int64_t(*D);
    Dim LX = X->size(DX) - Dim(1);
    Step = aten::sub(R, aten::slice(R, X, DX, Dim(1), LX),
                     aten::slice(R, X, DX, Dim(0), LX));
  }
  T Pairs = aten::add(R, Part(Y, 0), Part(Y, 1));
  T Scaled = X ? aten::mul(R, Step, Pairs) : aten::mul(R, Pairs, Scalar(0.5));
  if (!Cumulative) {
    T Sum = aten::sum(R, Scaled, {int64_t(*D)}, false);
    return one(aten::div(R, Sum, Scalar(2.0)));
  }
  T Sums =
      callOne(R, "cumsum", {{"self", Arg(Scaled)}, {"dim", Arg(int64_t(*D))}});
  return one(X ? aten::div(R, Sums, Scalar(2.0)) : Sums);
}

/// cov and corrcoef: rows are variables.
OpResult covRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X || X->rank() > 2)
    return OpResult::failed("cov expects at most two dimensions");
  Shape S = X->rank() == 2 ? shapeOf({X->size(0), X->size(0)}) : Shape();
  return one(tailOne(R, {"SqueezeBackward0", "", "n"}, {X}, [&] {
    DType Type = isFloating(X->Type) ? X->Type : R.DefaultDType;
    return makeLike(R, X, S, Type);
  }));
}

OpResult renormRow(Runtime &R, const Args &A, bool InPlace) {
  T X = A.tensor("self");
  if (InPlace)
    return one(tailInPlace(R, {"RenormBackward0", "0"}, {X}, [] {}));
  return one(tailOne(R, {"RenormBackward0", "0"}, {X},
                     [&] { return aten::emptyLike(R, X); }));
}

OpResult segmentReduceRow(Runtime &R, const Args &A) {
  T X = A.tensor("data"), Lengths = A.tensor("lengths");
  if (!X || !Lengths)
    return OpResult::notModelled("segment_reduce without lengths");
  Shape S = X->Sizes;
  if (!S.Dims.empty() && !Lengths->Sizes.Dims.empty())
    S.Dims[0] = Lengths->size(0);
  return one(tailOne(R, {"SegmentReduceBackward0", "01a"}, {X, Lengths},
                     [&] { return makeLike(R, X, S); }));
}

OpResult msortRow(Runtime &R, const Args &A) {
  return one(callOne(
      R, "sort", {{"self", Arg(A.tensor("self"))}, {"dim", Arg(int64_t(0))}}));
}

OpResult sumToSizeRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  Shape S;
  for (const Arg::Int &I : A.ints("size"))
    S.Dims.push_back(toDim(I));
  return one(aten::sumTo(R, X, S));
}

} // namespace

void addStatisticsOps(OpTable &Rows) {
  for (const ReduceTail &Rule : Reductions)
    Rows.push_back(
        {Rule.Name,
         [&Rule](Runtime &R, const Args &A) { return reduceTail(R, A, Rule); },
         "k", false, true});
  static const std::pair<llvm::StringRef, bool> Cumulative[] = {
      {"cumprod", false}, {"cumprod_", true}, {"cumsum_", true},
      {"cummax", false},  {"cummin", false},  {"logcumsumexp", false}};
  for (auto &[Name, InPlace] : Cumulative) {
    bool Changes = InPlace;
    Rows.push_back({Name,
                    [Op = Name.rtrim('_'), Changes](Runtime &R, const Args &A) {
                      return cumulativeRow(R, A, Op, Changes);
                    },
                    "", false, true});
  }
  Rows.push_back({"nanmean", nanmeanRow, "", false, true});
  Rows.push_back({"aminmax", aminmaxRow, "", false, true});
  Rows.push_back({"count_nonzero", countNonzeroRow, "", false, true});
  Rows.push_back({"trace",
                  [](Runtime &R, const Args &A) {
                    return scalarTail(R, A, {"TraceBackward0", ""}, 2);
                  },
                  "", false, true});
  Rows.push_back({"dist",
                  [](Runtime &R, const Args &A) {
                    return scalarTail(R, A, {"DistBackward0", "01a"}, 0);
                  },
                  "p", false, true});
  for (llvm::StringRef Name : {"quantile", "nanquantile"})
    Rows.push_back({Name, quantileRow, "q", false, true});
  for (bool Sorted : {false, true})
    Rows.push_back({Sorted ? "searchsorted" : "bucketize",
                    [Sorted](Runtime &R, const Args &A) {
                      return bucketsRow(R, A, Sorted);
                    },
                    "self,right,side", false, true});
  Rows.push_back({"histc", histcRow, "min,max", true, true});
  Rows.push_back({"histogram", histogramRow, "range,density", true, true});
  Rows.push_back({"histogramdd", histogramddRow, "range,density", true, true});
  Rows.push_back({"diff", diffRow, "", false, true});
  Rows.push_back({"gradient", gradientRow, "spacing,edge_order", false, true});
  for (llvm::StringRef Name : {"trapz", "trapezoid", "cumulative_trapezoid"})
    Rows.push_back(
        {Name,
         [Cumulates = Name.starts_with("c")](Runtime &R, const Args &A) {
           return trapezoidRow(R, A, Cumulates);
         },
         "dx", false, true});
  for (llvm::StringRef Name : {"cov", "corrcoef"})
    Rows.push_back({Name, covRow, "correction", false, true});
  for (bool InPlace : {false, true})
    Rows.push_back({InPlace ? "renorm_" : "renorm",
                    [InPlace](Runtime &R, const Args &A) {
                      return renormRow(R, A, InPlace);
                    },
                    "p,dim,maxnorm", true, true});
  Rows.push_back({"segment_reduce", segmentReduceRow, "", false, true});
  Rows.push_back({"msort", msortRow, "", false, true});
  Rows.push_back({"sum_to_size", sumToSizeRow});
}

} // namespace vramlint
