//===- lib/torch/Trace.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Tables of the trace, and its printed form.

#include "lib/torch/Trace.h"

#include "llvm/ADT/StringExtras.h"

namespace vramlint {

llvm::StringRef categoryName(Category C) {
  switch (C) {
  case Category::Parameter:
    return "parameters";
  case Category::Buffer:
    return "buffers";
  case Category::Gradient:
    return "gradients";
  case Category::OptimizerState:
    return "optimizer state";
  case Category::Activation:
    return "activations";
  case Category::Temporary:
    return "temporaries";
  case Category::Input:
    return "inputs";
  case Category::Workspace:
    return "workspaces";
  }
  return "?";
}

StackId Trace::addStack(std::vector<Frame> Frames) {
  // The newest stacks repeat most: a short look back keeps the table small.
  const size_t LookBackMax = 8;
  for (size_t I = Stacks.size(), N = 0; I-- && N < LookBackMax; ++N)
    if (Stacks[I] == Frames)
      return StackId(I);
  Stacks.push_back(std::move(Frames));
  return StackId(Stacks.size() - 1);
}

SourcePos Trace::posOf(StackId Id) const {
  if (Id >= Stacks.size() || Stacks[Id].empty())
    return {};
  return Stacks[Id].back().Pos;
}

static llvm::StringRef phaseName(int64_t P) {
  switch (Phase(P)) {
  case Phase::Other:
    return "other";
  case Phase::Forward:
    return "forward";
  case Phase::Backward:
    return "backward";
  case Phase::OptimizerStep:
    return "optimizer step";
  }
  return "?";
}

static void printTensor(const TensorDesc &T, llvm::raw_ostream &OS) {
  if (!T.ShapeKnown)
    OS << "?";
  else if (T.Shape.empty())
    OS << "scalar";
  for (size_t I = 0; T.ShapeKnown && I < T.Shape.size(); ++I) {
    OS << (I ? "x" : "");
    if (T.Shape[I] < 0)
      OS << "?";
    else
      OS << T.Shape[I];
  }
  OS << " " << T.DType;
  if (T.Device == DeviceKind::CUDA)
    OS << " cuda";
  if (T.RequiresGrad)
    OS << " grad";
}

static void printStorage(const Trace &T, uint32_t Id, llvm::raw_ostream &OS) {
  if (Id >= T.Storages.size()) {
    OS << " #?";
    return;
  }
  const StorageInfo &S = T.Storages[Id];
  OS << " #" << Id << " ";
  if (S.SizeKnown)
    OS << S.SizeBytes << " B";
  else
    OS << "? B";
  OS << " " << categoryName(S.Cat);
  if (S.Device == DeviceKind::CUDA)
    OS << " cuda";
  if (!S.Op.empty())
    OS << " " << S.Op;
  if (!S.ModulePath.empty())
    OS << " in " << S.ModulePath;
}

static void printOp(const OpRecord &Op, llvm::raw_ostream &OS) {
  OS << " " << Op.Name << "(";
  for (size_t I = 0; I < Op.Inputs.size(); ++I) {
    OS << (I ? ", " : "");
    printTensor(Op.Inputs[I], OS);
  }
  OS << ") -> ";
  for (size_t I = 0; I < Op.Outputs.size(); ++I) {
    OS << (I ? ", " : "");
    printTensor(Op.Outputs[I], OS);
  }
  if (!Op.ModulePath.empty())
    OS << " in " << Op.ModulePath;
  if (Op.ScratchBytesMax > 0)
    OS << ", scratch up to " << Op.ScratchBytesMax << " B";
}

static void printEvent(const Trace &T, const Event &E, llvm::raw_ostream &OS) {
  switch (E.Kind) {
  case EventKind::Alloc:
    OS << "alloc";
    return printStorage(T, E.Id, OS);
  case EventKind::Free:
    OS << "free";
    return printStorage(T, E.Id, OS);
  case EventKind::Save:
    OS << "save";
    return printStorage(T, E.Id, OS);
  case EventKind::Unsave:
    OS << "unsave";
    return printStorage(T, E.Id, OS);
  case EventKind::Recategorize:
    OS << "now " << categoryName(Category(E.Value)) << ":";
    return printStorage(T, E.Id, OS);
  case EventKind::Copy:
    OS << "copy to";
    return printStorage(T, E.Id, OS);
  case EventKind::OpBegin:
    OS << "op";
    if (E.Id < T.Ops.size())
      printOp(T.Ops[E.Id], OS);
    return;
  case EventKind::OpEnd:
    OS << "op end";
    return;
  case EventKind::PhaseBegin:
    OS << "begin " << phaseName(E.Value);
    return;
  case EventKind::PhaseEnd:
    OS << "end " << phaseName(E.Value);
    return;
  case EventKind::StatementEnd:
    OS << "statement end";
    return;
  case EventKind::LoopIteration:
    OS << "loop " << E.Id << " iteration " << E.Value;
    return;
  case EventKind::LoopJump:
    OS << "loop " << E.Id << " jumps " << E.Value;
    return;
  case EventKind::LoopEnd:
    OS << "loop " << E.Id << " end";
    return;
  }
}

void printTrace(const Trace &T, llvm::raw_ostream &OS) {
  OS << "entry " << (T.Entry.empty() ? "none" : T.Entry)
     << (T.Complete ? "" : " (incomplete)") << "\n";
  for (size_t I = 0; I < T.Modules.size(); ++I) {
    const ModuleInfo &M = T.Modules[I];
    OS << "module " << I << " " << M.Class;
    for (const ParameterInfo &P : M.Parameters) {
      OS << " " << P.Name << ":";
      printTensor(P.Tensor, OS);
    }
    for (const ParameterInfo &B : M.Buffers) {
      OS << " " << B.Name << ":";
      printTensor(B.Tensor, OS);
      OS << " buffer";
    }
    for (const auto &C : M.Children)
      OS << " " << C.Name << "=" << C.Id;
    OS << "\n";
  }
  StackId Last = None;
  for (const Event &E : T.Events) {
    SourcePos P = T.posOf(E.Stack);
    if (E.Stack != Last && P.isValid())
      OS << P.str() << "\n";
    Last = E.Stack;
    OS << "  ";
    printEvent(T, E, OS);
    OS << "\n";
  }
  for (const Failure &F : T.Failures)
    OS << "failure " << T.posOf(F.Stack).str() << " " << F.Op << ": "
       << F.Message << "\n";
  for (const Reveal &R : T.Reveals)
    OS << "reveal " << T.posOf(R.Stack).str() << " " << R.Text << "\n";
  for (const UnknownNote &U : T.Unknowns)
    OS << "unknown " << U.Pos.str() << " " << U.What << ": " << U.Why << "\n";
  for (const Assumption &A : T.Assumptions)
    OS << "assume " << A.What << " = " << A.Value << " (" << A.From << ")\n";
}

} // namespace vramlint
