//===- lib/torch/plugin/TorchDomain.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The plug-in's frame: who answers a call, places, statements, loops, digests.

#include "lib/torch/plugin/TorchDomain.h"

#include "lib/torch/Registry.h"
#include "lib/torch/plugin/ArchiveStore.h"
#include <cmath>

#include "llvm/ADT/Hashing.h"

using namespace clang;

namespace vramlint {

TorchDomain::TorchDomain(Runtime &R, Trace &Out, const ProgramOptions &Options)
    : R(R), Out(Out), Options(Options) {}

static bool isTorchName(llvm::StringRef Name) {
  return Name.starts_with("torch::") || Name.starts_with("at::") ||
         Name.starts_with("c10::") || Name.starts_with("caffe2::");
}

llvm::StringRef withoutImpl(llvm::StringRef Class) {
  Class.consume_back("Impl");
  return Class;
}

/// "torch::nn::Module" and "forward" of "torch::nn::Module::forward".
static std::pair<llvm::StringRef, llvm::StringRef> splitName(llvm::StringRef Name) {
  return Name.rsplit("::");
}

/// Holders and options, whose bodies the machine runs.
static bool runsItself(llvm::StringRef Class) {
  return Class.starts_with("torch::nn::ModuleHolder") ||
         Class.starts_with("torch::ExpandingArray") || Class.ends_with("Options");
}

/// What the machine knows of \p V.
std::string TorchDomain::revealed(Machine &M, const Value &V) {
  auto *T = V.as<TensorObject>();
  if (Handle H = T ? Handle() : moduleOf(M, V))
    return "module " + std::to_string(H.M->Id);
  if (!T)
    return vramlint::describe(V);
  if (!T->T)
    return "undefined tensor";
  TensorImpl &I = *T->T;
  std::string Text = dtypeName(I.Type).str() + " " + I.Sizes.str() + ", " +
                     (I.onCuda() ? "cuda" : "cpu");
  if (I.Store && I.Store->SizeKnown)
    Text += ", storage of " + std::to_string(I.Store->SizeBytes) + " bytes";
  if (I.needsGrad())
    Text += ", requires grad";
  if (!I.isContiguous())
    Text += ", not contiguous";
  return Text;
}

/// The row of a function: torch::fft::fft is at::fft_fft, and F::unfold is no
/// Tensor::unfold.
static llvm::StringRef rowName(llvm::StringRef Scope, llvm::StringRef Name) {
  std::string Other;
  if (Scope == "torch::fft" || Scope == "torch::linalg" || Scope == "torch::special")
    Other = (Scope.substr(7) + "_" + Name).str();
  else if (Scope.starts_with("torch::nn::functional"))
    Other = ("functional_" + Name).str();
  return !Other.empty() && findOp(Other) ? intern(Other) : Name;
}

/// torch::nn::init::calculate_gain: how initializers widen by the activation.
static Operand gainOf(TorchDomain &D, Machine &M, CallSite &Site) {
  Args A = D.bind(M, Site);
  std::string Text = A.text("nonlinearity", "");
  llvm::StringRef Kind = Text;
  Kind.consume_front("k");
  double Slope = A.number("param", 0.01);
  double Gain = Kind == "Tanh"        ? 5.0 / 3
                : Kind == "ReLU"      ? std::sqrt(2.0)
                : Kind == "LeakyReLU" ? std::sqrt(2 / (1 + Slope * Slope))
                                      : 1;
  return Operand(Text.empty() ? D.quiet(M, "a gain") : Value::real(Gain));
}

bool TorchDomain::call(Machine &M, llvm::StringRef Name, CallSite &Site,
                       Operand &Result) {
  if (Name == "vramlint_reveal" && Site.Args.size() == 1) {
    Out.Reveals.push_back({R.CurrentStack, revealed(M, Site.Args[0].value())});
    Result = Operand(Value());
    return true;
  }
  if (!isTorchName(Name) || !M.isExternal(Site.Callee->getLocation())) {
    // Streams print tensors; nothing else of std:: concerns us.
    return false;
  }
  auto [Scope, Last] = splitName(Name);
  // c10::optional, variant and the like are those of std:: under another name,
  // from before C++17.
  if (Name.starts_with("c10::"))
    if (NativeFn Fn = M.native(("std::" + Name.drop_front(5)).str())) {
      Result = Fn(M, Site);
      return true;
    }
  if (Site.Callee->getOverloadedOperator() != OO_None &&
      operatorCall(M, Site, Result))
    return true;
  if (isa<CXXMethodDecl>(Site.Callee)) {
    if ((Scope == "at::Tensor" || Scope == "at::TensorBase") &&
        tensorCall(M, Last, Site, Result))
      return true;
    if (moduleCall(M, Scope, Last, Site, Result))
      return true;
  }
  if (customFunctionCall(M, Name, Site, Result) ||
      jitCall(M, Name, Site, Result) || dataCall(M, Name, Site, Result) ||
      optimCall(M, Name, Site, Result) || freeCall(M, Name, Site, Result) ||
      utilityCall(M, Name, Site, Result) ||
      optionCall(M, Site, Result))
    return true;
  if (runsItself(Scope))
    return false;
  if (Scope == "torch::nn::init" && Last == "calculate_gain") {
    Result = gainOf(*this, M, Site);
    return true;
  }
  if (Scope == "torch::nn::init") { // In place, without allocations.
    Result = Site.Args.empty() ? Operand(Value()) : std::move(Site.Args[0]);
    return true;
  }
  if (Scope == "at" || Scope == "torch" || Scope == "at::Tensor" ||
      Scope == "at::TensorBase" || Scope.starts_with("torch::nn::functional") ||
      Scope == "torch::special" || Scope == "torch::linalg" ||
      Scope == "torch::fft" || Scope.starts_with("torch::nn::utils"))
    return opCall(M, rowName(Scope, Last), Site, Result);
  return false;
}

bool TorchDomain::construct(Machine &M, llvm::StringRef Name, CallSite &Site,
                            Value &Result) {
  if (!isTorchName(Name))
    return false;
  if (Site.Callee && !M.isExternal(Site.Callee->getLocation()))
    return false;
  llvm::StringRef Class = splitName(Name).first;
  auto *C = dyn_cast_or_null<CXXConstructorDecl>(Site.Callee);
  bool Copies = C && C->isCopyOrMoveConstructor() && Site.Args.size() == 1;
  if (Copies && Site.Args[0].value().isObject())
    return false;
  if (Class == "at::Tensor" || Class == "at::TensorBase" ||
      Class == "c10::Scalar" || Class == "c10::IValue" || Class == "c10::SymInt") {
    if (Site.Args.empty())
      Result = Class == "at::Tensor" || Class == "at::TensorBase"
                   ? tensorValue(nullptr)
                   : Value::integer(0);
    else
      Result = M.take(Site, 0);
    return true;
  }
  if (Class == "c10::optional" || Class == "c10::variant")
    if (NativeFn Fn = M.native(("std::" + Name.drop_front(5)).str())) {
      Result = std::move(Fn(M, Site).V);
      return true;
    }
  return constructGuard(Class, M, Site, Result) ||
         constructUtility(M, Class, Site, Result) ||
         constructData(M, Class, Site, Result) ||
         constructOptimizer(M, Class, Site, Result) ||
         constructModule(M, Class, Site, Result);
}

bool TorchDomain::global(Machine &M, llvm::StringRef Name, QualType Type,
                         Operand &Result) {
  if (!isTorchName(Name))
    return false;
  llvm::StringRef Last = splitName(Name).second;
  if (Name == "c10::nullopt") {
    Result = Operand(makeCell(Value(std::make_unique<Sequence>(Sequence::Optional))));
    return true;
  }
  auto *Class = Type->getAsCXXRecordDecl();
  if (Class && M.nameOf(*Class).starts_with("torch::enumtype::")) { // kMean …
    Result = Operand(makeCell(Value(Last.str())));
    return true;
  }
  if (Name == "at::indexing::None" || Name == "torch::indexing::None") {
    Result = Operand(makeCell(Value(std::make_unique<IndexObject>(Arg(Arg::NoneIndex{})))));
    return true;
  }
  if (Name == "at::indexing::Ellipsis" || Name == "torch::indexing::Ellipsis") {
    Result = Operand(makeCell(Value(std::make_unique<IndexObject>(Arg(Arg::Ellipsis{})))));
    return true;
  }
  return false;
}

bool TorchDomain::member(Machine &M, CellRef Object, llvm::StringRef Field,
                         Operand &Result) {
  if (auto *Mod = Object->V.as<ModuleObject>()) {
    auto [It, New] = Mod->Members.try_emplace(Field.str());
    if (New) {
      It->second = makeCell();
      for (auto *List : {&Mod->M->Parameters, &Mod->M->Buffers})
        for (auto &[Name, T] : *List)
          if (Name == Field)
            It->second->set(tensorValue(T));
      if (It->second->V.isVoid())
        It->second->set(quiet(M, ("member " + Field + " of a module").str()));
    }
    Result = Operand(It->second);
    return true;
  }
  if (auto *S = Object->V.as<Sequence>()) { // torch::data::Example, nn::ASMoutput
    unsigned Index = Field == "data" || Field == "output"   ? 0
                     : Field == "target" || Field == "loss" ? 1
                                                            : 2;
    if (Index < S->Elements.size()) {
      Result = Operand(S->Elements[Index]);
      return true;
    }
  }
  return false;
}

bool TorchDomain::ownsFile(llvm::StringRef File) {
  for (const char *Folder : {"/torch/csrc/", "/torch/nn/", "/ATen/", "/c10/"})
    if (File.contains(Folder) && File.contains("/include/"))
      return true;
  return false;
}

/// Is \p Name a base of \p R? Built-in bases are no parts that the machine sees.
bool derivesFrom(Machine &M, const CXXRecordDecl &R, llvm::StringRef Name) {
  if (!R.hasDefinition())
    return false;
  return llvm::any_of(R.bases(), [&](const CXXBaseSpecifier &B) {
    const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl();
    return Base && (M.nameOf(*Base) == Name || derivesFrom(M, *Base, Name));
  });
}

bool TorchDomain::isUnset(const Object &O) {
  return TensorObject::classof(&O) && !static_cast<const TensorObject &>(O).T;
}

bool TorchDomain::isA(Machine &M, CellRef C, llvm::StringRef Name,
                      bool &Result) {
  Handle H = moduleAt(M, C);
  if (!H)
    return false;
  llvm::StringRef Class = withoutImpl(Name.rsplit("::").second);
  Result = H.M->ClassName == Class || Name == "torch::nn::Module";
  if (auto *Rec = H.Place ? H.Place->V.as<Record>() : nullptr; Rec && !Result)
    Result = derivesFrom(M, *Rec->Decl, Name);
  return true;
}

bool TorchDomain::iterate(Machine &M, CellRef Range,
                          llvm::function_ref<bool(CellRef)> Body) {
  Value *V = &Range->V;
  if (auto *P = V->as<SmartPtr>(); P && P->Target) // *data_loader
    V = &P->Target->V;
  if (auto *L = V->as<LoaderObject>())
    return iterateLoader(M, *L, Body);
  Handle H = moduleOf(M, *V);
  if (!H || !H.M->Builtin)
    return false;
  // Containers of modules: handles, one by one.
  for (size_t I = 0; I < H.M->Children.size() && M.step(); ++I) {
    Module::Child &C = H.M->Children[I];
    CellRef Element = makeCell(
        handleValue(std::static_pointer_cast<HeapOwner>(C.Owner)));
    if (!Body(Element))
      break;
  }
  return true;
}

// --- Where things happen -------------------------------------------------------

void TorchDomain::moved(Machine &M) {
  auto Stack = M.callStack();
  std::vector<std::pair<SourcePos, const char *>> Key;
  for (auto &F : Stack)
    Key.push_back({F.Pos, F.Function.data()});
  auto [It, New] = StackIds.try_emplace(std::move(Key), 0);
  if (New) {
    std::vector<Frame> Frames;
    for (auto &F : Stack)
      Frames.push_back({F.Pos, F.Function});
    It->second = Out.addStack(std::move(Frames));
  }
  R.CurrentStack = It->second;
}

void TorchDomain::statementEnd(Machine &M) {
  // A statement without effect on memory needs no event.
  if (!Out.Events.empty() && Out.Events.back().Kind == EventKind::StatementEnd &&
      Out.Events.back().Stack == R.CurrentStack)
    return;
  R.event(EventKind::StatementEnd);
}

void TorchDomain::loopIteration(Machine &M, unsigned Loop, int64_t Iteration) {
  R.event(EventKind::LoopIteration, Loop, Iteration);
}

void TorchDomain::loopJump(Machine &M, unsigned Loop, int64_t Skipped) {
  R.event(EventKind::LoopJump, Loop, Skipped);
}

void TorchDomain::loopEnd(Machine &M, unsigned Loop) {
  R.event(EventKind::LoopEnd, Loop);
}

size_t TorchDomain::mark() { return Out.Events.size(); }

namespace {
/// The digest of events. Of a loop inside, each kind of iteration counts once, in the
/// order in which they were first met: in which iterations a condition turned, and
/// how many were skipped, makes no difference by itself.
class EventDigest {
public:
  explicit EventDigest(const Trace &T) : T(T) {}

  void add(const Event &E) {
    switch (E.Kind) {
    case EventKind::Alloc:
    case EventKind::Free: {
      const StorageInfo &S = T.Storages[E.Id];
      mix((int)E.Kind, S.SizeBytes, (int)S.Cat, S.Op.data(), E.Stack);
      break;
    }
    case EventKind::OpBegin: {
      const OpRecord &Op = T.Ops[E.Id];
      mix(Op.Name.data(), Op.ModulePath, E.Stack);
      Any = true;
      break;
    }
    case EventKind::PhaseBegin:
    case EventKind::PhaseEnd:
      mix((int)E.Kind, E.Value);
      Any = true;
      break;
    case EventKind::LoopIteration:
      endIteration(E.Id);
      if (Loops.empty() || Loops.back().Id != E.Id)
        Loops.push_back({E.Id, {}, 0});
      break;
    case EventKind::LoopJump:
      Any = true;
      break;
    case EventKind::LoopEnd:
      endIteration(E.Id);
      if (!Loops.empty() && Loops.back().Id == E.Id)
        Loops.pop_back();
      break;
    default:
      break;
    }
  }
  /// Nothing if there was nothing of interest.
  std::optional<uint64_t> take() {
    while (!Loops.empty()) {
      endIteration(Loops.back().Id);
      Loops.pop_back();
    }
    return Any ? std::optional(Hash) : std::nullopt;
  }

private:
  struct Loop {
    uint32_t Id;
    llvm::SmallVector<uint64_t, 8> Met; ///< Digests of its iterations.
    uint64_t Hash;                      ///< Of the one that runs.
  };

  template <typename... Parts> void mix(Parts... P) {
    uint64_t &H = Loops.empty() ? Hash : Loops.back().Hash;
    H = llvm::hash_combine(H, P...);
  }
  /// Ends the iteration of \p Id that runs, and of what was left inside it.
  void endIteration(uint32_t Id) {
    if (llvm::none_of(Loops, [&](const Loop &L) { return L.Id == Id; }))
      return;
    for (;;) {
      Loop &L = Loops.back();
      uint64_t Done = std::exchange(L.Hash, 0);
      bool New = !llvm::is_contained(L.Met, Done);
      if (New)
        L.Met.push_back(Done);
      uint64_t &Outer = Loops.size() > 1 ? Loops[Loops.size() - 2].Hash : Hash;
      if (New)
        Outer = llvm::hash_combine(Outer, Done);
      if (L.Id == Id)
        return;
      Loops.pop_back();
    }
  }

  const Trace &T;
  llvm::SmallVector<Loop, 4> Loops;
  uint64_t Hash = 0;
  bool Any = false;
};
} // namespace

uint64_t TorchDomain::digest(size_t From) {
  // A model that is being built or run is not cut short: its layers differ.
  if (!R.Modules.empty())
    return 0;
  EventDigest All(Out);
  for (size_t I = From; I < Out.Events.size(); ++I)
    All.add(Out.Events[I]);
  std::optional<uint64_t> Hash = All.take();
  if (!Hash)
    return 0;
  uint64_t Whole = llvm::hash_combine(*Hash, R.AliveModules);
  return Whole ? Whole : 1;
}

int64_t TorchDomain::level() {
  return (Bytes{R.liveBytes(DeviceKind::CPU)} + Bytes{R.liveBytes(DeviceKind::CUDA)}).Count;
}

void TorchDomain::stopped(Machine &M, const UnknownInfo &Why) {
  if (Why.Reason == "the program runs until it is ended" ||
      Why.Reason == "the program exits")
    return;
  Out.Complete = false;
  Out.Unknowns.push_back({Why.Pos, "the rest of the program", Why.Reason, ""});
}

void TorchDomain::unknown(Machine &M, const UnknownInfo &Info) {
  Out.Unknowns.push_back({Info.Pos, Info.Reason, "", Info.Tell});
}

void TorchDomain::assume(llvm::StringRef What, std::string Value, SourcePos Pos,
                         std::string From) {
  for (const Assumption &A : Out.Assumptions)
    if (A.What == What && A.Value == Value && (What != "input" || A.Pos == Pos))
      return;
  Out.Assumptions.push_back({What.str(), std::move(Value), Pos, std::move(From)});
}

void TorchDomain::failure(Machine &M, llvm::StringRef Op, std::string Message,
                          FailureKind Why, OpId Id) {
  Out.Failures.push_back({R.CurrentStack, intern(Op), Message, Why, Id});
  M.throwException(std::move(Message));
}

/// --batch: a constant whose name says that it is the batch size.
static bool namesBatch(llvm::StringRef Name) {
  std::string Lower = Name.lower();
  llvm::StringRef L = Lower;
  if (L.contains("test") || L.contains("eval") || L.contains("valid") || L.contains("idx") ||
      L.contains("index") || L.contains("num_batch") || L.contains("per_epoch") ||
      L.contains("perepoch") || L.contains("batches"))
    return false;
  return L == "batch" || L == "bs" || L == "batchsize" || L == "kbatch" ||
         L.contains("batch_size") || L.contains("batchsize");
}

/// A batch size has its initial value.
static void batchIs(TorchDomain &D, Cell &C, SourcePos Pos, llvm::StringRef Name) {
  const std::optional<int64_t> &Told = D.Options.Batch;
  D.NamedBatch = true;
  if (Told)
    C.set(Value::integer(*Told));
  if (C.V.isInt())
    D.assume("batch", std::to_string(C.V.asInt()), Told ? SourcePos() : Pos,
             Told ? "--batch" : Name.str());
}

/// The height or width of images, by its name.
static bool namesImageSize(llvm::StringRef Name) {
  std::string Lower = Name.lower();
  llvm::StringRef L = Lower;
  bool Image = L.contains("image") || L.contains("img") || L.contains("crop") ||
               L.contains("resolution");
  return L.contains("resolution") || L == "height" || L == "width" ||
         (Image && (L.contains("size") || L.contains("height") || L.contains("width") ||
                    L.contains("side") || L.ends_with("_h") || L.ends_with("_w")));
}

static void imageSizeIs(TorchDomain &D, Cell &C, SourcePos Pos) {
  D.Out.ImageSizes.push_back({Pos, C.V.asInt()});
  if (D.R.If.Size)
    C.set(Value::integer(D.R.If.Size->scaled(C.V.asInt())));
}

void TorchDomain::initialized(Machine &M, const VarDecl &D, Cell &C) {
  if (!D.getType().getNonReferenceType()->isIntegerType())
    return;
  if (namesBatch(D.getName()))
    batchIs(*this, C, M.posOf(D.getLocation()), D.getName());
  else if (C.V.isInt() && namesImageSize(D.getName()))
    imageSizeIs(*this, C, M.posOf(D.getLocation()));
}

std::optional<std::string> TorchDomain::readFile(llvm::StringRef Name) {
  return Options.Archives ? Options.Archives->text(Name) : std::nullopt;
}

bool TorchDomain::hasFile(llvm::StringRef Name) {
  return Options.Archives && Options.Archives->has(Name);
}

void TorchDomain::named(Machine &M, llvm::StringRef Name, Cell &C) {
  if (C.V.isInt() && namesBatch(Name))
    batchIs(*this, C, M.currentPos(), Name);
  else if (C.V.isInt() && namesImageSize(Name))
    imageSizeIs(*this, C, M.currentPos());
}

void TorchDomain::assumed(Machine &M, llvm::StringRef What, llvm::StringRef Value) {
  if (!llvm::any_of(Out.Assumptions,
                    [&](const Assumption &A) { return A.What == What; }))
    assume(What, Value.str(), M.currentPos(), "");
}

} // namespace vramlint
