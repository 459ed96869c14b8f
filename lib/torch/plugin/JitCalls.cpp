//===- lib/torch/plugin/JitCalls.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// TorchScript: modules that come from an archive. Their weights are known where
// the archive is; what they compute never is.

#include "lib/torch/plugin/ArchiveStore.h"
#include "lib/torch/plugin/TorchDomain.h"

using namespace clang;

namespace vramlint {

/// An archive that lies here and can't be read is said once.
static void noteBroken(TorchDomain &D, Machine &M, const std::string &Name,
                       const std::string &Problem) {
  std::string What = "TorchScript archive '" + Name + "'";
  for (const UnknownNote &N : D.Out.Unknowns)
    if (N.What == What)
      return;
  D.Out.Unknowns.push_back({M.currentPos(), What, Problem, ""});
}

/// torch::jit::load(name, device, …)
static Operand loadModule(TorchDomain &D, Machine &M, CallSite &Site) {
  auto Mod = std::make_shared<JitModule>(D.R);
  ModuleInfo &Info = D.Out.Modules[Mod->Id];
  if (!Site.Args.empty() && Site.Args[0].value().isString())
    Info.Options = Site.Args[0].value().string();
  ArchiveStore *Store = D.Options.Archives.get();
  const KnownArchive *Archive = Store ? Store->find(Info.Options) : nullptr;
  if (Archive && Archive->Contents)
    Mod->load(*Archive->Contents, D.moveTarget(M, Site).Dev.value_or(Device()));
  else if (Store)
    Info.WeightsUnknown = Store->whyUnknown(Info.Options);
  if (Archive && !Archive->Contents)
    noteBroken(D, M, Info.Options, Archive->Problem);
  return Operand(Value(std::make_unique<JitModuleObject>(std::move(Mod))));
}

/// c10::IValue's methods, on what a TorchScript module gave.
static bool valueCall(TorchDomain &D, Machine &M, llvm::StringRef Name,
                      CallSite &Site, Operand &Result) {
  if (Name.starts_with("c10::IValue::to") && Site.Object) {
    Result = Site.Object->V.as<TensorObject>() || Name.ends_with("::toTensor")
                 ? Operand(D.tensorValue(D.tensorOf(M, Site.Object->V)))
                 : Operand(D.quiet(M, "a value from TorchScript"));
    return true;
  }
  if (Name.starts_with("c10::IValue::is")) {
    Result = Operand(D.quiet(M, "a value from TorchScript"));
    return true;
  }
  return false;
}

bool TorchDomain::jitCall(Machine &M, llvm::StringRef Name, CallSite &Site,
                          Operand &Result) {
  llvm::StringRef Method = Name.rsplit("::").second;
  if (Name == "torch::jit::load") {
    Result = loadModule(*this, M, Site);
    return true;
  }
  if (Name == "torch::jit::freeze" || Name == "torch::jit::optimize_for_inference") {
    Result = Operand(M.take(Site, 0));
    return true;
  }
  auto *J = Site.Object ? Site.Object->V.as<JitModuleObject>() : nullptr;
  if (!J)
    return valueCall(*this, M, Name, Site, Result);
  if (Method == "forward" || Method == "operator()" || Method == "run_method") {
    beganForward(J->M, Method, /*Jit=*/true, {});
    Args A;
    Operand Out(tensorValue(R.opaque("TorchScript module", A, "the result of a TorchScript module")));
    if (auto *T = Out.V.as<TensorObject>())
      T->T->FromJit = true;
    endedForward(M, Out);
    Result = std::move(Out);
    return true;
  }
  if (Method == "get_method") {
    Result = Operand(Value(std::make_unique<JitModuleObject>(J->M)));
    return true;
  }
  if (Method == "eval")
    J->M->train(false);
  else if (Method == "train")
    J->M->train(true);
  else if (Method == "to") {
    MoveTarget To = moveTarget(M, Site);
    J->M->to(To.Dev, To.Type);
  }
  Result = Site.Callee->getReturnType()->isVoidType()
               ? Operand(Value())
               : Operand(quiet(M, "a TorchScript module's " + Method));
  return true;
}

} // namespace vramlint
