//===- lib/torch/rules/View.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Copies, views and the layout rules of gradients.

#include "lib/torch/Rules.h"
#include "llvm/ADT/STLExtras.h"

namespace vramlint::aten {

using Strides = llvm::SmallVector<int64_t, 4>;

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

TensorRef clone(Runtime &R, const TensorRef &T) {
  Record Rec(R, "CloneBackward0", {T});
  return Rec.result(emptyLike(R, T),
                    [](Runtime &, Node &, Grads &G) { return Grads{G[0]}; });
}

static TensorRef cloneContiguous(Runtime &R, const TensorRef &T) {
  Record Rec(R, "CloneBackward0", {T});
  return Rec.result(emptyContiguous(R, T),
                    [](Runtime &, Node &, Grads &G) { return Grads{G[0]}; });
}

TensorRef contiguous(Runtime &R, const TensorRef &T) {
  if (!T || T->isContiguous())
    return T;
  return cloneContiguous(R, T);
}

TensorRef to(Runtime &R, const TensorRef &T, std::optional<Device> D,
             std::optional<DType> Type, bool Copy) {
  if (!T || R.failed())
    return nullptr;
  Device ToDevice = D.value_or(T->Dev);
  DType ToType = Type.value_or(T->Type);
  if (!Copy && ToDevice.Kind == T->Dev.Kind && ToType == T->Type)
    return T;
  // No gradient flows through integers.
  Record Rec(R, "ToCopyBackward0", {isFloating(ToType) ? T : TensorRef()});
  TensorRef Out =
      T->isContiguous()
          ? R.make(T->Sizes, ToType, ToDevice)
          : R.make(T->Sizes, emptyStridesLike(*T), ToType, ToDevice);
  if (ToDevice.Kind != T->Dev.Kind && Out->Store)
    R.event(EventKind::Copy, Out->Store->Id, Out->Store->SizeBytes);
  Device From = T->Dev;
  DType FromType = T->Type;
  return Rec.result(Out, [From, FromType](Runtime &R, Node &, Grads &G) {
    return Grads{to(R, G[0], From, FromType)};
  });
}

TensorRef toDType(Runtime &R, const TensorRef &T, DType Type) {
  return to(R, T, std::nullopt, Type);
}

llvm::SmallVector<int64_t, 4> emptyStridesLike(const TensorImpl &T) {
  return T.isDense() ? T.Strides : Strides();
}

void copyInPlace(Runtime &R, const TensorRef &Self, const TensorRef &Source) {
  if (!Self || !Source)
    return;
  Shape Both = broadcast(R, Self->Sizes, Source->Sizes);
  if (!R.failed() && Both.known() && Self->Sizes.known() && !(Both == Self->Sizes))
    R.fail("copy_: a source of " + Source->Sizes.str() + " does not fit into " +
           Self->Sizes.str());
  if (Self->Dev.Kind != Source->Dev.Kind && Self->Store)
    R.event(EventKind::Copy, Self->Store->Id, Self->Store->SizeBytes);
  Record Rec(R, "CopyBackwards", {Self, Source});
  Device D = Source->Dev;
  DType Type = Source->Type;
  Shape From = Source->Sizes;
  Rec.backward([=](Runtime &R, Node &N, Grads &G) {
    Grads Out(2);
    if (N.needs(0))
      Out[0] = zerosLike(R, G[0]);
    if (N.needs(1))
      Out[1] = to(R, sumTo(R, G[0], From), D, Type);
    return Out;
  });
  Rec.inPlace(Self);
}

TensorRef zeros(Runtime &R, Shape S, DType T, Device D) {
  return R.make(std::move(S), T, D);
}

TensorRef zerosLike(Runtime &R, const TensorRef &T) { return emptyLike(R, T); }

TensorRef detach(Runtime &R, const TensorRef &T) {
  return T ? R.alias(T) : nullptr;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

TensorRef rawView(Runtime &R, const TensorRef &T, Shape S,
                  llvm::ArrayRef<int64_t> Strides) {
  if (!T)
    return nullptr;
  TensorRef V = R.view(T, std::move(S));
  // A stride of 0 tells an expanded length of 1 from one of its own.
  if (llvm::ArrayRef<int64_t>(V->strides()) != Strides)
    V->Strides.assign(Strides.begin(), Strides.end());
  return V;
}

/// Strides of \p T, none if its shape is not known (then views are contiguous).
static Strides knownStrides(const TensorRef &T) {
  return T->Sizes.known() ? T->strides() : Strides();
}

TensorRef expand(Runtime &R, const TensorRef &T, const Shape &To) {
  if (!T || R.failed())
    return nullptr;
  Record Rec(R, "ExpandBackward0", {T});
  Shape From = T->Sizes;
  TensorRef Out;
  if (!From.known() || !To.known()) {
    Out = rawView(R, T, To, {});
  } else {
    if (To.Dims.size() < T->rank()) {
      R.fail("expand: " + From.str() + " has more dimensions than " + To.str());
      return nullptr;
    }
    Strides S(To.Dims.size(), 0), Own = T->strides();
    unsigned Offset = To.Dims.size() - T->rank();
    for (unsigned I = 0; I < T->rank(); ++I) {
      if (T->size(I) == To.Dims[Offset + I]) {
        S[Offset + I] = Own[I];
      } else if (T->size(I).Length != 1) {
        R.fail("expand: " + From.str() + " cannot be expanded to " + To.str());
        return nullptr;
      }
    }
    // inferExpandGeometry: a new length of 1 has the stride of all that is inside
    // it, but for a single number all are 0.
    for (unsigned I = T->rank() ? Offset : 0; I-- > 0;)
      if (To.Dims[I].Length == 1)
        S[I] = saturatingMul({To.Dims[I + 1].Length, S[I + 1]});
    Out = rawView(R, T, To, S);
  }
  return Rec.result(Out, [From](Runtime &R, Node &, Grads &G) {
    return Grads{sumTo(R, G[0], From)};
  });
}

std::optional<Shape> inferShape(Runtime &R, const TensorRef &T,
                                const Arg::Ints &Sizes) {
  Shape S;
  std::optional<size_t> Minus;
  Bytes Known{1};
  bool Unknown = false;
  for (size_t I = 0; I < Sizes.size(); ++I) {
    if (Sizes[I] && *Sizes[I] == -1) {
      Minus = I;
      S.Dims.push_back(1);
      continue;
    }
    S.Dims.push_back(toDim(Sizes[I]));
    Unknown |= !S.Dims.back().known();
    Known = Known * std::max<int64_t>(S.Dims.back().Length, 0);
  }
  int64_t N = T->elements();
  if (Unknown || N < 0) {
    if (Minus)
      S.Dims[*Minus] = Dim();
    // One unknown length and a known product tell each other, as in
    // view(-1, 320) of ?×20×4×4.
    if (Minus && !Unknown && Known.Count > 0 && T->Sizes.RankKnown) {
      Bytes Rest{1};
      unsigned Unknowns = 0;
      for (Dim D : T->Sizes.Dims) {
        if (D.known())
          Rest = Rest * D.Length;
        else
          ++Unknowns;
      }
      if (Unknowns == 0)
        S.Dims[*Minus] = Dim(Rest.Count / Known.Count);
    }
    S.Why = T->Sizes.Why;
    return S;
  }
  bool Fits = Minus ? Known.Count > 0 && N % Known.Count == 0 : Known.Count == N;
  if (!Fits) {
    std::string Want;
    for (size_t I = 0; I < Sizes.size(); ++I)
      Want += (I ? "×" : "") + std::to_string(Sizes[I].value_or(-1));
    R.fail("shape " + Want + " is invalid for an input of " +
           T->Sizes.str() + " (" + formatCount(N) + " elements)");
    return std::nullopt;
  }
  if (Minus)
    S.Dims[*Minus] = Dim(N / Known.Count);
  return S;
}

/// at::detail::computeStride: the strides of \p To on \p T's memory, or nothing if
/// it cannot be viewed so.
static std::optional<Strides> viewStrides(const TensorRef &T, const Shape &To) {
  if (T->Strides.empty() || !T->Sizes.known() || !To.known() || T->elements() == 0)
    return Strides();
  Strides Old = T->strides(), New(To.Dims.size(), 0);
  int64_t ViewD = int64_t(To.Dims.size()) - 1;
  int64_t ChunkBase = Old.back(), TensorN = 1, ViewN = 1;
  for (int64_t D = int64_t(T->rank()) - 1; D >= 0; --D) {
    TensorN *= T->size(D).Length;
    bool EndOfChunk = D == 0 || (T->size(D - 1).Length != 1 &&
                                 Old[D - 1] != TensorN * ChunkBase);
    if (!EndOfChunk)
      continue;
    while (ViewD >= 0 && (ViewN < TensorN || To.Dims[ViewD].Length == 1)) {
      New[ViewD] = ViewN * ChunkBase;
      ViewN *= To.Dims[ViewD].Length;
      --ViewD;
    }
    if (ViewN != TensorN)
      return std::nullopt;
    if (D > 0) {
      ChunkBase = Old[D - 1];
      TensorN = ViewN = 1;
    }
  }
  if (ViewD != -1)
    return std::nullopt;
  return New;
}

static TensorRef viewAs(Runtime &R, const TensorRef &T, const Shape &To,
                        llvm::ArrayRef<int64_t> S, llvm::StringRef NodeName) {
  Record Rec(R, NodeName, {T});
  Shape From = T->Sizes;
  return Rec.result(rawView(R, T, To, S), [From](Runtime &R, Node &, Grads &G) {
    return Grads{reshape(R, G[0], From)};
  });
}

TensorRef view(Runtime &R, const TensorRef &T, const Shape &To) {
  if (!T || R.failed())
    return nullptr;
  auto S = viewStrides(T, To);
  if (!S) {
    R.fail("view size is not compatible with the input's size and stride: " +
           T->Sizes.str() + " as " + To.str() + "; use reshape");
    return nullptr;
  }
  return viewAs(R, T, To, *S, "ViewBackward0");
}

TensorRef reshape(Runtime &R, const TensorRef &T, const Shape &To) {
  if (!T || R.failed())
    return nullptr;
  if (auto S = viewStrides(T, To))
    return viewAs(R, T, To, *S, "ReshapeAliasBackward0");
  return viewAs(R, cloneContiguous(R, T), To, {}, "UnsafeViewBackward0");
}

TensorRef permute(Runtime &R, const TensorRef &T,
                  llvm::ArrayRef<int64_t> Order) {
  if (!T || R.failed())
    return nullptr;
  if (Order.size() != T->rank()) {
    R.fail("permute: expected " + std::to_string(T->rank()) +
           " dimensions, got " + std::to_string(Order.size()));
    return nullptr;
  }
  Record Rec(R, "PermuteBackward0", {T});
  Strides Own = knownStrides(T), S;
  Shape To;
  To.Why = T->Sizes.Why;
  llvm::SmallVector<int64_t, 4> Inverse(Order.size(), 0);
  for (size_t I = 0; I < Order.size(); ++I) {
    auto D = wrapDim(R, Order[I], T->rank());
    if (!D)
      return nullptr;
    Inverse[*D] = I;
    To.Dims.push_back(T->size(*D));
    if (!Own.empty())
      S.push_back(Own[*D]);
  }
  return Rec.result(rawView(R, T, To, S),
                    [Inverse](Runtime &R, Node &, Grads &G) {
                      return Grads{permute(R, G[0], Inverse)};
                    });
}

TensorRef transpose(Runtime &R, const TensorRef &T, int64_t A, int64_t B) {
  if (!T || R.failed())
    return nullptr;
  auto DA = wrapDim(R, A, T->rank()), DB = wrapDim(R, B, T->rank());
  if (!DA || !DB)
    return nullptr;
  Record Rec(R, "TransposeBackward0", {T});
  Shape To = T->Sizes;
  Strides S = knownStrides(T);
  if (T->rank()) {
    std::swap(To.Dims[*DA], To.Dims[*DB]);
    if (!S.empty())
      std::swap(S[*DA], S[*DB]);
  }
  return Rec.result(rawView(R, T, To, S),
                    [A, B](Runtime &R, Node &, Grads &G) {
                      return Grads{transpose(R, G[0], A, B)};
                    });
}

TensorRef t(Runtime &R, const TensorRef &T) {
  if (!T || R.failed())
    return nullptr;
  if (T->rank() > 2) {
    R.fail("t() expects a tensor with at most 2 dimensions, got " +
           T->Sizes.str());
    return nullptr;
  }
  return T->rank() < 2 ? transpose(R, T, 0, 0) : transpose(R, T, 0, 1);
}

TensorRef unsqueeze(Runtime &R, const TensorRef &T, int64_t DimIndex) {
  if (!T || R.failed())
    return nullptr;
  auto D = wrapDim(R, DimIndex, T->rank() + 1);
  if (!D)
    return nullptr;
  Record Rec(R, "UnsqueezeBackward0", {T});
  Shape To = T->Sizes;
  To.Dims.insert(To.Dims.begin() + *D, Dim(1));
  Strides S = knownStrides(T);
  if (T->Sizes.known()) {
    int64_t New = *D >= T->rank() ? 1 : S[*D] * T->size(*D).Length;
    S.insert(S.begin() + *D, New);
  }
  int64_t Index = *D;
  return Rec.result(rawView(R, T, To, S), [Index](Runtime &R, Node &, Grads &G) {
    return Grads{squeeze(R, G[0], Index)};
  });
}

TensorRef squeeze(Runtime &R, const TensorRef &T, int64_t DimIndex) {
  if (!T || R.failed())
    return nullptr;
  auto D = wrapDim(R, DimIndex, T->rank());
  if (!D)
    return nullptr;
  Record Rec(R, "SqueezeBackward1", {T});
  Shape From = T->Sizes, To = From;
  Strides S = knownStrides(T);
  if (T->rank() && T->size(*D).Length == 1) {
    To.Dims.erase(To.Dims.begin() + *D);
    if (!S.empty())
      S.erase(S.begin() + *D);
  }
  int64_t Index = *D;
  return Rec.result(rawView(R, T, To, S),
                    [Index, From](Runtime &R, Node &, Grads &G) {
                      if (!From.Dims.empty() && From.Dims[Index].Length == 1)
                        return Grads{unsqueeze(R, G[0], Index)};
                      return Grads{G[0]};
                    });
}

TensorRef squeezeInPlace(Runtime &R, const TensorRef &T, int64_t DimIndex) {
  if (!T || R.failed())
    return nullptr;
  auto D = wrapDim(R, DimIndex, T->rank());
  if (!D)
    return nullptr;
  Record Rec(R, "SqueezeBackward3", {T});
  bool Gone = T->rank() && T->size(*D).Length == 1;
  int64_t Index = *D;
  if (Gone) {
    if (!T->Strides.empty())
      T->Strides.erase(T->Strides.begin() + *D);
    T->Sizes.Dims.erase(T->Sizes.Dims.begin() + *D);
  }
  Rec.backward([Gone, Index](Runtime &R, Node &, Grads &G) {
    return Grads{Gone ? unsqueeze(R, G[0], Index) : G[0]};
  });
  return Rec.inPlace(T) ? T : nullptr;
}

TensorRef select(Runtime &R, const TensorRef &T, int64_t DimIndex,
                 std::optional<int64_t> At) {
  if (!T || R.failed())
    return nullptr;
  auto D = wrapDim(R, DimIndex, T->rank());
  if (!D)
    return nullptr;
  if (T->rank() == 0) {
    R.fail("select() cannot be applied to a 0-dim tensor");
    return nullptr;
  }
  if (Dim L = T->size(*D); At && L.known() && (*At >= L.Length || *At < -L.Length)) {
    R.fail("index " + std::to_string(*At) + " is out of range for dimension " +
           std::to_string(*D) + " of " + T->Sizes.str());
    return nullptr;
  }
  Record Rec(R, "SelectBackward0", {T});
  Shape From = T->Sizes, To = From;
  Strides S = knownStrides(T);
  To.Dims.erase(To.Dims.begin() + *D);
  if (!S.empty())
    S.erase(S.begin() + *D);
  return Rec.result(rawView(R, T, To, S), [From](Runtime &R, Node &, Grads &G) {
    return Grads{zeros(R, From, G[0]->Type, G[0]->Dev)};
  });
}

TensorRef slice(Runtime &R, const TensorRef &T, int64_t DimIndex, Dim Start,
                Dim Length, int64_t Step) {
  if (!T || R.failed())
    return nullptr;
  auto D = wrapDim(R, DimIndex, T->rank());
  if (!D)
    return nullptr;
  if (T->rank() == 0) {
    R.fail("slice() cannot be applied to a 0-dim tensor");
    return nullptr;
  }
  Record Rec(R, "SliceBackward0", {T});
  Shape From = T->Sizes, To = From;
  Strides S = knownStrides(T);
  To.Dims[*D] = Length;
  if (!S.empty() && Step > 0)
    S[*D] = (Bytes{S[*D]} * Step).Count;
  return Rec.result(rawView(R, T, To, S), [From](Runtime &R, Node &, Grads &G) {
    return Grads{zeros(R, From, G[0]->Type, G[0]->Dev)};
  });
}

TensorRef narrow(Runtime &R, const TensorRef &T, int64_t DimIndex, Dim Start,
                 Dim Length) {
  return slice(R, T, DimIndex, Start, Length, 1);
}

//===----------------------------------------------------------------------===//
// as_strided
//===----------------------------------------------------------------------===//

namespace {
/// The part of a geometry that counts: lengths of 1 and repeated ones left out.
struct Geometry {
  Strides Sizes, Steps;
  int64_t extent() const { // _min_storage_size
    Bytes Size{1};
    for (size_t I = 0; I < Sizes.size(); ++I)
      Size += Bytes{Sizes[I] - 1} * Steps[I];
    return Size.Count;
  }
  bool mayOverlap() const { // _maybe_overlapping_memory
    llvm::SmallVector<std::pair<int64_t, int64_t>, 4> Sorted;
    for (size_t I = 0; I < Sizes.size(); ++I)
      Sorted.push_back({Steps[I], Sizes[I]});
    llvm::sort(Sorted);
    Bytes Largest{0};
    for (auto [Step, Size] : Sorted) {
      if (Step <= Largest.Count)
        return true;
      Largest += Bytes{Step} * (Size - 1);
    }
    return false;
  }
};
} // namespace

TensorRef asStridedBackward(Runtime &R, TensorRef G, const Shape &From,
                            llvm::ArrayRef<int64_t> FromStrides,
                            llvm::ArrayRef<int64_t> Own) {
  if (!G || R.failed())
    return nullptr;
  if (!From.known() || !G->Sizes.known() || G->elements() == 0 ||
      From.elements() == 0 || Own.size() != G->rank())
    return zeros(R, From, G->Type, G->Dev);
  Geometry Out, In;
  for (unsigned I = G->rank(); I-- > 0;) {
    int64_t Size = G->size(I).Length;
    if (Size == 1) {
      G = squeeze(R, G, I);
    } else if (Own[I] == 0) {
      G = sum(R, G, {int64_t(I)}, false);
    } else {
      Out.Sizes.insert(Out.Sizes.begin(), Size);
      Out.Steps.insert(Out.Steps.begin(), Own[I]);
    }
  }
  for (unsigned I = 0; I < From.Dims.size(); ++I)
    if (From.Dims[I].Length != 1) {
      In.Sizes.push_back(From.Dims[I].Length);
      In.Steps.push_back(FromStrides[I]);
    }
  Shape Flat, Count;
  Flat.Dims = {Dim(std::max(In.extent(), Out.extent()))};
  Count.Dims = {Dim(G->elements())};
  TensorRef Memory = R.make(Flat, G->Type, G->Dev), Full;
  bool Overlaps = Out.mayOverlap(), FromOverlaps = In.mayOverlap();
  if (Overlaps || FromOverlaps)
    Full = R.make(Flat, DType::Int64, G->Dev);
  if (Overlaps) {
    TensorRef Chosen = R.make(Count, DType::Int64, G->Dev);
    reshape(R, G, Count);
  }
  if (FromOverlaps) { // Each place is divided by how often the input shows it.
    TensorRef Times = R.make(Flat, G->Type, G->Dev);
    Count.Dims = {Dim(From.elements())};
    TensorRef Chosen = R.make(Count, DType::Int64, G->Dev);
    TensorRef Ones = R.make(Shape(), G->Type, G->Dev);
  }
  return rawView(R, Memory, From, FromStrides);
}

NodeRef asStridedNode(Runtime &R, const TensorRef &Base, const TensorImpl &View) {
  NodeRef N(new Node);
  N->Name = "AsStridedBackward0";
  N->Sequence = R.NextSequence++;
  N->Stack = R.CurrentStack;
  if (!R.Modules.empty()) {
    const Runtime::ModuleScope &M = R.Modules.back();
    N->Module = M.Id;
    N->ModulePath = M.Path;
    N->ModuleClass = M.Class;
    N->BuiltinModule = M.Builtin;
  }
  N->Next.push_back(gradientEdge(Base));
  N->Outputs.push_back({View.Sizes, View.Type, View.Dev});
  Shape From = Base->Sizes;
  Strides FromStrides = From.known() ? Base->strides() : Strides();
  Strides Own = View.Sizes.known() ? View.strides() : Strides();
  N->Backward = [=](Runtime &R, Node &, Grads &G) {
    return Grads{asStridedBackward(R, G[0], From, FromStrides, Own)};
  };
  return N;
}

//===----------------------------------------------------------------------===//
// Layouts of gradients
//===----------------------------------------------------------------------===//

bool obeysLayout(const TensorImpl &Gradient, const TensorImpl &Leaf) {
  if (!Leaf.isDense())
    return Gradient.isContiguous();
  if (!Gradient.Sizes.known() || !Leaf.Sizes.known() ||
      Gradient.rank() != Leaf.rank())
    return Gradient.isContiguous() == Leaf.isContiguous();
  auto G = Gradient.strides(), L = Leaf.strides();
  for (unsigned I = 0; I < Gradient.rank(); ++I)
    // A length of 1 with a stride of 0 is seen as a view.
    if (Gradient.size(I).Length != 1 ? G[I] != L[I] : G[I] == 0)
      return false;
  return true;
}

TensorRef cloneLike(Runtime &R, const TensorRef &Gradient,
                    const TensorImpl &Leaf) {
  if (!Gradient)
    return nullptr;
  if (Leaf.isDense() && !Leaf.isContiguous())
    return R.make(Gradient->Sizes, Leaf.Strides, Gradient->Type, Gradient->Dev);
  return emptyContiguous(R, Gradient);
}

//===----------------------------------------------------------------------===//
// cat
//===----------------------------------------------------------------------===//

TensorRef cat(Runtime &R, llvm::ArrayRef<TensorRef> Ts, int64_t DimIndex) {
  if (Ts.empty() || R.failed()) {
    R.fail("expected a non-empty list of tensors");
    return nullptr;
  }
  auto IsSkipped = [](const TensorRef &T) {
    return T->rank() == 1 && T->size(0).Length == 0;
  };
  const TensorRef *Like = nullptr;
  for (const TensorRef &T : Ts) {
    if (!T)
      return nullptr;
    if (!Like && !IsSkipped(T))
      Like = &T;
  }
  Like = Like ? Like : &Ts[0];
  auto D = wrapDim(R, DimIndex, (*Like)->rank());
  if (!D)
    return nullptr;
  Record Rec(R, "CatBackward0", Ts);
  Shape S = (*Like)->Sizes;
  Dim Total(0);
  std::vector<Shape> Sizes;
  for (const TensorRef &T : Ts) {
    Sizes.push_back(T->Sizes);
    if (IsSkipped(T))
      continue;
    bool Same = T->rank() == S.Dims.size() && T->rank() > 0;
    for (unsigned I = 0; Same && I < T->rank(); ++I)
      Same &= I == *D || T->size(I) == S.Dims[I] || !T->size(I).known() ||
              !S.Dims[I].known();
    if (!Same) {
      R.fail("sizes of tensors must match except in dimension " +
             std::to_string(*D) + ": " + (*Like)->Sizes.str() + " and " +
             T->Sizes.str());
      return nullptr;
    }
    Total = Total + T->size(*D);
  }
  if (!S.Dims.empty())
    S.Dims[*D] = R.OpenList ? Dim() : Total;
  if (R.OpenList)
    S.Why = intern("how many tensors are in a list");
  int64_t Index = *D;
  DType Type = resultType(Ts);
  bool Last = S.Dims.size() == 4 && S.known();
  for (const TensorRef &T : Ts)
    Last &= T->rank() == 4 && !T->isContiguous() && T->Sizes.known() && T->Strides[1] == 1 &&
            T->isDense();
  TensorRef Out = R.make(S, Type, (*Like)->Dev);
  if (Last) {
    int64_t C = S.Dims[1].Length, W = S.Dims[3].Length;
    Out->Strides = {saturatingMul({C, S.Dims[2].Length, W}), 1, saturatingMul({C, W}), C};
  }
  for (const TensorRef &T : Ts)
    if (T->Type != Type && !T->onCuda())
      emptyLike(R, T); // While it is copied and cast.
  return Rec.result(Out,
                    [Sizes, Index](Runtime &R, Node &N, Grads &G) {
                      Grads Out(Sizes.size());
                      for (size_t I = 0; I < Sizes.size(); ++I)
                        if (N.needs(I) && Sizes[I].elements() != 0 && !Sizes[I].Dims.empty())
                          Out[I] = narrow(R, G[0], Index, Dim(0),
                                          Sizes[I].Dims[Index]);
                      return Out;
                    });
}

} // namespace vramlint::aten
