//===- lib/torch/jit/Archive.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See Archive.h. data.pkl is the module, an object whose state names its fields;
// code/ has the classes, with lists of the fields that are parameters and buffers;
// constants.pkl has tensors that the code names, all weights of a frozen module
// among them. torch::save() writes modules the same way.

#include "lib/torch/jit/Archive.h"
#include "lib/torch/jit/Pickle.h"
#include "lib/torch/jit/Zip.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"
#include <tuple>

namespace vramlint {

namespace {

/// What the code of a class says of its fields.
struct ClassLists {
  llvm::StringSet<> Parameters, Buffers;
};

class ArchiveReader {
public:
  ArchiveReader(const ZipFile &Zip, const ArchiveLimits &Limits)
      : Zip(Zip), Limits(Limits) {}
  llvm::Expected<ScriptArchive> run();

private:
  llvm::Error findPrefix();
  llvm::Error readCode();
  void readLists(llvm::StringRef Module, llvm::StringRef Code);
  llvm::Error readTree(llvm::StringRef Pickle, llvm::StringRef Folder,
                       bool Constants);
  llvm::Error addStorages(const PickleTree &T, llvm::StringRef Folder);
  /// Can \p R hold tensors, and wasn't it seen before?
  bool wanted(const PickleTree &T, PickleRef R) const {
    return T.Values[R].Kind >= PickleValue::List && !Seen.contains(R);
  }
  void visit(const PickleTree &T, PickleRef R, std::string Name,
             ArchiveTensor::KindTy Kind, unsigned Depth);
  void visitObject(const PickleTree &T, const PickleValue &V,
                   const std::string &Name, unsigned Depth);

  const ZipFile &Zip;
  const ArchiveLimits &Limits;
  std::string Prefix; ///< "model/": what all names begin with.
  llvm::StringMap<ClassLists> Classes;
  ScriptArchive Out;
  size_t FirstStorage = 0; ///< Of the pickle that is being read.
  llvm::DenseSet<PickleRef> Seen;
  std::string Problem;
};

} // namespace

llvm::Error ArchiveReader::findPrefix() {
  for (const ZipFile::Entry &E : Zip.entries()) {
    llvm::StringRef Name(E.Name);
    if (Name.consume_back("/data.pkl") && !Name.contains('/')) {
      Prefix = Name.str() + "/";
      return llvm::Error::success();
    }
    if (Name.ends_with("/model.json"))
      return llvm::createStringError("was written by a LibTorch before 1.3, whose format isn't read");
  }
  return llvm::createStringError("is no TorchScript archive: it has no data.pkl");
}

/// The quoted words of `__parameters__ = ["weight", "bias", ]`.
static void readList(llvm::StringRef Line, llvm::StringSet<> &Out) {
  while (true) {
    size_t Begin = Line.find('"');
    size_t End = Line.find('"', Begin + 1);
    if (Begin == llvm::StringRef::npos || End == llvm::StringRef::npos)
      return;
    Out.insert(Line.slice(Begin + 1, End));
    Line = Line.substr(End + 1);
  }
}

void ArchiveReader::readLists(llvm::StringRef Module, llvm::StringRef Code) {
  ClassLists *Now = nullptr;
  while (!Code.empty()) {
    llvm::StringRef Line;
    std::tie(Line, Code) = Code.split('\n');
    if (Line.consume_front("class ")) {
      llvm::StringRef Name = Line.take_until([](char C) { return C == '(' || C == ':'; });
      Now = &Classes[(Module + "." + Name.trim()).str()];
      continue;
    }
    Line = Line.ltrim();
    if (!Now)
      continue;
    if (Line.consume_front("__parameters__ ="))
      readList(Line, Now->Parameters);
    else if (Line.consume_front("__buffers__ ="))
      readList(Line, Now->Buffers);
  }
}

llvm::Error ArchiveReader::readCode() {
  uint64_t Left = Limits.MaxCodeBytes;
  bool Any = false;
  for (const ZipFile::Entry &E : Zip.entries()) {
    llvm::StringRef Name(E.Name);
    if (!Name.consume_front(Prefix) || !Name.consume_front("code/"))
      continue;
    Any = true;
    if (!Name.consume_back(".py"))
      continue;
    llvm::Expected<std::string> Code = Zip.read(E, Left);
    if (!Code)
      return Code.takeError();
    Left -= Code->size();
    std::string Module = Name.str();
    std::replace(Module.begin(), Module.end(), '/', '.');
    readLists(Module, *Code);
  }
  if (!Any)
    return llvm::createStringError(
        "is no TorchScript archive: it has no code (a state dict, perhaps)");
  return llvm::Error::success();
}

/// The storages of \p T, whose sizes must be those of their files.
llvm::Error ArchiveReader::addStorages(const PickleTree &T,
                                       llvm::StringRef Folder) {
  FirstStorage = Out.StorageBytes.size();
  for (const PickleStorage &S : T.Storages) {
    const ZipFile::Entry *E = Zip.find(Prefix + Folder.str() + S.Key);
    if (!E)
      return llvm::createStringError("is damaged: '" + Folder + S.Key + "' is missing");
    int64_t Size = S.ItemBytes ? (Bytes{S.Elements} * S.ItemBytes).Count
                               : int64_t(E->Size);
    if (uint64_t(Size) != E->Size)
      return llvm::createStringError("is damaged: '" + Folder + S.Key +
                                     "' has another size than its tensors");
    Out.StorageBytes.push_back(Size);
  }
  return llvm::Error::success();
}

llvm::Error ArchiveReader::readTree(llvm::StringRef Pickle,
                                    llvm::StringRef Folder, bool Constants) {
  const ZipFile::Entry *E = Zip.find(Prefix + Pickle.str());
  if (!E)
    return llvm::Error::success();
  llvm::Expected<std::string> Text = Zip.read(*E, Limits.MaxPickleBytes);
  if (!Text)
    return Text.takeError();
  llvm::Expected<PickleTree> T = readPickle(*Text, Limits);
  if (!T)
    return llvm::createStringError("is damaged: " + Pickle + " " +
                                   llvm::toString(T.takeError()));
  if (llvm::Error Err = addStorages(*T, Folder))
    return Err;
  Seen.clear();
  visit(*T, T->Root, Constants ? "constants" : "",
        Constants ? ArchiveTensor::Constant : ArchiveTensor::Attribute, 0);
  if (!Problem.empty())
    return llvm::createStringError(Problem);
  return llvm::Error::success();
}

/// Too long a part is left out: nothing here has a use for such names.
static std::string joined(const std::string &Name, llvm::StringRef Field) {
  static constexpr size_t MaxPathBytes = 1024;
  if (Name.size() + Field.size() > MaxPathBytes)
    return Name;
  return Name.empty() ? Field.str() : Name + "." + Field.str();
}

void ArchiveReader::visitObject(const PickleTree &T, const PickleValue &V,
                                const std::string &Name, unsigned Depth) {
  if (V.State == ~0u || V.State >= T.Values.size())
    return;
  // "__torch__ Net": module and name of the class.
  std::string Class = V.Text;
  std::replace(Class.begin(), Class.end(), ' ', '.');
  auto Lists = Classes.find(Class);
  const PickleValue &State = T.Values[V.State];
  if (State.Kind != PickleValue::Dict)
    return visit(T, V.State, Name, ArchiveTensor::Attribute, Depth + 1);
  for (size_t I = 0; I + 1 < State.Items.size(); I += 2) {
    if (!wanted(T, State.Items[I + 1]))
      continue;
    llvm::StringRef Field = T.Values[State.Items[I]].Text;
    const PickleValue &Held = T.Values[State.Items[I + 1]];
    ArchiveTensor::KindTy Kind = ArchiveTensor::Attribute;
    if (Lists != Classes.end()) {
      if (Lists->second.Parameters.contains(Field))
        Kind = ArchiveTensor::Parameter;
      else if (Lists->second.Buffers.contains(Field))
        Kind = ArchiveTensor::Buffer;
    } else if (Held.Kind == PickleValue::Tensor && Held.Number) {
      Kind = ArchiveTensor::Parameter; // No class: by what needs gradients.
    }
    visit(T, State.Items[I + 1], joined(Name, Field), Kind, Depth + 1);
  }
}

void ArchiveReader::visit(const PickleTree &T, PickleRef R, std::string Name,
                          ArchiveTensor::KindTy Kind, unsigned Depth) {
  if (Depth > Limits.MaxDepth) {
    Problem = "is refused: its modules are nested too deep";
    return;
  }
  const PickleValue &V = T.Values[R];
  // Each value once: modules may be shared, and lists may hold themselves.
  if (!Problem.empty() || !wanted(T, R) || !Seen.insert(R).second)
    return;
  if (V.Kind == PickleValue::Tensor) {
    if (Out.Tensors.size() >= Limits.MaxTensors) {
      Problem = "is refused: it has too many tensors";
      return;
    }
    ArchiveTensor A;
    A.Name = std::move(Name);
    A.Kind = Kind;
    A.Type = T.Storages[V.StorageIndex].Type;
    A.Shape = V.Shape;
    Bytes N{1};
    for (int64_t D : V.Shape)
      N = N * D;
    A.Elements = N.Count;
    A.RequiresGrad = V.Number != 0;
    A.Storage = uint32_t(FirstStorage + V.StorageIndex);
    Out.Tensors.push_back(std::move(A));
  } else if (V.Kind == PickleValue::Object) {
    visitObject(T, V, Name, Depth);
  } else if (V.Kind == PickleValue::Dict) {
    for (size_t I = 0; I + 1 < V.Items.size(); I += 2)
      if (wanted(T, V.Items[I + 1]))
        visit(T, V.Items[I + 1], joined(Name, T.Values[V.Items[I]].Text), Kind,
              Depth + 1);
  } else {
    for (size_t I = 0; I < V.Items.size(); ++I)
      if (wanted(T, V.Items[I]))
        visit(T, V.Items[I], joined(Name, std::to_string(I)), Kind, Depth + 1);
  }
}

llvm::Expected<ScriptArchive> ArchiveReader::run() {
  if (llvm::Error E = findPrefix())
    return std::move(E);
  if (llvm::Error E = readCode())
    return std::move(E);
  if (llvm::Error E = readTree("data.pkl", "data/", false))
    return std::move(E);
  if (llvm::Error E = readTree("constants.pkl", "constants/", true))
    return std::move(E);
  return std::move(Out);
}

llvm::Expected<ScriptArchive> readScriptArchive(llvm::StringRef Bytes,
                                                ArchiveLimits Limits) {
  llvm::Expected<ZipFile> Zip = ZipFile::open(Bytes, Limits);
  if (!Zip)
    return Zip.takeError();
  return ArchiveReader(*Zip, Limits).run();
}

int64_t ScriptArchive::bytes() const {
  vramlint::Bytes N;
  for (int64_t S : StorageBytes)
    N += vramlint::Bytes{S};
  return N.Count;
}

} // namespace vramlint
