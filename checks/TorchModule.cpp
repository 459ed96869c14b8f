//===- checks/TorchModule.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Registers the checks of Checks.def with clang-tidy.

#include "checks/TorchModule.h"
#include "checks/AccessorLongCheck.h"
#include "checks/ArrayrefDanglingCheck.h"
#include "checks/BudgetExceededCheck.h"
#include "checks/CatInLoopCheck.h"
#include "checks/DataPtrEscapesTensorCheck.h"
#include "checks/DataPtrOfTemporaryCheck.h"
#include "checks/DiscardedTensorResultCheck.h"
#include "checks/ElementAccessInLoopCheck.h"
#include "checks/EmptyCacheInLoopCheck.h"
#include "checks/FactoryThenToCheck.h"
#include "checks/ForeignFreeCheck.h"
#include "checks/FromBlobDanglingCheck.h"
#include "checks/FromBlobDtypeMismatchCheck.h"
#include "checks/FunctionalDropoutTrainingCheck.h"
#include "checks/GradGuardThreadCheck.h"
#include "checks/GraphAccumulationCheck.h"
#include "checks/IneffectiveGuardCheck.h"
#include "checks/InferenceTensorEscapeCheck.h"
#include "checks/InferenceWithoutNoGradCheck.h"
#include "checks/InvalidOperationCheck.h"
#include "checks/JitCloneSharesCheck.h"
#include "checks/LossTargetDtypeCheck.h"
#include "checks/MissingEvalCheck.h"
#include "checks/MissingZeroGradCheck.h"
#include "checks/ModelLoadPerCallCheck.h"
#include "checks/NoncontiguousDataPtrCheck.h"
#include "checks/OptimizerBeforeRegistrationCheck.h"
#include "checks/OversizedLinearCheck.h"
#include "checks/ParameterReassignedCheck.h"
#include "checks/RecurrentStateNotDetachedCheck.h"
#include "checks/RetainGraphInLoopCheck.h"
#include "checks/SavedDataTensorCheck.h"
#include "checks/ShapeMismatchCheck.h"
#include "checks/SyncInLoopCheck.h"
#include "checks/TensorOutlivesUseCheck.h"
#include "checks/ThreadPerInferenceCheck.h"
#include "checks/UnregisteredBufferCheck.h"
#include "checks/UnregisteredSubmoduleCheck.h"
#include "checks/ViewRebindCheck.h"
#include "checks/VramOverflowCheck.h"
#include "clang-tidy/ClangTidyModule.h"
#include "clang-tidy/ClangTidyModuleRegistry.h"

namespace vramlint {

namespace {
class TorchModule : public clang::tidy::ClangTidyModule {
public:
  void addCheckFactories(
      clang::tidy::ClangTidyCheckFactories &Factories) override {
#define VRAMLINT_CHECK(NAME, CLASS, CATEGORY, PROFILE, SUMMARY)                \
  Factories.registerCheck<CLASS>(NAME);
#include "checks/Checks.def"
  }
};

clang::tidy::ClangTidyModuleRegistry::Add<TorchModule>
    Registered("torch-module", "Checks of LibTorch code by vramlint.");
} // namespace

llvm::ArrayRef<CheckInfo> allChecks() {
  static constexpr CheckInfo Table[] = {
#define VRAMLINT_CHECK(NAME, CLASS, CATEGORY, PROFILE, SUMMARY)                \
  {NAME, CATEGORY, Profile::PROFILE, SUMMARY},
#include "checks/Checks.def"
  };
  return Table;
}

} // namespace vramlint
