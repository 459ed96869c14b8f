//===- lib/torch/plugin/ModuleCalls.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch::nn: built-in modules, registries, containers, and the scopes of the
// user's modules.

#include "lib/interp/stdlib/Native.h"
#include "lib/torch/plugin/TorchDomain.h"

using namespace clang;

namespace vramlint {

// --- Handles --------------------------------------------------------------------

TorchDomain::Handle TorchDomain::moduleAt(Machine &M, CellRef C) {
  if (!C)
    return Handle();
  CellRef Whole(&C->complete());
  CellRef Part = M.findSubobject(
      Whole, [](const Value &V) { return V.as<ModuleObject>() != nullptr; });
  if (!Part)
    return Handle();
  Handle H;
  H.M = Part->V.as<ModuleObject>()->M;
  Places[H.M.get()] = Part;
  H.Place = Whole;
  H.Own = Whole->OwnedBy.lock();
  return H;
}

TorchDomain::Handle TorchDomain::moduleOf(Machine &M, const Value &V) {
  if (auto *P = V.as<SmartPtr>()) {
    Handle H = moduleAt(M, P->Target);
    if (H && P->Strong)
      H.Own = P->Strong;
    return H;
  }
  if (V.isPointer())
    return moduleAt(M, V.pointer().Target);
  if (auto *A = V.as<AnyModuleObject>())
    return moduleOf(M, A->Handle);
  if (auto *O = V.as<ModuleObject>())
    return {O->M, nullptr, nullptr};
  auto *Rec = V.as<Record>();
  if (!Rec)
    return Handle();
  if (Rec->Self)
    if (Handle H = moduleAt(M, CellRef(Rec->Self)))
      return H;
  // A holder: its impl_ is the pointer.
  for (const CellRef &B : Rec->Bases)
    if (Handle H = moduleOf(M, B->V))
      return H;
  for (const CellRef &F : Rec->Fields)
    if (F && F->V.as<SmartPtr>() && M.nameOf(*Rec->Decl).starts_with("torch::nn::ModuleHolder"))
      return moduleOf(M, F->V);
  return Handle();
}

/// A shared_ptr to the module that \p Own owns.
Value TorchDomain::handleValue(const std::shared_ptr<HeapOwner> &Own) {
  auto P = std::make_unique<SmartPtr>(SmartPtr::Shared);
  P->Strong = Own;
  P->Target = Own ? Own->Pointee : nullptr;
  return Value(std::move(P));
}

/// The path of \p Mod in its model: "layer1.0.conv1". A module that is in no
/// registry is named by its class below the one whose forward runs.
std::string TorchDomain::pathOf(const Module &Mod) {
  std::string Path = Mod.path();
  if (!Path.empty() || R.Modules.empty())
    return Path;
  const Runtime::ModuleScope &Scope = R.Modules.back();
  if (Scope.Id == Mod.Id)
    return Scope.Path.str();
  return Scope.Path.empty() ? Mod.ClassName : (Scope.Path + "." + Mod.ClassName).str();
}

// --- The user's modules ---------------------------------------------------------

/// After a constructor of a module class: its name and place, and how its
/// forward is run when a container calls it.
void TorchDomain::adopt(Machine &M, const CXXConstructorDecl &C, CellRef Object) {
  CellRef Part = M.findSubobject(
      Object, [](const Value &V) { return V.as<ModuleObject>() != nullptr; });
  if (!Part)
    return;
  ModuleRef Mod = Part->V.as<ModuleObject>()->M;
  if (Mod->Builtin && Object == Part)
    return;
  Mod->ClassName = withoutImpl(C.getParent()->getName()).str();
  Places[Mod.get()] = Part;
  ModuleInfo &Info = Out.Modules[Mod->Id];
  Info.Class = intern(Mod->ClassName);
  Info.Builtin = false;
  Mod->Builtin = false;
  Info.ClassPos = M.posOf(C.getParent()->getLocation());
  Machine *Runner = &M;
  Mod->UserForward = [this, Runner](Module &Self, Args &A) {
    auto It = Places.find(&Self);
    if (It == Places.end())
      return OpResult::notModelled("a module that is gone");
    CellRef Whole(&It->second->complete());
    llvm::SmallVector<Operand, 4> Operands;
    for (auto &[Name, X] : A.List)
      if (Name != "self")
        Operands.push_back(Operand(toValue(*Runner, X, QualType())));
    A.List.clear(); // A parameter by value is the last owner.
    Operand Res = Runner->callMethod(Whole, "forward", Operands);
    return OpResult::one(toArg(*Runner, Res.value(), QualType()));
  };
  Mod->describe();
}

static bool constructsModule(Machine &M, const FunctionDecl &F) {
  auto *C = dyn_cast<CXXConstructorDecl>(&F);
  return C && derivesFrom(M, *C->getParent(), "torch::nn::Module");
}

void TorchDomain::enter(Machine &M, const FunctionDecl &F, CellRef Object) {
  bool Scope = false;
  auto *Method = dyn_cast<CXXMethodDecl>(&F);
  if (Object && Method && !isa<CXXConstructorDecl, CXXDestructorDecl>(&F) &&
      !Method->getParent()->isLambda()) {
    if (Handle H = moduleAt(M, Object); H && !H.M->Builtin) {
      if (Open.empty() && R.Modules.empty())
        beganForward(H.M, F.getDeclName().isIdentifier() ? F.getName() : "operator()",
                     /*Jit=*/false, M.params());
      std::string Path = pathOf(*H.M);
      R.Modules.push_back({intern(Path), intern(H.M->ClassName), false, H.M->Id});
      Scope = true;
    }
  }
  Entered.push_back(Scope);
  R.Constructing += constructsModule(M, F);
}

void TorchDomain::leave(Machine &M, const FunctionDecl &F, CellRef Object,
                        Operand &Result) {
  if (auto *C = dyn_cast<CXXConstructorDecl>(&F); C && Object)
    adopt(M, *C, Object);
  R.Constructing -= constructsModule(M, F);
  bool Scope = Entered.back();
  Entered.pop_back();
  if (Scope) {
    R.Modules.pop_back();
    if (!Open.empty() && R.Modules.size() == Open.back().Depth)
      endedForward(M, Result);
  }
}

// --- Built-in modules -----------------------------------------------------------

/// The options class that \p Impl is made from: the parameter of its constructor
/// from options.
static QualType optionsType(Machine &M, const CXXRecordDecl &Impl) {
  for (const CXXConstructorDecl *C : Impl.ctors()) {
    if (C->getNumParams() < 1 || C->isCopyOrMoveConstructor())
      continue;
    QualType T = C->getParamDecl(0)->getType().getNonReferenceType().getUnqualifiedType();
    auto *R = T->getAsCXXRecordDecl();
    if (R && R->getName().ends_with("Options"))
      return T;
  }
  return QualType();
}

/// The options of a built-in module from its constructor's arguments.
static OptionMap builtinOptions(TorchDomain &D, Machine &M, CallSite &Site) {
  auto *Ctor = cast<CXXConstructorDecl>(Site.Callee);
  // MaxPool2dImpl has its base's constructors, whose parameters have the names.
  if (const CXXConstructorDecl *Base = Ctor->getInheritedConstructor().getConstructor())
    Ctor = Base;
  QualType Type = optionsType(M, *Ctor->getParent());
  if (Site.Args.size() == 1)
    if (auto *R = Site.Args[0].value().as<Record>();
        R && R->Decl->getName().ends_with("Options"))
      return D.toOptions(M, Site.Args[0].value());
  OptionMap Map;
  if (!Type.isNull()) {
    llvm::SmallVector<QualType, 4> Types;
    llvm::SmallVector<Operand, 4> Operands;
    for (size_t I = 0; I < Site.Args.size(); ++I) {
      QualType T = I < Ctor->getNumParams() ? Ctor->getParamDecl(I)->getType()
                                            : QualType();
      Types.push_back(T);
      Operands.push_back(Site.Args[I].Place ? Operand(Site.Args[I].Place)
                                            : Operand(M.copy(Site.Args[I].V)));
    }
    Value Options = M.construct(Type, Operands, Types);
    if (Options.as<Record>())
      return D.toOptions(M, Options);
  }
  for (size_t I = 0; I < Site.Args.size() && I < Ctor->getNumParams(); ++I)
    Map[Ctor->getParamDecl(I)->getName().str()] =
        D.toArg(M, Site.Args[I].value(), Ctor->getParamDecl(I)->getType());
  return Map;
}

/// Is \p V a holder made with nullptr and never filled?
static bool isEmptyHolder(Machine &M, const Value &V) {
  auto *Rec = V.as<Record>();
  if (!Rec)
    return false;
  if (M.nameOf(*Rec->Decl).starts_with("torch::nn::ModuleHolder"))
    return llvm::any_of(Rec->Fields, [](const CellRef &F) {
      auto *P = F ? F->V.as<SmartPtr>() : nullptr;
      return P && !P->Target && !P->Strong;
    });
  return llvm::any_of(Rec->Bases,
                      [&](const CellRef &B) { return B && isEmptyHolder(M, B->V); });
}

static void pushChild(TorchDomain &D, Machine &M, Module &Parent,
                      const Value &V, std::string Name) {
  if (auto *A = V.as<AnyModuleObject>()) {
    if (!A->Name.empty())
      Name = A->Name;
  } else if (auto *S = V.as<Sequence>(); S && S->Tag != Sequence::Optional) {
    for (const CellRef &C : S->Elements) { // Lists, pairs of name and module.
      if (S->Tag == Sequence::Pair) {
        if (S->Elements[0]->V.isString())
          Name = S->Elements[0]->V.string();
        return pushChild(D, M, Parent, S->Elements[1]->V, Name);
      }
      pushChild(D, M, Parent, C->V, std::to_string(Parent.Children.size()));
    }
    return;
  }
  auto H = D.moduleOf(M, V);
  if (H && !H.Own && H.Place && V.as<Record>()) {
    // A module by value: the container makes a shared copy.
    CellRef C = makeCell(M.copy(V));
    H.Own = std::make_shared<HeapOwner>(C);
    D.moduleAt(M, C); // From now on it is there.
  }
  if (!H && isEmptyHolder(M, V))
    return D.failure(M, "push_back", "Accessing empty ModuleHolder", FailureKind::Other);
  if (!H) {
    M.unknown("a module in " + Parent.ClassName + " that is not known");
    return;
  }
  Parent.registerModule(Name, H.M, std::static_pointer_cast<void>(H.Own));
}

/// AnyModule(module), NamedAnyModule("name", module).
static Value anyModule(TorchDomain &D, Machine &M, CallSite &Site) {
  auto A = std::make_unique<AnyModuleObject>();
  for (size_t I = 0; I < Site.Args.size(); ++I) {
    Value &V = Site.Args[I].value();
    if (V.isString())
      A->Name = V.string();
    else if (auto *Inner = V.as<AnyModuleObject>())
      A->Handle = M.copy(Inner->Handle);
    else if (TorchDomain::Handle H = D.moduleOf(M, V)) {
      if (!H.Own)
        H.Own = std::make_shared<HeapOwner>(makeCell(M.copy(V)));
      A->Handle = D.handleValue(H.Own);
    }
  }
  return Value(std::move(A));
}

bool TorchDomain::constructModule(Machine &M, llvm::StringRef Class,
                                  CallSite &Site, Value &Result) {
  if (!Class.starts_with("torch::nn::"))
    return false;
  llvm::StringRef Name = Class.substr(11);
  if (Name == "Module" || Name == "Cloneable") {
    auto Mod = std::make_shared<Module>(R, "Module");
    Result = Value(std::make_unique<ModuleObject>(std::move(Mod)));
    return true;
  }
  if (Name == "AnyModule" || Name == "NamedAnyModule") {
    Result = anyModule(*this, M, Site);
    return true;
  }
  if (Name == "Sequential" || Name == "ModuleDict") {
    // Holders with constructors of their own: make an empty one, then fill it.
    auto *Ctor = dyn_cast_or_null<CXXConstructorDecl>(Site.Callee);
    if (!Ctor || Ctor->isInheritingConstructor())
      return false;
    CellRef C = makeCell(M.defaultRecord(*Ctor->getParent()));
    if (Handle H = moduleOf(M, C->V))
      for (Operand &A : Site.Args)
        pushChild(*this, M, *H.M, A.value(), std::to_string(H.M->Children.size()));
    Result = C->take();
    return true;
  }
  if (!Name.ends_with("Impl"))
    return false;
  bool Container = Name == "SequentialImpl" || Name == "ModuleListImpl" ||
                   Name == "ModuleDictImpl";
  OptionMap Map;
  if (Name == "FunctionalImpl") {
    // Runs whatever it is given.
  } else if (!Container) {
    Map = builtinOptions(*this, M, Site);
  }
  std::string Why;
  ModuleRef Mod = makeBuiltinModule(R, Name.drop_back(4), Map, Why);
  if (!Mod) {
    M.unknown(Name.drop_back(4) + ": " + Why);
    Mod = std::make_shared<Module>(R, Name.drop_back(4));
  }
  if (Container)
    for (Operand &A : Site.Args)
      pushChild(*this, M, *Mod, A.value(), std::to_string(Mod->Children.size()));
  auto Object = std::make_unique<ModuleObject>(Mod);
  if (Name == "FunctionalImpl" && !Site.Args.empty()) {
    CellRef Callable = makeCell(M.take(Site, 0));
    Object->Members["function"] = Callable;
    Machine *Runner = &M;
    Mod->UserForward = [this, Runner, Callable](Module &, const Args &A) {
      llvm::SmallVector<Operand, 4> Operands;
      for (auto &[N, X] : A.List)
        Operands.push_back(Operand(makeCell(toValue(*Runner, X, QualType()))));
      Operand Res = Runner->callCallable(Callable->V, Operands);
      return OpResult::one(toArg(*Runner, Res.value(), QualType()));
    };
  }
  Mod->describe();
  Result = Value(std::move(Object));
  return true;
}

Operand TorchDomain::callForward(Machine &M, Handle &H, CallSite &Site, bool Own) {
  bool TopLevel = Open.empty() && R.Modules.empty();
  llvm::SmallVector<CellRef, 2> Inputs;
  for (Operand &A : Site.Args)
    if (A.Place)
      Inputs.push_back(A.Place);
  if (TopLevel)
    beganForward(H.M, "forward", false, Inputs);
  Args A;
  // A temporary, or what std::move gives, is moved into a Sequential's first step.
  auto *Method = dyn_cast<CXXMethodDecl>(Site.Callee);
  llvm::StringRef Class = Method ? M.nameOf(*Method->getParent()) : "";
  bool Takes = (H.M->Builtin && (H.M->ClassName == "Sequential" ||
                                 H.M->ClassName == "AnyModule")) ||
               Class == "torch::nn::SequentialImpl";
  for (size_t I = 0; I < Site.Args.size(); ++I) {
    QualType T = I < Site.Callee->getNumParams()
                     ? Site.Callee->getParamDecl(I)->getType()
                     : QualType();
    Value Taken;
    if (Takes && !T.isNull() && T->isRValueReferenceType())
      Taken = M.take(Site, I);
    std::string Name = I < Site.Callee->getNumParams()
                           ? Site.Callee->getParamDecl(I)->getName().str()
                           : "";
    A.add(Name.empty() ? "input" + std::to_string(I) : Name,
          toArg(M, Taken.isVoid() ? Site.Args[I].value() : Taken, T));
  }
  // Of a class derived from a built-in one, LibTorch's forward.
  std::function<OpResult(Module &, Args &)> Derived;
  if (Own)
    std::swap(Derived, H.M->UserForward);
  ModuleRef Alive = H.M;
  OpResult Res = Takes ? Alive->callForward(std::move(A)) : Alive->callForward(A);
  if (Own)
    std::swap(Derived, Alive->UserForward);
  Operand Result;
  if (Res.Kind == OpResult::Failed) {
    if (!M.unwinding())
      failure(M, H.M->ClassName, Res);
    Result = Operand(quiet(M, Res.Message));
  } else if (Res.Kind == OpResult::NotModelled) {
    Value U = M.unknown(Res.Message);
    Result = Operand(tensorValue(R.opaque(H.M->ClassName, A, intern(Res.Message))));
  } else {
    Result = fromResult(M, Res, Site);
  }
  if (TopLevel)
    endedForward(M, Result);
  return Result;
}

// --- Methods of modules -----------------------------------------------------------

static Value tensorList(TorchDomain &D,
                        const std::vector<std::pair<std::string, TensorRef>> &List,
                        bool Named) {
  auto S = std::make_unique<Sequence>(Sequence::Vector);
  for (auto &[Name, T] : List) {
    if (!Named) {
      S->Elements.push_back(makeCell(D.tensorValue(T)));
      continue;
    }
    auto P = std::make_unique<Sequence>(Sequence::Pair);
    P->Elements.push_back(makeCell(Value(Name)));
    P->Elements.push_back(makeCell(D.tensorValue(T)));
    S->Elements.push_back(makeCell(Value(std::move(P))));
  }
  return Value(std::move(S));
}

static Value moduleList(TorchDomain &D, Module &Of, bool Named, bool Deep,
                        std::string Prefix = "") {
  auto S = std::make_unique<Sequence>(Sequence::Vector);
  std::function<void(Module &, std::string)> Walk = [&](Module &At, std::string Path) {
    for (Module::Child &C : At.Children) {
      std::string Name = Path.empty() ? C.Name : Path + "." + C.Name;
      Value H = D.handleValue(std::static_pointer_cast<HeapOwner>(C.Owner));
      if (Named) {
        auto P = std::make_unique<Sequence>(Sequence::Pair);
        P->Elements.push_back(makeCell(Value(Name)));
        P->Elements.push_back(makeCell(std::move(H)));
        H = Value(std::move(P));
      }
      S->Elements.push_back(makeCell(std::move(H)));
      if (Deep)
        Walk(*C.M, Name);
    }
  };
  Walk(Of, std::move(Prefix));
  return Value(std::move(S));
}

/// register_module, register_parameter, register_buffer and relatives.
static bool registration(TorchDomain &D, Machine &M, llvm::StringRef Method,
                         TorchDomain::Handle &H, CallSite &Site,
                         Operand &Result) {
  auto Name = [&]() -> std::string {
    if (auto Text = stdlib::textOf(Site.Args[0].value()))
      return *Text;
    // Names that are not known are not all the same.
    size_t N = H.M->Children.size() + H.M->Parameters.size() + H.M->Buffers.size();
    return N ? "?" + std::to_string(N + 1) : "?";
  };
  if (Method == "register_module" || Method == "replace_module") {
    if (Site.Args.size() < 2)
      return false;
    auto Sub = D.moduleOf(M, Site.Args[1].value());
    if (Sub && !Sub.Own && Sub.Place)
      Sub.Own = Sub.Place->OwnedBy.lock();
    if (Sub)
      H.M->registerModule(Name(), Sub.M, std::static_pointer_cast<void>(Sub.Own));
    else
      M.unknown("the module registered as " + Name());
    if (Sub && Sub.Own)
      Result = Operand(D.handleValue(Sub.Own));
    else
      Result = Operand(M.take(Site, 1));
    return true;
  }
  if (Method == "register_parameter" || Method == "register_buffer") {
    if (Site.Args.size() < 2)
      return false;
    TensorRef T = D.tensorOf(M, Site.Args[1].value());
    bool Grad = Site.Args.size() < 3 ||
                M.truth(Site.Args[2].value()).value_or(true);
    TensorRef Kept = Method == "register_buffer"
                         ? H.M->registerBuffer(Name(), T)
                         : H.M->registerParameter(Name(), T, Grad);
    Result = Operand(makeCell(D.tensorValue(Kept)));
    return true;
  }
  return false;
}

TorchDomain::MoveTarget TorchDomain::moveTarget(Machine &M, CallSite &Site) {
  MoveTarget To;
  Args A = bind(M, Site);
  for (auto &[Name, X] : A.List) {
    if (auto *T = std::get_if<DType>(&X.V))
      To.Type = *T;
    if (auto *D = std::get_if<Device>(&X.V))
      To.Dev = *D;
  }
  return To;
}

/// modules() and named_modules() begin with the module itself.
static void addSelf(TorchDomain &D, Machine &M, TorchDomain::Handle &H,
                    CallSite &Site, bool Named, Value &List) {
  unsigned Flag = Named ? 1 : 0;
  if (Flag < Site.Args.size() &&
      !M.truth(Site.Args[Flag].value()).value_or(true))
    return;
  if (!H.Own)
    return D.failure(M, "modules", "modules() with the module itself needs a shared_ptr to it: "
                                   "there is none in its constructor or for an object on the stack");
  Value Self = D.handleValue(H.Own);
  if (Named) {
    auto P = std::make_unique<Sequence>(Sequence::Pair);
    bool Prefix = !Site.Args.empty() && Site.Args[0].value().isString();
    P->Elements.push_back(makeCell(Value(Prefix ? Site.Args[0].value().string() : std::string())));
    P->Elements.push_back(makeCell(std::move(Self)));
    Self = Value(std::move(P));
  }
  auto &Elements = List.as<Sequence>()->Elements;
  Elements.insert(Elements.begin(), makeCell(std::move(Self)));
}

/// Module::apply: the module, then all below it.
static void applyTo(TorchDomain &D, Machine &M, TorchDomain::Handle &H, Value &Fn) {
  if (H.Place) {
    Operand Self(H.Place);
    M.callCallable(Fn, Self);
  }
  Value List = moduleList(D, *H.M, false, true);
  for (CellRef &C : List.as<Sequence>()->Elements) {
    auto *P = C->V.as<SmartPtr>();
    if (!P || !P->Target)
      continue;
    Operand Arg(P->Target);
    M.callCallable(Fn, Arg);
  }
}

/// What any module can do: lists, modes, moves.
static bool commonCall(TorchDomain &D, Machine &M, llvm::StringRef Method,
                       TorchDomain::Handle &H, CallSite &Site, Operand &Result) {
  auto Flag = [&](unsigned I, bool Default) {
    return I < Site.Args.size() ? M.truth(Site.Args[I].value()).value_or(Default)
                                : Default;
  };
  if (Method == "parameters" || Method == "named_parameters") {
    Result = Operand(tensorList(D, H.M->parameters(Flag(0, true)),
                                Method == "named_parameters"));
  } else if (Method == "buffers" || Method == "named_buffers") {
    Result = Operand(tensorList(D, H.M->buffers(Flag(0, true)),
                                Method == "named_buffers"));
  } else if (Method == "children" || Method == "named_children" ||
             Method == "modules" || Method == "named_modules") {
    bool Named = Method.starts_with("named"), Deep = Method.ends_with("modules");
    std::string Prefix;
    if (Named && Deep && !Site.Args.empty() && Site.Args[0].value().isString())
      Prefix = Site.Args[0].value().string();
    Value List = moduleList(D, *H.M, Named, Deep, Prefix);
    if (Deep)
      addSelf(D, M, H, Site, Named, List);
    Result = Operand(std::move(List));
  } else if (Method == "train") {
    H.M->train(Flag(0, true));
  } else if (Method == "eval") {
    H.M->train(false);
  } else if (Method == "is_training") {
    Result = Operand(Value::integer(H.M->Training));
  } else if (Method == "to") {
    TorchDomain::MoveTarget To = D.moveTarget(M, Site);
    H.M->to(To.Dev, To.Type);
  } else if (Method == "cuda" || Method == "cpu") {
    H.M->to(Device{Method == "cuda" ? DeviceKind::CUDA : DeviceKind::CPU, 0}, std::nullopt);
  } else if (Method == "zero_grad") {
    std::optional<bool> None;
    if (!Site.Args.empty())
      None = M.truth(Site.Args[0].value());
    H.M->zeroGrad(None.value_or(D.R.Config.atLeast(2, 0)));
  } else if (Method == "name") {
    Result = Operand(Value(H.M->ClassName));
  } else if (Method == "shared_from_this" || Method == "ptr") {
    Result = Operand(H.Own ? D.handleValue(H.Own) : D.quiet(M, "a module without owner"));
  } else if (Method == "load" || Method == "save") {
    if (Method == "load")
      H.M->loaded();
  } else if (Method == "pretty_print" || Method == "reset_parameters" ||
             Method == "unregister_module") {
    Result = Operand(Value());
  } else if (Method == "as") {
    bool Is = M.isA(H.Place, Site.Callee->getReturnType()->getPointeeType());
    Result = Operand(Value(Is ? PointerValue{H.Place, nullptr, 0} : PointerValue{}));
  } else if (Method == "apply") {
    if (!Site.Args.empty())
      applyTo(D, M, H, Site.Args[0].value());
  } else {
    return false;
  }
  return true;
}

/// begin() and end() of a container: iterators of a list of handles, which is
/// made anew when the children changed.
Operand TorchDomain::childIterator(Machine &M, llvm::StringRef Method,
                                   Module &Of, CallSite &Site) {
  CellRef &List = ChildLists[Of.Id];
  auto *Old = List ? List->V.as<Sequence>() : nullptr;
  if (!Old || Old->Elements.size() != Of.Children.size()) {
    auto S = std::make_unique<Sequence>(Sequence::Vector);
    for (Module::Child &C : Of.Children) {
      // The list outlives the container; it must not keep the children.
      auto P = std::make_unique<SmartPtr>(SmartPtr::Shared);
      P->Target = std::static_pointer_cast<HeapOwner>(C.Owner)->Pointee;
      S->Elements.push_back(makeCell(Value(std::move(P))));
    }
    List = makeCell(Value(std::move(S)));
  }
  NativeFn Fn = M.native(("std::vector::" + Method).str());
  if (!Fn)
    return Operand(quiet(M, Method));
  CellRef Container = Site.Object;
  Site.Object = List;
  Operand Result = Fn(M, Site);
  Site.Object = Container;
  return Result;
}

/// extend() and update() by another container: its children, not itself.
static bool addAllOf(TorchDomain &D, Machine &M, llvm::StringRef Method,
                     Module &To, CallSite &Site) {
  if (Site.Args.empty())
    return false;
  TorchDomain::Handle From = D.moduleOf(M, Site.Args[0].value());
  if (!From)
    return false;
  std::vector<Module::Child> Added = From.M->Children; // It may be To itself.
  for (Module::Child &C : Added)
    To.registerModule(Method == "update" ? C.Name : std::to_string(To.Children.size()),
                      C.M, C.Owner);
  return true;
}

/// Sequential, ModuleList, ModuleDict.
static bool containerCall(TorchDomain &D, Machine &M, llvm::StringRef Method,
                          TorchDomain::Handle &H, CallSite &Site,
                          Operand &Result) {
  auto &Children = H.M->Children;
  auto Element = [&](size_t I) {
    return D.handleValue(std::static_pointer_cast<HeapOwner>(Children[I].Owner));
  };
  if ((Method == "extend" || Method == "update") &&
      addAllOf(D, M, Method, *H.M, Site))
    return true;
  if (Method == "push_back" || Method == "append" || Method == "extend" ||
      Method == "update" || Method == "insert") {
    std::string Name = std::to_string(Children.size());
    for (size_t I = 0; I < Site.Args.size(); ++I) {
      if (Site.Args[I].value().isString())
        Name = Site.Args[I].value().string();
      else if (!Site.Args[I].value().isNumber())
        pushChild(D, M, *H.M, Site.Args[I].value(), Name);
    }
    return true;
  }
  if (Method == "size") {
    Result = Operand(Value::integer(Children.size()));
    return true;
  }
  if (Method == "is_empty" || Method == "empty") {
    Result = Operand(Value::integer(Children.empty()));
    return true;
  }
  if (Method == "begin" || Method == "end") {
    Result = D.childIterator(M, Method, *H.M, Site);
    return true;
  }
  if (Method != "ptr" && Method != "at" && Method != "operator[]")
    return false;
  if (Site.Args.empty())
    return false;
  Value &Key = Site.Args[0].value();
  for (size_t I = 0; I < Children.size(); ++I) {
    bool Here = (Key.isInt() && Key.asInt() == (int64_t)I) ||
                (Key.isString() && Key.string() == Children[I].Name);
    if (!Here)
      continue;
    Value P = Element(I);
    if (Method == "at")
      Result = Operand(P.as<SmartPtr>()->Target);
    else
      Result = Operand(std::move(P));
    return true;
  }
  Result = Operand(Key.isUnknown() ? M.unknown(Key.unknown())
                                   : M.unknown("a child that is not there"));
  return true;
}

bool TorchDomain::moduleCall(Machine &M, llvm::StringRef Class,
                             llvm::StringRef Method, CallSite &Site,
                             Operand &Result) {
  if (!Class.starts_with("torch::nn::"))
    return false;
  if (Class == "torch::nn::ModuleHolder" || !Site.Object ||
      Site.Callee->getOverloadedOperator() == OO_Equal)
    return false;
  Handle H = moduleAt(M, Site.Object);
  if (!H)
    H = moduleOf(M, Site.Object->V);
  if (!H)
    return false;
  if (Class == "torch::nn::AnyModule" || Class == "torch::nn::NamedAnyModule") {
    if (Method == "ptr" || Method == "module") {
      Result = Operand(handleValue(H.Own));
      return true;
    }
    if (Method == "get") {
      Result = Operand(H.Place);
      return true;
    }
    if (Method == "is_empty") {
      Result = Operand(Value::integer(0));
      return true;
    }
  }
  Result = Operand(Value());
  if (Method == "forward" || Method == "any_forward" || Method == "operator()") {
    bool Own = !Class.ends_with("AnyModule") && !H.M->Builtin;
    Result = callForward(M, H, Site, Own);
    return true;
  }
  if (Method == "forward_with_packed_input") {
    Result = packedForward(M, H, Site);
    return true;
  }
  if (registration(*this, M, Method, H, Site, Result) ||
      containerCall(*this, M, Method, H, Site, Result) ||
      commonCall(*this, M, Method, H, Site, Result))
    return true;
  M.unknown(Class.substr(11) + "::" + Method + " is not modelled");
  Result = Operand(quiet(M, Method));
  return true;
}

} // namespace vramlint
