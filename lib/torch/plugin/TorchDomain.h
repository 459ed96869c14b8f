//===- lib/torch/plugin/TorchDomain.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The plug-in that joins the abstract machine (C++) to the abstract LibTorch
// (lib/torch): what each call into torch::, at:: and c10:: means.
//
//   call in the AST ─► special meaning? (modules, data, optimizers, guards …)
//                   └► else an op: arguments bound by parameter name ─► Runtime

#pragma once

#include "lib/torch/Program.h"
#include "lib/torch/plugin/Objects.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace vramlint {

class TorchDomain : public Domain {
public:
  TorchDomain(Runtime &R, Trace &Out, const ProgramOptions &Options);

  bool call(Machine &M, llvm::StringRef Name, CallSite &Site,
            Operand &Result) override;
  bool construct(Machine &M, llvm::StringRef Name, CallSite &Site,
                 Value &Result) override;
  bool global(Machine &M, llvm::StringRef Name, clang::QualType Type,
              Operand &Result) override;
  bool member(Machine &M, CellRef Object, llvm::StringRef Field,
              Operand &Result) override;
  bool ownsFile(llvm::StringRef File) override;
  bool isUnset(const Object &O) override;
  bool isA(Machine &M, CellRef C, llvm::StringRef Name, bool &Result) override;
  bool iterate(Machine &M, CellRef Range,
               llvm::function_ref<bool(CellRef)> Body) override;
  void initialized(Machine &M, const clang::VarDecl &D, Cell &C) override;
  std::optional<std::string> readFile(llvm::StringRef Name) override;
  bool hasFile(llvm::StringRef Name) override;
  void named(Machine &M, llvm::StringRef Name, Cell &C) override;
  void assumed(Machine &M, llvm::StringRef What, llvm::StringRef Value) override;
  void enter(Machine &M, const clang::FunctionDecl &F, CellRef Object) override;
  void leave(Machine &M, const clang::FunctionDecl &F, CellRef Object,
             Operand &Result) override;
  void moved(Machine &M) override;
  void statementEnd(Machine &M) override;
  void loopIteration(Machine &M, unsigned Loop, int64_t Iteration) override;
  void loopJump(Machine &M, unsigned Loop, int64_t Skipped) override;
  void loopEnd(Machine &M, unsigned Loop) override;
  size_t mark() override;
  uint64_t digest(size_t From) override;
  int64_t level() override;
  void stopped(Machine &M, const UnknownInfo &Why) override;
  void unknown(Machine &M, const UnknownInfo &Info) override;

  Runtime &R;
  Trace &Out;
  const ProgramOptions &Options;
  /// A variable holds the batch size: what-if batches go there.
  bool NamedBatch = false;
  /// What autocast computes in where it is on, by device kind.
  DType AutocastType[2] = {DType::BFloat16, DType::Float16};
  int64_t AutocastNesting = 0;

  // --- Conversions (Convert.cpp) ---------------------------------------------
  Value tensorValue(TensorRef T);
  /// The tensor in \p V; a new one of unknown shape if \p V is Unknown; null if
  /// it is undefined or no tensor.
  TensorRef tensorOf(Machine &M, const Value &V);
  Arg toArg(Machine &M, const Value &V, clang::QualType Type);
  OptionMap toOptions(Machine &M, const Value &V);
  Value toValue(Machine &M, const Arg &A, clang::QualType Type);
  /// Arguments of \p Site by parameter name; the object is "self".
  Args bind(Machine &M, CallSite &Site);
  Operand fromResult(Machine &M, OpResult &Res, CallSite &Site);
  Value quiet(Machine &M, llvm::Twine Reason);

  // --- Modules (ModuleCalls.cpp) ----------------------------------------------
  struct Handle {
    ModuleRef M;
    CellRef Place;                ///< The complete object.
    std::shared_ptr<HeapOwner> Own;   ///< Null for a module that no pointer owns.
    explicit operator bool() const { return M != nullptr; }
  };
  /// The module behind a holder, smart or raw pointer, AnyModule or object.
  Handle moduleOf(Machine &M, const Value &V);
  Handle moduleAt(Machine &M, CellRef C);
  bool moduleCall(Machine &M, llvm::StringRef Class, llvm::StringRef Method,
                  CallSite &Site, Operand &Result);
  bool constructModule(Machine &M, llvm::StringRef Class, CallSite &Site,
                       Value &Result);
  Operand callForward(Machine &M, Handle &H, CallSite &Site, bool Own = false);
  void adopt(Machine &M, const clang::CXXConstructorDecl &C, CellRef Object);
  std::string pathOf(const Module &Mod);
  std::string revealed(Machine &M, const Value &V);
  Operand childIterator(Machine &M, llvm::StringRef Method, Module &Of,
                        CallSite &Site);
  Value handleValue(const std::shared_ptr<HeapOwner> &Own);
  /// Where a call of a module's to(…) moves it; jit::load's device too.
  struct MoveTarget {
    std::optional<Device> Dev;
    std::optional<DType> Type;
  };
  MoveTarget moveTarget(Machine &M, CallSite &Site);

  // --- Others -------------------------------------------------------------------
  bool tensorCall(Machine &M, llvm::StringRef Method, CallSite &Site,
                  Operand &Result);
  bool opCall(Machine &M, llvm::StringRef Op, CallSite &Site, Operand &Result);
  bool operatorCall(Machine &M, CallSite &Site, Operand &Result);
  bool optionCall(Machine &M, CallSite &Site, Operand &Result);
  bool dataCall(Machine &M, llvm::StringRef Name, CallSite &Site,
                Operand &Result);
  bool constructData(Machine &M, llvm::StringRef Name, CallSite &Site,
                     Value &Result);
  bool iterateLoader(Machine &M, LoaderObject &L,
                     llvm::function_ref<bool(CellRef)> Body);
  bool optimCall(Machine &M, llvm::StringRef Name, CallSite &Site,
                 Operand &Result);
  bool constructOptimizer(Machine &M, llvm::StringRef Class, CallSite &Site,
                          Value &Result);
  /// A Function that the user writes, and its context.
  bool customFunctionCall(Machine &M, llvm::StringRef Name, CallSite &Site,
                          Operand &Result);
  bool jitCall(Machine &M, llvm::StringRef Name, CallSite &Site,
               Operand &Result);
  /// torch::autograd's functions, packed sequences (FreeCalls.cpp).
  bool freeCall(Machine &M, llvm::StringRef Name, CallSite &Site,
                Operand &Result);
  bool constructFree(Machine &M, llvm::StringRef Class, CallSite &Site,
                     Value &Result);
  bool dictionaryCall(Machine &M, llvm::StringRef Method, CallSite &Site,
                      Operand &Result);
  Operand packedForward(Machine &M, Handle &H, CallSite &Site);
  bool utilityCall(Machine &M, llvm::StringRef Name, CallSite &Site,
                   Operand &Result);
  bool constructUtility(Machine &M, llvm::StringRef Name, CallSite &Site,
                        Value &Result);
  bool constructGuard(llvm::StringRef Class, Machine &M, CallSite &Site,
                      Value &Result);
  Value forwarded(Machine &M, Value V);
  void assume(llvm::StringRef What, std::string Value, SourcePos Pos,
              std::string From);
  void beganForward(ModuleRef Mod, llvm::StringRef Method, bool Jit,
                    llvm::ArrayRef<CellRef> Inputs);
  void endedForward(Machine &M, Operand &Result);
  void reachedBackward(const TensorRef &Root);
  /// LibTorch refuses: the program throws here.
  void failure(Machine &M, llvm::StringRef Op, std::string Message,
               FailureKind Why = FailureKind::Shape, OpId Id = None);
  void failure(Machine &M, llvm::StringRef Op, const OpResult &Failed) {
    failure(M, Op, Failed.Message, Failed.Why, Failed.FailedOp);
  }

  /// Element \p Index of a tensor of numbers in even steps, if it is one.
  std::optional<double> elementOf(const TensorRef &T, int64_t Index) const;

private:
  struct OpenForward {
    uint32_t Index;   ///< In Trace::Forwards.
    size_t FirstEvent;
    size_t FirstOp;
    unsigned Depth;   ///< Of Runtime::Modules when it began.
  };
  std::vector<OpenForward> Open;
  std::vector<std::pair<uint32_t, Node *>> Recorded; ///< Forwards with a graph.
  llvm::DenseMap<ModuleId, CellRef> ChildLists; ///< What begin() points into.
  llvm::DenseMap<const Module *, CellRef> Places; ///< Base subobject of each module.
  /// What is known of the numbers in a storage that no in-place op has changed.
  struct Numbers {
    bool Random;         ///< Whole numbers from First to Last, at random (randint).
    double First, Last;  ///< Else in even steps (linspace, arange).
  };
  llvm::DenseMap<StorageId, Numbers> Contents;
  const Numbers *contentsOf(const TensorRef &T) const;
  void noteContents(llvm::StringRef Op, const Args &A, const OpResult &Res);
  std::vector<bool> Entered;                     ///< Per frame: a scope was opened.
  std::map<std::vector<std::pair<SourcePos, const char *>>, StackId> StackIds;
};

/// Is the class called \p Name a base of \p R, or a base of one?
bool derivesFrom(Machine &M, const clang::CXXRecordDecl &R, llvm::StringRef Name);

/// "Conv2d" from "Conv2dImpl".
llvm::StringRef withoutImpl(llvm::StringRef Class);

} // namespace vramlint
