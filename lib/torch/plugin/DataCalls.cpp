//===- lib/torch/plugin/DataCalls.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch::data: joins datasets, transforms and loaders of the program to those of
// lib/torch/data.

#include "lib/torch/plugin/TorchDomain.h"

using namespace clang;

namespace vramlint {

// --- Examples ------------------------------------------------------------------

/// A user's own example type, kept beside the tensors that it has none of.
static Value exampleValue(TorchDomain &D, Machine &M, Example E) {
  if (E.Other)
    return M.copy(std::static_pointer_cast<Cell>(E.Other)->V);
  auto P = std::make_unique<Sequence>(Sequence::Pair);
  P->Elements.push_back(makeCell(D.tensorValue(std::move(E.Data))));
  P->Elements.push_back(makeCell(D.tensorValue(std::move(E.Target))));
  return Value(std::move(P));
}

static Example exampleFrom(TorchDomain &D, Machine &M, Value V) {
  Example E;
  auto *P = V.as<Sequence>();
  if (P && P->Tag == Sequence::Pair && P->Elements.size() == 2 &&
      (P->Elements[0]->V.as<TensorObject>() || P->Elements[0]->V.isUnknown())) {
    E.Data = D.tensorOf(M, P->Elements[0]->V);
    E.Target = D.tensorOf(M, P->Elements[1]->V);
    return E;
  }
  if (auto *T = V.as<TensorObject>()) {
    E.Data = T->T;
    return E;
  }
  if (V.isUnknown()) {
    E.Data = D.tensorOf(M, V);
    E.Target = D.tensorOf(M, V);
    return E;
  }
  CellRef C = makeCell(std::move(V));
  E.Other = std::shared_ptr<Cell>(C.get(), [C](Cell *) {});
  return E;
}

static std::vector<Example> examplesFrom(TorchDomain &D, Machine &M, Value V) {
  std::vector<Example> List;
  auto *S = V.as<Sequence>();
  if (!S || S->Tag == Sequence::Pair) {
    List.push_back(exampleFrom(D, M, std::move(V)));
    return List;
  }
  for (CellRef &C : S->Elements)
    List.push_back(exampleFrom(D, M, C->take()));
  return List;
}

static Value batchValue(TorchDomain &D, Machine &M, std::vector<Example> Batch,
                        bool Single) {
  if (Single && Batch.size() == 1)
    return exampleValue(D, M, std::move(Batch[0]));
  auto List = std::make_unique<Sequence>(Sequence::Vector);
  for (Example &E : Batch)
    List->Elements.push_back(makeCell(exampleValue(D, M, std::move(E))));
  return Value(std::move(List));
}

// --- Datasets --------------------------------------------------------------------

/// How often a user's get() is run before its samples are taken as known.
static constexpr int64_t SamplesRun = 4;

static std::optional<int64_t> userSize(Machine &M, CellRef Object) {
  Operand N = M.callMethod(Object, "size", {});
  Value *V = &N.value();
  if (auto *S = V->as<Sequence>();
      S && S->Tag == Sequence::Optional && !S->Elements.empty())
    V = &S->Elements[0]->V;
  return V->isInt() && V->asInt() >= 0 ? std::optional<int64_t>(V->asInt())
                                       : std::nullopt;
}

/// A tensor of the form of \p T that holds no memory.
static TensorRef shapeOnly(const TensorRef &T) {
  if (!T)
    return nullptr;
  TensorRef New(new TensorImpl());
  New->Sizes = T->Sizes;
  New->Type = T->Type;
  New->Dev = T->Dev;
  return New;
}

/// The dataset in \p A, moved in: LibTorch's, or one that runs a user's object.
static DatasetRef datasetOf(TorchDomain &D, Machine &M, Operand &A) {
  Value V = A.Place ? M.moveOut(*A.Place) : std::move(A.V);
  if (auto *Set = V.as<DatasetObject>())
    return Set->D;
  auto *Rec = V.as<Record>();
  if (!Rec)
    return nullptr;
  bool Batches = M.hasMethod(*Rec, "get_batch") && !M.hasMethod(*Rec, "get");
  CellRef Object = makeCell(std::move(V));
  Machine *Runner = &M;
  TorchDomain *Dom = &D;
  auto Size = [Runner, Object] { return userSize(*Runner, Object); };
  if (Batches)
    return makeUserBatchDataset(Size, [=](Runtime &, int64_t Count) {
      auto Indices = std::make_unique<Sequence>(Sequence::Vector);
      for (int64_t I = 0; I < Count && Runner->step(); ++I)
        Indices->Elements.push_back(makeCell(Value::integer(I)));
      Operand In(makeCell(Value(std::move(Indices))));
      Operand Out = Runner->callMethod(Object, "get_batch", In);
      return examplesFrom(*Dom, *Runner, Runner->copy(Out.value()));
    });
  // Which sample it is doesn't matter. After a few of one form, the rest are made
  // alike without running get() again.
  auto Last = std::make_shared<std::pair<Example, int64_t>>();
  return makeUserDataset(Size, [=](Runtime &R) {
    auto Alike = [&](const TensorRef &T) {
      return T && T->Sizes.known()
                 ? R.make(T->Sizes, T->Type, T->Dev, Category::Input, "get")
                 : TensorRef();
    };
    if (Last->second >= SamplesRun)
      return Example{Alike(Last->first.Data), Alike(Last->first.Target), nullptr};
    Operand Index(Value::integer(0));
    Operand Out = Runner->callMethod(Object, "get", Index);
    Value V = Out.Place ? Runner->copy(Out.Place->V) : std::move(Out.V);
    Example E = exampleFrom(*Dom, *Runner, std::move(V));
    bool Plain = E.Data && E.Data->Sizes.known() && !E.Other &&
                 (!E.Target || E.Target->Sizes.known());
    if (Plain && ++Last->second == SamplesRun)
      Last->first = {shapeOnly(E.Data), shapeOnly(E.Target), nullptr};
    return E;
  });
}

// --- Transforms --------------------------------------------------------------------

/// A transform that the program wrote: a lambda or an object with operator().
static TransformRef userTransform(TorchDomain &D, Machine &M, Value Callable,
                                  bool OnTensor) {
  CellRef Object = makeCell(std::move(Callable));
  Machine *Runner = &M;
  TorchDomain *Dom = &D;
  return makeLambda([=](Runtime &, Example E) {
    if (OnTensor) {
      Operand In(makeCell(Dom->tensorValue(std::move(E.Data))));
      Operand Out = Runner->callCallable(Object->V, In);
      E.Data = Dom->tensorOf(*Runner, Out.value());
      return E;
    }
    Operand In(makeCell(exampleValue(*Dom, *Runner, std::move(E))));
    Operand Out = Runner->callCallable(Object->V, In);
    return exampleFrom(*Dom, *Runner, Runner->copy(Out.value()));
  });
}

static TransformRef transformOf(TorchDomain &D, Machine &M, Value V) {
  if (auto *T = V.as<TransformObject>())
    return T->T;
  auto *Rec = V.as<Record>();
  if (!Rec)
    return nullptr;
  // TensorTransform's subclasses work on the data alone.
  bool OnTensor = false;
  for (const CXXBaseSpecifier &B : Rec->Decl->bases())
    if (auto *Base = B.getType()->getAsCXXRecordDecl())
      OnTensor |= Base->getName() == "TensorTransform";
  return userTransform(D, M, std::move(V), OnTensor);
}

static Value makeTransform(TorchDomain &D, Machine &M, llvm::StringRef Name,
                           CallSite &Site) {
  TransformRef T;
  if (Name == "Normalize") {
    auto *S = Site.Args.empty() ? nullptr : Site.Args[0].value().as<Sequence>();
    T = makeNormalize(D.R, S ? (int64_t)S->Elements.size() : 1);
  } else if (Name == "Stack") {
    QualType Type = Site.Type;
    bool WithTarget = Type.getAsString().find("TensorExample") == std::string::npos;
    T = makeStack(WithTarget);
  } else if (Name == "Lambda" || Name == "TensorLambda") {
    if (!Site.Args.empty())
      T = userTransform(D, M, M.take(Site, 0), Name == "TensorLambda");
  } else if (Name == "BatchLambda" || Name == "Collate" || Name == "Collation") {
    if (!Site.Args.empty()) {
      CellRef Fn = makeCell(M.take(Site, 0));
      Machine *Runner = &M;
      TorchDomain *Dom = &D;
      T = makeBatchLambda([=](Runtime &, std::vector<Example> Batch) {
        Operand In(makeCell(batchValue(*Dom, *Runner, std::move(Batch), false)));
        Operand Out = Runner->callCallable(Fn->V, In);
        return examplesFrom(*Dom, *Runner, Runner->copy(Out.value()));
      });
    }
  }
  if (!T)
    return M.unknown("the transform " + Name + " is not modelled");
  return Value(std::make_unique<TransformObject>(std::move(T)));
}

// --- Loaders ------------------------------------------------------------------------

static SamplerKind samplerKind(const FunctionDecl &F) {
  const TemplateArgumentList *A = F.getTemplateSpecializationArgs();
  if (A && A->size() && A->get(0).getKind() == TemplateArgument::Type)
    if (auto *S = A->get(0).getAsType()->getAsCXXRecordDecl()) {
      if (S->getName() == "SequentialSampler")
        return SamplerKind::Sequential;
      if (S->getName() == "DistributedRandomSampler")
        return SamplerKind::DistributedRandom;
      if (S->getName() == "DistributedSequentialSampler")
        return SamplerKind::DistributedSequential;
      if (S->getName() == "StreamSampler")
        return SamplerKind::Stream;
    }
  return SamplerKind::Random;
}

/// DataLoaderOptions from the call's arguments; \p Why: the batch is not known.
static LoaderOptions loaderOptions(TorchDomain &D, Machine &M, CallSite &Site,
                                   std::string &Why) {
  LoaderOptions O;
  for (size_t I = 1; I < Site.Args.size(); ++I) {
    Value &V = Site.Args[I].value();
    if (!V.isNumber() && !V.isUnknown() && !V.as<Record>())
      continue;
    Arg A = D.toArg(M, V, QualType());
    OptionMap Map;
    if (auto *Given = std::get_if<std::shared_ptr<OptionMap>>(&A.V))
      Map = **Given;
    else
      Map["batch_size"] = A;
    if (auto *N = std::get_if<int64_t>(&Map["batch_size"].V))
      O.BatchSize = *N;
    else if (auto *U = std::get_if<Arg::UnknownArg>(&Map["batch_size"].V))
      Why = U->Why;
    if (auto *B = std::get_if<bool>(&Map["drop_last"].V))
      O.DropLast = *B;
    if (auto *N = std::get_if<int64_t>(&Map["workers"].V))
      O.Workers = *N;
    if (auto *N = std::get_if<int64_t>(&Map["max_jobs"].V))
      O.MaxJobs = *N;
  }
  return O;
}

static Value makeLoader(TorchDomain &D, Machine &M, CallSite &Site) {
  std::string Why;
  LoaderOptions O = loaderOptions(D, M, Site, Why);
  DatasetRef Set = datasetOf(D, M, Site.Args[0]);
  if (!Set)
    return M.unknown("the dataset of a data loader");
  if (D.Options.Batch && O.BatchSize > 1 && !D.NamedBatch)
    O.BatchSize = *D.Options.Batch;
  if (O.BatchSize < 1)
    O.BatchSize = 1;
  if (Why.empty())
    D.assume("batch", std::to_string(O.BatchSize), M.currentPos(), "data loader");
  else
    D.assume("batch", "?", M.currentPos(), Why);
  // A what-if batch is a full one, however small the data set.
  std::optional<int64_t> Size = Set->size();
  if (Size && D.Options.Batch)
    Size = std::max(*Size, O.BatchSize);
  Sampler S(D.R, samplerKind(*Site.Callee), Size);
  auto L = std::make_unique<LoaderObject>(
      std::make_shared<DataLoader>(std::move(Set), std::move(S), O));
  L->BatchUnknown = Why;
  auto P = std::make_unique<SmartPtr>(SmartPtr::Unique);
  CellRef C = makeCell(Value(std::move(L)));
  P->Strong = std::make_shared<HeapOwner>(C);
  P->Target = C;
  return Value(std::move(P));
}

/// A loader whose batch size is unknown still gives tensors of known rank.
static void forgetBatch(TorchDomain &D, Value &Batch, llvm::StringRef Why) {
  auto *P = Batch.as<Sequence>();
  if (!P || P->Tag != Sequence::Pair)
    return;
  for (CellRef &C : P->Elements)
    if (auto *T = C->V.as<TensorObject>(); T && T->T && !T->T->Sizes.Dims.empty()) {
      Shape S = T->T->Sizes;
      S.Dims[0] = Dim();
      S.Why = intern(Why);
      C->set(D.tensorValue(
          D.R.make(S, T->T->Type, T->T->Dev, Category::Input, "data loader")));
    }
}

bool TorchDomain::iterateLoader(Machine &M, LoaderObject &Loader,
                                llvm::function_ref<bool(CellRef)> Body) {
  std::shared_ptr<DataLoader> L = Loader.L;
  std::string Why = Loader.BatchUnknown;
  LoopTracker T(M);
  CellRef Batch;
  bool Skipped = false;
  L->begin(R);
  while (M.step() && !M.unwinding() && !M.stopped()) {
    T.begin();
    if (!L->next(R))
      break;
    // The loop variable refers to the iterator's batch; the handles are its own.
    Value New = batchValue(*this, M, L->batch(), true);
    if (!Why.empty())
      forgetBatch(*this, New, Why);
    Batch = makeCell(std::move(New));
    bool Go = Body(Batch);
    Batch->destroy();
    if (!Go)
      break;
    if (!T.end() || Skipped)
      continue;
    std::optional<int64_t> Total = L->batches();
    if (!Total || !Why.empty())
      break;
    T.beginSilently();
    int64_t Left = *Total - L->position(), Before = T.iteration();
    Skipped = !T.jumpToTurn(Left);
    if (Skipped)
      T.jump(Left - 1);
    L->skip(T.iteration() - Before);
  }
  L->end();
  return true;
}

// --- Calls --------------------------------------------------------------------------

bool TorchDomain::constructData(Machine &M, llvm::StringRef Class,
                                CallSite &Site, Value &Result) {
  if (!Class.starts_with("torch::data::"))
    return false;
  llvm::StringRef Name = Class.rsplit("::").second;
  if (Class == "torch::data::Example") {
    auto P = std::make_unique<Sequence>(Sequence::Pair);
    for (unsigned I = 0; I < 2; ++I)
      P->Elements.push_back(makeCell(I < Site.Args.size() ? M.take(Site, I)
                                                          : tensorValue(nullptr)));
    Result = Value(std::move(P));
    return true;
  }
  if (Class == "torch::data::datasets::MNIST") {
    bool Train = Site.Args.size() < 2 || !Site.Args[1].value().isInt() ||
                 Site.Args[1].value().asInt() == 0;
    Result = Value(std::make_unique<DatasetObject>(makeMnist(R, Train)));
    return true;
  }
  if (Class == "torch::data::datasets::TensorDataset") {
    std::vector<TensorRef> List;
    if (!Site.Args.empty()) {
      Arg A = toArg(M, Site.Args[0].value(), QualType());
      if (auto *Many = std::get_if<std::vector<TensorRef>>(&A.V))
        List = *Many;
      else if (auto *One = std::get_if<TensorRef>(&A.V))
        List.push_back(*One);
    }
    Result = Value(std::make_unique<DatasetObject>(makeTensorDataset(std::move(List))));
    return true;
  }
  if (Class.starts_with("torch::data::transforms::")) {
    bool Base = Name == "Transform" || Name == "TensorTransform" || Name == "BatchTransform";
    Result = Base ? Value(std::make_unique<OpaqueObject>(intern(Class)))
                  : makeTransform(*this, M, Name, Site);
    return true;
  }
  if (Name.ends_with("Options"))
    return false;
  // Bases of the user's datasets, samplers: nothing to know.
  auto O = std::make_unique<OpaqueObject>(intern(Class));
  for (size_t I = 0; I < Site.Args.size(); ++I)
    O->Parts.push_back(M.take(Site, I));
  Result = Value(std::move(O));
  return true;
}

/// Methods of a dataset object: size, get, get_batch, images, targets.
static bool datasetCall(TorchDomain &D, Machine &M, llvm::StringRef Method,
                        DatasetRef Set, CallSite &Site, Operand &Result) {
  if (Method == "size") {
    auto S = std::make_unique<Sequence>(Sequence::Optional);
    std::optional<int64_t> N = Set->size();
    S->Elements.push_back(
        makeCell(N ? Value::integer(*N) : D.quiet(M, "the size of a dataset")));
    Result = Operand(Value(std::move(S)));
  } else if (Method == "get") {
    Result = Operand(exampleValue(D, M, Set->get(D.R)));
  } else if (Method == "get_batch") {
    auto *S = Site.Args.empty() ? nullptr : Site.Args[0].value().as<Sequence>();
    Result = Operand(batchValue(
        D, M, Set->getBatch(D.R, S ? (int64_t)S->Elements.size() : 1), true));
  } else if (Method == "is_train" || Method == "reset") {
    Result = Operand(D.quiet(M, Method));
  } else if (Method == "images" || Method == "targets") {
    Example E = Set->get(D.R);
    Shape S = (Method == "images" ? E.Data : E.Target)->Sizes;
    std::optional<int64_t> N = Set->size();
    S.Dims.insert(S.Dims.begin(), N ? Dim(*N) : Dim());
    Result = Operand(makeCell(D.tensorValue(
        D.R.make(S, Method == "images" ? DType::Float32 : DType::Int64, Device(),
                 Category::Input, Method))));
  } else {
    return false;
  }
  return true;
}

bool TorchDomain::dataCall(Machine &M, llvm::StringRef Name, CallSite &Site,
                           Operand &Result) {
  if (!Name.starts_with("torch::data::"))
    return false;
  llvm::StringRef Last = Name.rsplit("::").second;
  if (Last == "make_data_loader" && !Site.Args.empty()) {
    Result = Operand(makeLoader(*this, M, Site));
    return true;
  }
  if (Last == "map") {
    unsigned Which = Site.Object ? 0 : 1;
    if (Site.Args.size() <= Which)
      return false;
    Operand Source = Site.Object ? Operand(CellRef(&Site.Object->complete()))
                                 : std::move(Site.Args[0]);
    TransformRef T = transformOf(*this, M, M.take(Site, Which));
    DatasetRef Set = datasetOf(*this, M, Source);
    if (!Set || !T) {
      Result = Operand(M.unknown("a dataset or transform that is not modelled"));
      return true;
    }
    Result = Operand(Value(std::make_unique<DatasetObject>(mapDataset(Set, T))));
    return true;
  }
  auto *Set = Site.Object ? Site.Object->V.as<DatasetObject>() : nullptr;
  if (Set && Set->D)
    return datasetCall(*this, M, Last, Set->D, Site, Result);
  return false;
}

} // namespace vramlint
