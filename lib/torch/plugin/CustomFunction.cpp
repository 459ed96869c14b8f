//===- lib/torch/plugin/CustomFunction.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch::autograd::Function<T>: apply() runs T::forward without gradients and makes
// one node for it; the engine then runs T::backward, the user's code, at that node.

#include "lib/torch/plugin/TorchDomain.h"
// After the machine, which has a Record of its own.
#include "lib/torch/Rules.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace vramlint {

/// T of Function<T>::apply.
static const CXXRecordDecl *userFunction(const CallSite &Site) {
  auto *Method = dyn_cast<CXXMethodDecl>(Site.Callee);
  auto *Class = Method ? dyn_cast<ClassTemplateSpecializationDecl>(Method->getParent())
                       : nullptr;
  if (!Class || Class->getTemplateArgs().size() == 0 ||
      Class->getTemplateArgs()[0].getKind() != TemplateArgument::Type)
    return nullptr;
  return Class->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl();
}

static const CXXMethodDecl *methodOf(const CXXRecordDecl &D, llvm::StringRef Name) {
  for (const CXXMethodDecl *M : D.methods())
    if (M->getIdentifier() && M->getName() == Name && M->isStatic())
      return M;
  return nullptr;
}

/// Calls T's static \p Method with the context before \p Args.
static Operand callStatic(Machine &M, const CXXMethodDecl &Method, CellRef Context,
                          std::vector<Operand> Args) {
  CallSite Site;
  Site.Callee = &Method;
  Site.Args.push_back(Operand(Value(PointerValue{Context, nullptr, 0})));
  for (size_t I = 0; I < Args.size(); ++I) {
    bool ByReference = I + 1 < Method.getNumParams() &&
                       Method.getParamDecl(I + 1)->getType()->isReferenceType();
    if (ByReference && !Args[I].Place)
      Site.Args.push_back(Operand(makeCell(std::move(Args[I].V))));
    else if (!ByReference && Args[I].Place)
      Site.Args.push_back(Operand(M.copy(Args[I].Place->V)));
    else
      Site.Args.push_back(std::move(Args[I]));
  }
  return M.callFunction(Site);
}

static void collectTensors(const Value &V, std::vector<TensorRef> &Tensors) {
  if (auto *T = V.as<TensorObject>()) {
    if (T->T)
      Tensors.push_back(T->T);
  } else if (auto *S = V.as<Sequence>()) {
    for (const CellRef &C : S->Elements)
      collectTensors(C->V, Tensors);
  }
}

namespace {

/// What a custom node needs to run the user's backward.
struct CustomBackward {
  TorchDomain *D;
  Machine *M;
  const CXXMethodDecl *Method; ///< T::backward, or null.
  CellRef Context;
  std::vector<size_t> Positions; ///< Of the tensors among forward's arguments.
  std::vector<Shape> Sizes;      ///< Theirs.

  Grads operator()(Runtime &R, Node &N, Grads &G) const;
};

} // namespace

Grads CustomBackward::operator()(Runtime &R, Node &N, Grads &G) const {
  Grads Result(Positions.size());
  auto *C = Context->V.as<FunctionContext>();
  for (size_t I = 0; C && I < C->Saved.size() && I < N.Saved.size(); ++I)
    C->Saved[I] = N.saved(I);
  auto List = std::make_unique<Sequence>(Sequence::Vector);
  for (const TensorRef &T : G)
    List->Elements.push_back(makeCell(D->tensorValue(T)));
  std::vector<Operand> Args;
  Args.emplace_back(Value(std::move(List)));
  Operand Given = Method ? callStatic(*M, *Method, Context, std::move(Args)) : Operand();
  auto *Tensors = Given.value().as<Sequence>();
  for (size_t I = 0; I < Positions.size(); ++I) {
    if (!N.needs(I))
      continue;
    if (Tensors && Positions[I] < Tensors->Elements.size())
      Result[I] = D->tensorOf(*M, Tensors->Elements[Positions[I]]->V);
    else if (!G.empty() && G[0]) // Not followed: a gradient all the same.
      Result[I] = R.make(Sizes[I], G[0]->Type, G[0]->Dev);
  }
  return Result;
}

/// Gives the results of a forward their node.
static void record(TorchDomain &D, Machine &M, CustomBackward Back,
                   llvm::ArrayRef<TensorRef> Inputs, Operand &Result) {
  std::vector<TensorRef> Outputs;
  collectTensors(Result.value(), Outputs);
  recording::Record Rec(D.R, "CppFunction", Inputs);
  if (!Rec || Outputs.empty())
    return;
  if (auto *C = Back.Context->V.as<FunctionContext>())
    for (const TensorRef &T : C->Saved)
      Rec.save(T);
  for (const TensorRef &T : Outputs)
    if (!T->needsGrad())
      Rec.output(T);
  Rec.backward(std::move(Back));
}

static Operand apply(TorchDomain &D, Machine &M, const CXXRecordDecl &T,
                     CallSite &Site) {
  const CXXMethodDecl *Forward = methodOf(T, "forward");
  if (!Forward)
    return Operand(M.unknown("no static forward in " + T.getName()));
  CustomBackward Back{&D, &M, methodOf(T, "backward"),
                      makeCell(Value(std::make_unique<FunctionContext>())), {}, {}};
  std::vector<TensorRef> Inputs;
  std::vector<Operand> Args;
  for (size_t I = 0; I < Site.Args.size(); ++I) {
    if (auto *X = Site.Args[I].value().as<TensorObject>(); X && X->T) {
      Inputs.push_back(X->T);
      Back.Positions.push_back(I);
      Back.Sizes.push_back(X->T->Sizes);
    }
    Args.push_back(Site.Args[I].Place ? Operand(Site.Args[I].Place)
                                      : std::move(Site.Args[I]));
  }
  bool GradMode = D.R.GradMode;
  D.R.GradMode = false;
  Operand Result = callStatic(M, *Forward, Back.Context, std::move(Args));
  D.R.GradMode = GradMode;
  if (!M.unwinding() && D.R.recording())
    record(D, M, std::move(Back), Inputs, Result);
  return Result;
}

bool TorchDomain::customFunctionCall(Machine &M, llvm::StringRef Name, CallSite &Site,
                                     Operand &Result) {
  if (Name == "torch::autograd::Function::apply") {
    const CXXRecordDecl *T = userFunction(Site);
    if (!T)
      return false;
    Result = apply(*this, M, *T, Site);
    return true;
  }
  if (!Name.consume_front("torch::autograd::AutogradContext::") || !Site.Object)
    return false;
  auto *Context = Site.Object->V.as<FunctionContext>();
  if (!Context)
    return false;
  if (Name == "save_for_backward" && Site.Args.size() == 1) {
    Context->Saved.clear();
    collectTensors(Site.Args[0].value(), Context->Saved);
    Result = Operand(Value());
  } else if (Name == "get_saved_variables") {
    auto List = std::make_unique<Sequence>(Sequence::Vector);
    for (const TensorRef &T : Context->Saved)
      List->Elements.push_back(makeCell(tensorValue(T)));
    Result = Operand(Value(std::move(List)));
  } else { // mark_dirty, set_materialize_grads …
    Result = Operand(Value());
  }
  return true;
}

} // namespace vramlint
