//===- lib/torch/plugin/DataCalls.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch::data: datasets, transforms, samplers and loaders. A batch is made as
// LibTorch makes it, example by example, so that its temporaries count.

#include "lib/torch/plugin/TorchDomain.h"

using namespace clang;

namespace vramlint {

std::unique_ptr<Object> DatasetObject::copy(Machine &M) const {
  auto C = std::make_unique<DatasetObject>();
  C->Name = Name;
  C->Size = Size;
  C->User = M.copy(User);
  C->Held = Held;
  for (const Value &T : Transforms)
    C->Transforms.push_back(M.copy(T));
  return C;
}

std::unique_ptr<Object> DatasetObject::move(Machine &M) {
  auto C = std::make_unique<DatasetObject>();
  C->Name = Name;
  C->Size = Size;
  C->User = std::move(User);
  C->Held = std::move(Held);
  C->Transforms = std::move(Transforms);
  Held.clear();
  Transforms.clear();
  return C;
}

std::unique_ptr<Object> LoaderObject::copy(Machine &M) const {
  auto C = std::make_unique<LoaderObject>();
  C->Dataset = Dataset;
  C->BatchSize = BatchSize;
  C->Random = Random;
  C->Held = Held;
  return C;
}

static TensorRef one(OpResult Res) {
  if (Res.Kind != OpResult::Ok || Res.Values.empty())
    return nullptr;
  auto *T = std::get_if<TensorRef>(&Res.Values[0].V);
  return T ? *T : nullptr;
}

static Value example(TorchDomain &D, Value Data, Value Target) {
  auto P = std::make_unique<Sequence>(Sequence::Pair);
  P->Elements.push_back(makeCell(std::move(Data)));
  P->Elements.push_back(makeCell(std::move(Target)));
  return Value(std::move(P));
}

// --- MNIST -----------------------------------------------------------------------

static constexpr int64_t MnistTrain = 60000, MnistTest = 10000, MnistSide = 28;

/// The images and labels that MNIST's constructor reads and converts.
static Value makeMnist(TorchDomain &D, Machine &M, CallSite &Site) {
  auto Set = std::make_unique<DatasetObject>();
  Set->Name = "MNIST";
  bool Train = true;
  if (Site.Args.size() > 1 && Site.Args[1].value().isInt())
    Train = Site.Args[1].value().asInt() == 0;
  int64_t N = Train ? MnistTrain : MnistTest;
  Set->Size = N;
  Runtime &R = D.R;
  Shape Images{{Dim(N), Dim(1), Dim(MnistSide), Dim(MnistSide)}};
  Shape Labels{{Dim(N)}};
  auto Convert = [&](Shape S, DType T) {
    TensorRef Raw = R.make(S, DType::UInt8, Device(), Category::Input, "MNIST");
    return R.make(S, T, Device(), Category::Input, "MNIST");
  };
  Set->Held.push_back(Convert(Images, DType::Float32));
  Set->Held.push_back(Convert(Labels, DType::Int64));
  return Value(std::move(Set));
}

// --- One example, one batch ----------------------------------------------------

static Value normalize(TorchDomain &D, const OpaqueObject &T, Value Image) {
  TensorRef X;
  if (auto *O = Image.as<TensorObject>())
    X = O->T;
  const char *const Ops[] = {"sub", "div"};
  for (unsigned I = 0; I < 2 && I < T.Parts.size() && X; ++I) {
    Args A;
    A.add("self", Arg(X));
    auto *P = T.Parts[I].as<TensorObject>();
    A.add("other", P ? Arg(P->T) : Arg(1.0));
    X = one(D.R.call(Ops[I], A));
  }
  return D.tensorValue(X);
}

/// Applies a transform of single examples (not Stack) to \p Example.
static Value transformed(TorchDomain &D, Machine &M, Value &T, Value Example) {
  auto *Pair = Example.as<Sequence>();
  if (auto *O = T.as<OpaqueObject>()) {
    if (O->Class == "torch::data::transforms::Normalize" && Pair) {
      Value New = normalize(D, *O, std::move(Pair->Elements[0]->V));
      Pair->Elements[0]->set(std::move(New));
      return Example;
    }
    if (O->Class == "torch::data::transforms::Lambda" && !O->Parts.empty()) {
      Operand In(makeCell(std::move(Example)));
      return std::move(M.callCallable(O->Parts[0], In).value());
    }
    if (O->Class == "torch::data::transforms::TensorLambda" && !O->Parts.empty() && Pair) {
      Operand In(makeCell(std::move(Pair->Elements[0]->V)));
      Pair->Elements[0]->set(M.copy(M.callCallable(O->Parts[0], In).value()));
      return Example;
    }
    return Example;
  }
  if (auto *Rec = T.as<Record>(); Rec && Rec->Self) { // A user's transform.
    bool OnTensor = Rec->Decl->getNumBases() &&
                    D.toOptions(M, T).empty() && Pair;
    Operand In(makeCell(OnTensor ? std::move(Pair->Elements[0]->V)
                                 : std::move(Example)));
    Operand Out = M.callMethod(CellRef(Rec->Self), "operator()", In);
    if (!OnTensor)
      return M.copy(Out.value());
    Pair->Elements[0]->set(M.copy(Out.value()));
    return Example;
  }
  return Example;
}

static bool stacks(const Value &T) {
  auto *O = T.as<OpaqueObject>();
  return O && O->Class == "torch::data::transforms::Stack";
}

static Value rawExample(TorchDomain &D, Machine &M, DatasetObject &Set,
                        int64_t Index) {
  if (!Set.User.isVoid()) {
    auto *Rec = Set.User.as<Record>();
    Operand I(Value::integer(Index));
    if (!Rec || !Rec->Self)
      return D.quiet(M, "a dataset that is not known");
    return M.copy(M.callMethod(CellRef(Rec->Self), "get", I).value());
  }
  Value Parts[2];
  for (unsigned I = 0; I < 2 && I < Set.Held.size(); ++I) {
    Args A;
    A.add("self", Arg(Set.Held[I]));
    A.add("dim", Arg((int64_t)0));
    A.add("index", Arg(Index));
    Parts[I] = D.tensorValue(one(D.R.call("select", A)));
  }
  return example(D, std::move(Parts[0]), std::move(Parts[1]));
}

static TensorRef stackParts(TorchDomain &D, Machine &M,
                            std::vector<Value> &Examples, unsigned Part) {
  std::vector<TensorRef> List;
  for (Value &E : Examples)
    if (auto *P = E.as<Sequence>(); P && Part < P->Elements.size())
      if (TensorRef T = D.tensorOf(M, P->Elements[Part]->V))
        List.push_back(T);
  if (List.empty())
    return nullptr;
  Args A;
  A.add("tensors", Arg(List));
  A.add("dim", Arg((int64_t)0));
  TensorRef T = one(D.R.call("stack", A));
  if (T)
    D.R.recategorize(T, Category::Input);
  return T;
}

/// A batch of \p N examples, or of an unknown number.
static Value makeBatch(TorchDomain &D, Machine &M, DatasetObject &Set,
                       int64_t First, int64_t N) {
  std::vector<Value> Examples;
  for (int64_t I = 0; I < N && M.step(); ++I)
    Examples.push_back(rawExample(D, M, Set, First + I));
  bool Stacked = false;
  for (Value &T : Set.Transforms) {
    if (stacks(T)) {
      TensorRef Data = stackParts(D, M, Examples, 0);
      TensorRef Target = stackParts(D, M, Examples, 1);
      Stacked = true;
      Examples.clear();
      return example(D, D.tensorValue(Data), D.tensorValue(Target));
    }
    for (Value &E : Examples)
      E = transformed(D, M, T, std::move(E));
  }
  auto List = std::make_unique<Sequence>(Sequence::Vector);
  for (Value &E : Examples)
    List->Elements.push_back(makeCell(std::move(E)));
  return Value(std::move(List));
}

/// A loader whose batch size is unknown still gives tensors of known rank.
static void forgetBatch(TorchDomain &D, Value &Batch, llvm::StringRef Why) {
  auto *P = Batch.as<Sequence>();
  if (!P)
    return;
  for (CellRef &C : P->Elements)
    if (auto *T = C->V.as<TensorObject>(); T && T->T && !T->T->Sizes.Dims.empty()) {
      Shape S = T->T->Sizes;
      S.Dims[0] = Dim();
      S.Why = intern(Why);
      C->set(D.tensorValue(D.R.make(S, T->T->Type, T->T->Dev, Category::Input, "data loader")));
    }
}

bool TorchDomain::iterateLoader(Machine &M, LoaderObject &L,
                                llvm::function_ref<bool(CellRef)> Body) {
  auto *Set = L.Dataset->V.as<DatasetObject>();
  if (!Set)
    return false;
  int64_t B = std::max<int64_t>(1, L.BatchSize.value_or(1));
  std::optional<int64_t> Total, Rest;
  if (Set->Size && L.BatchSize) {
    Rest = L.DropLast ? 0 : *Set->Size % B;
    Total = *Set->Size / B + (*Rest ? 1 : 0);
  }
  if (L.Random && Set->Size) { // The sampler shuffles anew.
    TensorRef New = R.make(Shape{{Dim(*Set->Size)}}, DType::Int64, Device(),
                           Category::Input, "randperm");
    L.Held.clear();
    L.Held.push_back(std::move(New));
  }
  LoopTracker T(M);
  CellRef Batch;
  bool Skipped = false;
  for (int64_t I = 0; !Total || I < *Total; ++I) {
    if (!M.step() || M.unwinding() || M.stopped())
      break;
    T.begin();
    int64_t N = Total && *Rest && I + 1 == *Total ? *Rest : B;
    Value New = makeBatch(*this, M, *Set, I * B, N);
    if (!L.BatchSize)
      forgetBatch(*this, New, L.BatchUnknown);
    // The iterator replaces its batch after the next one is there.
    CellRef Next = makeCell(std::move(New));
    if (Batch)
      Batch->destroy();
    Batch = Next;
    if (!Body(Batch))
      break;
    if (!T.end() || Skipped)
      continue;
    if (!Total)
      break;
    int64_t Left = *Total - I - 1;
    if (Left > 1) {
      T.beginSilently();
      T.jump(Left - 1);
      I += Left - 1;
    }
    Skipped = true;
  }
  if (Batch)
    Batch->destroy();
  return true;
}

// --- Construction -----------------------------------------------------------------

/// The dataset in \p V, moved in: LibTorch's, or a user's object.
static std::unique_ptr<DatasetObject> datasetOf(Machine &M, Operand &A) {
  Value V = A.Place ? M.moveOut(*A.Place) : std::move(A.V);
  if (V.as<DatasetObject>()) {
    std::unique_ptr<Object> O = V.takeObject();
    return std::unique_ptr<DatasetObject>(static_cast<DatasetObject *>(O.release()));
  }
  auto Set = std::make_unique<DatasetObject>();
  Set->User = std::move(V);
  return Set;
}

static void findSize(Machine &M, DatasetObject &Set) {
  auto *Rec = Set.User.as<Record>();
  if (!Rec || Set.Size)
    return;
  if (!Rec->Self)
    return;
  Operand N = M.callMethod(CellRef(Rec->Self), "size", {});
  Value *V = &N.value();
  if (auto *S = V->as<Sequence>(); S && S->Tag == Sequence::Optional && !S->Elements.empty())
    V = &S->Elements[0]->V;
  if (V->isInt() && V->asInt() >= 0)
    Set.Size = V->asInt();
}

static Value makeLoader(TorchDomain &D, Machine &M, CallSite &Site) {
  auto L = std::make_unique<LoaderObject>();
  L->Random = true; // make_data_loader's default sampler.
  L->BatchSize = 1;
  L->BatchPos = M.currentPos();
  auto &T = *Site.Callee;
  if (const TemplateArgumentList *A = T.getTemplateSpecializationArgs())
    if (A->size() && A->get(0).getKind() == TemplateArgument::Type)
      if (auto *S = A->get(0).getAsType()->getAsCXXRecordDecl())
        L->Random = !S->getName().contains("SequentialSampler");
  CellRef Dataset;
  for (size_t I = 0; I < Site.Args.size(); ++I) {
    Operand &A = Site.Args[I];
    QualType P = Site.Callee->getParamDecl(I)->getType().getNonReferenceType();
    auto *Rec = P->getAsCXXRecordDecl();
    bool Options = Rec && Rec->getName() == "DataLoaderOptions";
    if (I == 0) {
      auto Set = datasetOf(M, A);
      Dataset = makeCell(Value(std::move(Set)));
      continue;
    }
    if (A.value().isNumber() || A.value().isUnknown() || Options) {
      Arg B = D.toArg(M, A.value(), P);
      if (auto *O = std::get_if<std::shared_ptr<OptionMap>>(&B.V)) {
        std::shared_ptr<OptionMap> Map = *O;
        B = (*Map)["batch_size"];
        if (auto *Drop = std::get_if<bool>(&(*Map)["drop_last"].V))
          L->DropLast = *Drop;
      }
      if (auto *N = std::get_if<int64_t>(&B.V))
        L->BatchSize = *N;
      else if (auto *U = std::get_if<Arg::UnknownArg>(&B.V)) {
        L->BatchSize.reset();
        L->BatchUnknown = U->Why;
      }
    }
  }
  if (!Dataset)
    return D.quiet(M, "a data loader without dataset");
  if (auto *Set = Dataset->V.as<DatasetObject>()) {
    findSize(M, *Set);
    if (L->Random && Set->Size)
      L->Held.push_back(D.R.make(Shape{{Dim(*Set->Size)}}, DType::Int64, Device(),
                                 Category::Input, "randperm"));
  }
  L->Dataset = Dataset;
  if (L->BatchSize && D.Options.Batch && L->BatchSize != D.Options.Batch &&
      *L->BatchSize > 1 && !D.NamedBatch)
    L->BatchSize = *D.Options.Batch;
  if (L->BatchSize)
    D.assume("batch", std::to_string(*L->BatchSize), L->BatchPos, "data loader");
  auto P = std::make_unique<SmartPtr>(SmartPtr::Unique);
  CellRef C = makeCell(Value(std::move(L)));
  P->Strong = std::make_shared<HeapOwner>(C);
  P->Target = C;
  return Value(std::move(P));
}

bool TorchDomain::constructData(Machine &M, llvm::StringRef Class,
                                CallSite &Site, Value &Result) {
  if (!Class.starts_with("torch::data::"))
    return false;
  if (Class == "torch::data::Example") {
    Value Parts[2];
    for (unsigned I = 0; I < 2; ++I)
      Parts[I] = I < Site.Args.size() ? M.take(Site, I) : tensorValue(nullptr);
    Result = example(*this, std::move(Parts[0]), std::move(Parts[1]));
    return true;
  }
  if (Class == "torch::data::datasets::MNIST") {
    Result = makeMnist(*this, M, Site);
    return true;
  }
  if (Class == "torch::data::DataLoaderOptions")
    return false;
  auto O = std::make_unique<OpaqueObject>(intern(Class));
  if (Class == "torch::data::transforms::Normalize") {
    for (size_t I = 0; I < Site.Args.size(); ++I) {
      // ArrayRef<double> to a tensor of C×1×1.
      Value &V = Site.Args[I].value();
      auto *S = V.as<Sequence>();
      int64_t C = S ? (int64_t)S->Elements.size() : 1;
      O->Parts.push_back(tensorValue(R.make(Shape{{Dim(C), Dim(1), Dim(1)}},
                                            DType::Float32, Device(),
                                            Category::Input, "Normalize")));
    }
  } else {
    for (size_t I = 0; I < Site.Args.size(); ++I)
      O->Parts.push_back(M.take(Site, I));
  }
  Result = Value(std::move(O));
  return true;
}

bool TorchDomain::dataCall(Machine &M, llvm::StringRef Name, CallSite &Site,
                           Operand &Result) {
  if (!Name.starts_with("torch::data::"))
    return false;
  llvm::StringRef Last = Name.rsplit("::").second;
  if (Name == "torch::data::make_data_loader") {
    Result = Operand(makeLoader(*this, M, Site));
    return true;
  }
  if (Name == "torch::data::datasets::map" ||
      (Last == "map" && Site.Object)) {
    Operand Source = Site.Object ? Operand(CellRef(&Site.Object->complete()))
                                 : std::move(Site.Args[0]);
    unsigned Which = Site.Object ? 0 : 1;
    auto Set = datasetOf(M, Source);
    findSize(M, *Set);
    Set->Transforms.push_back(M.take(Site, Which));
    Result = Operand(Value(std::move(Set)));
    return true;
  }
  auto *Set = Site.Object ? Site.Object->V.as<DatasetObject>() : nullptr;
  if (Last == "size" && Set) {
    auto S = std::make_unique<Sequence>(Sequence::Optional);
    findSize(M, *Set);
    S->Elements.push_back(makeCell(Set->Size ? Value::integer(*Set->Size)
                                             : quiet(M, "the size of a dataset")));
    Result = Operand(Value(std::move(S)));
    return true;
  }
  if (Last == "get" && Set && Site.Args.size() == 1) {
    Value &I = Site.Args[0].value();
    Result = Operand(rawExample(*this, M, *Set, I.isInt() ? I.asInt() : 0));
    return true;
  }
  if (Last == "get_batch" && Set) {
    Result = Operand(makeBatch(*this, M, *Set, 0, 1));
    return true;
  }
  if (Set && Set->Held.size() == 2 && (Last == "images" || Last == "targets")) {
    Result = Operand(makeCell(tensorValue(Set->Held[Last == "targets"])));
    return true;
  }
  if (Last == "is_train") {
    Result = Operand(quiet(M, "is_train()"));
    return true;
  }
  return false;
}

} // namespace vramlint
