//===- lib/interp/stdlib/Thread.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// <thread>, <mutex>, <condition_variable>, <atomic>, <future>: everything runs in
// place, at once. A thread is 1 while joinable; an atomic is its value; a future
// is a shared pointer to its result.
//
// A thread that waits for a condition is left there. Where it had done nothing before
// it first waited, as the workers of a pool, it begins again when it is told to.

#include "lib/interp/stdlib/Native.h"

#include <utility>

using namespace clang;

namespace vramlint {

struct Machine::Thread {
  Value Callable;
  SmallVector<CellRef, 4> Own;
  SmallVector<CellRef, 6> Args;
  SmallVector<QualType, 4> Types;
  size_t Mark = 0;                 ///< Of what was recorded when it began.
  std::optional<bool> OnlyWaited;  ///< Nothing was, when it first waited.
  bool Told = false;               ///< It was begun again, and may go on.
};

} // namespace vramlint

namespace vramlint::stdlib {

static Operand ignored(Machine &M, CallSite &S) { return nothing(); }
static Operand zero(Machine &M, CallSite &S) { return integer(0); }
static Operand one(Machine &M, CallSite &S) { return integer(1); }
static Operand quiet(Machine &M, CallSite &S) {
  return quietUnknown(M, "something of the thread library");
}

/// Runs \p T from its beginning, until it ends or waits.
static Operand runThread(Machine &M, std::shared_ptr<Machine::Thread> T,
                         bool AsThread = true) {
  SmallVector<Operand, 6> Args(T->Args.begin(), T->Args.end());
  T->Mark = M.domain().mark();
  Machine::Thread *Outer = M.Running;
  if (AsThread)
    M.Running = T.get();
  Operand R = invoke(M, T->Callable, Args, T->Types);
  M.Running = Outer;
  if (AsThread && M.fellAsleep()) {
    if (T->OnlyWaited.value_or(false))
      M.Sleeping.push_back(std::move(T));
    else
      M.unknown("what a thread does after it waited for others");
    return quietUnknown(M, "the result of a thread that waits");
  }
  if (R.Place) // It may refer to what dies here.
    R = M.copy(R.Place->V);
  for (CellRef &C : T->Own)
    C->destroy();
  return R;
}

/// Runs the callable that is argument \p At with the arguments after it.
static Operand runArgs(Machine &M, CallSite &S, unsigned At, bool AsThread = true) {
  if (!hasArg(S, At))
    return nothing();
  auto T = std::make_shared<Machine::Thread>();
  T->Callable = M.take(S, At);
  for (unsigned I = At + 1; I < S.Args.size(); ++I) {
    if (isClass(paramType(S, I), "reference_wrapper") &&
        argValue(S, I).isPointer()) {
      T->Args.push_back(argValue(S, I).pointer().Target);
      continue;
    }
    T->Own.push_back(makeCell(M.take(S, I)));
    T->Args.push_back(T->Own.back());
  }
  T->Types = paramTypes(S, At + 1);
  return runThread(M, std::move(T), AsThread);
}

//===-- condition_variable ------------------------------------------------===//

/// wait(lock) and wait(lock, condition). Only a thread can be left: the others go on.
static Operand waitFor(Machine &M, CallSite &S) {
  Machine::Thread *T = M.Running;
  if (T && !T->OnlyWaited)
    T->OnlyWaited = M.domain().digest(T->Mark) == 0;
  bool GoOn = T && std::exchange(T->Told, false);
  if (hasArg(S, 1)) {
    std::optional<bool> Met = M.truth(invoke(M, argValue(S, 1), {}).value());
    GoOn = !Met || *Met;
  }
  if (T && !GoOn && !M.unwinding())
    M.sleep();
  return nothing();
}

/// notify_one() and notify_all(): whoever waits looks again.
static Operand wake(Machine &M, CallSite &S) {
  auto Woken = std::exchange(M.Sleeping, {});
  for (auto &T : Woken) {
    if (M.stopped() || M.unwinding())
      break;
    T->Told = true;
    runThread(M, T);
  }
  return nothing();
}

//===-- thread, mutex -----------------------------------------------------===//

static Operand startThread(Machine &M, CallSite &S) {
  if (S.Args.empty())
    return integer(0);
  runArgs(M, S, 0);
  return integer(1);
}
static Operand joinThread(Machine &M, CallSite &S) {
  if (S.Object && S.Object->V.isInt())
    S.Object->set(Value::integer(0));
  return nothing();
}
static Operand joinable(Machine &M, CallSite &S) {
  if (S.Object && S.Object->V.isInt())
    return integer(S.Object->V.asInt());
  return quiet(M, S);
}
static Operand moveThread(Machine &M, CallSite &S) {
  if (S.Object)
    S.Object->set(M.copy(argValue(S, 0)));
  if (CellRef C = placeOf(S, 0); C != S.Object)
    C->set(Value::integer(0));
  return self(S);
}
static Operand swapThreads(Machine &M, CallSite &S) {
  CellRef Other = placeOf(S, 0);
  if (S.Object && S.Object != Other)
    std::swap(S.Object->V, Other->V);
  return nothing();
}
static Operand callOnce(Machine &M, CallSite &S) {
  CellRef Flag = placeOf(S, 0);
  bool Done = Flag->V.isInt() && Flag->V.asInt();
  if (!Done)
    runArgs(M, S, 1, /*AsThread=*/false);
  Flag->set(Value::integer(1));
  return nothing();
}

//===-- atomic ------------------------------------------------------------===//

static Operand atomicInit(Machine &M, CallSite &S) {
  QualType T = classTypeArg(S, 0);
  if (S.Args.empty())
    return T.isNull() ? Value::integer(0) : M.defaultValue(T);
  return fitted(M, T, M.take(S, 0));
}
static Operand atomicLoad(Machine &M, CallSite &S) {
  return S.Object ? M.copy(S.Object->V) : Value();
}
static Operand atomicStore(Machine &M, CallSite &S) {
  if (S.Object)
    S.Object->set(fitted(M, classTypeArg(S, 0), M.take(S, 0)));
  return argValue(S, 0).isNumber() ? Operand(cloned(argValue(S, 0)))
                                   : atomicLoad(M, S);
}
static Operand atomicExchange(Machine &M, CallSite &S) {
  Value Old = S.Object ? M.copy(S.Object->V) : Value();
  atomicStore(M, S);
  return Old;
}

/// Adds \p N; returns the new or the old value.
static Operand atomicAdd(Machine &M, CallSite &S, const Value *By, int Sign,
                         bool ReturnOld) {
  if (!S.Object)
    return nothing();
  Value &V = S.Object->V;
  if (!V.isNumber() || (By && !By->isNumber())) {
    Value U = M.unknownFrom(S, "atomic whose value is not known");
    S.Object->set(Value(U.unknown()));
    return U;
  }
  Value Old = cloned(V);
  if (V.isInt() && (!By || By->isInt()))
    V = Value::integer((uint64_t)V.asInt() +
                       (uint64_t)Sign * (By ? By->asInt() : 1));
  else
    V = Value::real(V.asNumber() + Sign * (By ? By->asNumber() : 1));
  return ReturnOld ? std::move(Old) : cloned(V);
}
template <int Sign> static Operand atomicStep(Machine &M, CallSite &S) {
  return atomicAdd(M, S, nullptr, Sign, /*ReturnOld=*/hasArg(S, 0));
}
template <int Sign, bool Old>
static Operand atomicChange(Machine &M, CallSite &S) {
  return atomicAdd(M, S, &argValue(S, 0), Sign, Old);
}
static Operand compareExchange(Machine &M, CallSite &S) {
  CellRef Expected = placeOf(S, 0);
  std::optional<int> C =
      S.Object ? compareValues(S.Object->V, Expected->V) : std::nullopt;
  if (!C)
    return M.unknownFrom(S, "atomic whose value is not known");
  if (*C == 0)
    S.Object->set(M.take(S, 1));
  else
    Expected->set(M.copy(S.Object->V));
  return integer(*C == 0);
}
static Operand testAndSet(Machine &M, CallSite &S) {
  Value Old = S.Object ? M.copy(S.Object->V) : Value();
  if (S.Object)
    S.Object->set(Value::integer(1));
  return Old.isInt() ? std::move(Old) : Value::integer(0);
}
static Operand clearFlag(Machine &M, CallSite &S) {
  if (S.Object)
    S.Object->set(Value::integer(0));
  return nothing();
}

//===-- future ------------------------------------------------------------===//

static std::unique_ptr<SmartPtr> resultHolder(Value Result) {
  auto P = std::make_unique<SmartPtr>(SmartPtr::Shared);
  P->Target = makeCell(std::move(Result));
  P->Strong = std::make_shared<HeapOwner>(P->Target);
  return P;
}

static Operand async(Machine &M, CallSite &S) {
  bool Policy = !paramType(S, 0).isNull() &&
                paramType(S, 0).getNonReferenceType()->isEnumeralType();
  Operand R = runArgs(M, S, Policy ? 1 : 0);
  return Value(resultHolder(std::move(R.V)));
}
static Operand noFuture(Machine &M, CallSite &S) {
  return Value(std::make_unique<SmartPtr>(SmartPtr::Shared));
}
static Operand makePromise(Machine &M, CallSite &S) {
  return Value(resultHolder(Value()));
}
static Operand getResult(Machine &M, CallSite &S, SmartPtr &P) {
  if (!P.Target)
    return M.unknown("result of a future without a state");
  Value R = M.moveOut(*P.Target);
  P.Target = nullptr;
  P.Strong.reset();
  return R;
}
static Operand getShared(Machine &M, CallSite &S, SmartPtr &P) {
  if (!P.Target)
    return unknownPlace(M.unknown("result of a future without a state"));
  return P.Target;
}
static Operand isValid(Machine &M, CallSite &S, SmartPtr &P) {
  return integer(P.Target != nullptr);
}
static Operand share(Machine &M, CallSite &S) {
  return S.Object ? M.moveOut(*S.Object) : Value();
}
static Operand getFuture(Machine &M, CallSite &S, SmartPtr &P) {
  return M.copy(S.Object->V);
}
static Operand setValue(Machine &M, CallSite &S, SmartPtr &P) {
  if (P.Target && hasArg(S, 0))
    P.Target->set(M.take(S, 0));
  return nothing();
}

/// packaged_task: the callable and its result's holder.
static Operand makeTask(Machine &M, CallSite &S) {
  auto Task = makeSequence(Sequence::Tuple);
  Task->Elements.push_back(makeCell(hasArg(S, 0) ? M.take(S, 0) : Value()));
  Task->Elements.push_back(makeCell(Value(resultHolder(Value()))));
  return Value(std::move(Task));
}
static Operand runTask(Machine &M, CallSite &S, Sequence &Task) {
  SmallVector<Operand, 4> Args;
  for (unsigned I = 0; I < S.Args.size(); ++I)
    Args.push_back(placeOf(S, I));
  CellRef Holder = Task.Elements[1];
  Operand R = invoke(M, Task.Elements[0]->V, Args);
  if (auto *P = Holder->V.as<SmartPtr>(); P && P->Target)
    P->Target->set(R.Place ? M.copy(R.Place->V) : std::move(R.V));
  return nothing();
}
static Operand taskFuture(Machine &M, CallSite &S, Sequence &Task) {
  return M.copy(Task.Elements[1]->V);
}

//===-- Table -------------------------------------------------------------===//

#define MUTEX(C)                                                               \
  {"std::" C "::" C, zero}, {"std::" C "::lock", ignored},                     \
      {"std::" C "::unlock", ignored}, {"std::" C "::try_lock", one},          \
      {"std::" C "::lock_shared", ignored},                                    \
      {"std::" C "::unlock_shared", ignored}, {"std::" C "::owns_lock", one},  \
      {"std::" C "::operator bool", one}, {"std::" C "::release", quiet},      \
      {"std::" C "::try_lock_for", one}
#define ATOMIC(C)                                                              \
  {"std::" C "::" C, atomicInit}, {"std::" C "::load", atomicLoad},            \
      {"std::" C "::store", atomicStore},                                      \
      {"std::" C "::operator=", atomicStore},                                  \
      {"std::" C "::operator T", atomicLoad},                                  \
      {"std::" C "::operator bool", atomicLoad},                               \
      {"std::" C "::exchange", atomicExchange},                                \
      {"std::" C "::operator++", atomicStep<1>},                               \
      {"std::" C "::operator--", atomicStep<-1>},                              \
      {"std::" C "::operator+=", atomicChange<1, false>},                      \
      {"std::" C "::operator-=", atomicChange<-1, false>},                     \
      {"std::" C "::fetch_add", atomicChange<1, true>},                        \
      {"std::" C "::fetch_sub", atomicChange<-1, true>},                       \
      {"std::" C "::compare_exchange_strong", compareExchange},                \
      {"std::" C "::compare_exchange_weak", compareExchange},                  \
      {"std::" C "::is_lock_free", one}

static constexpr NativeEntry ThreadEntries[] = {
    {"std::thread::thread", startThread},
    {"std::thread::operator=", moveThread},
    {"std::thread::join", joinThread},
    {"std::thread::swap", swapThreads},
    {"std::thread::detach", joinThread},
    {"std::thread::joinable", joinable},
    {"std::thread::get_id", quiet},
    {"std::thread::native_handle", quiet},
    {"std::thread::hardware_concurrency", quiet},
    {"std::jthread::jthread", startThread},
    {"std::jthread::join", joinThread},
    {"std::jthread::detach", joinThread},
    {"std::jthread::joinable", joinable},
    {"std::this_thread::sleep_for", ignored},
    {"std::this_thread::sleep_until", ignored},
    {"std::this_thread::yield", ignored},
    {"std::this_thread::get_id", quiet},
    MUTEX("mutex"),
    MUTEX("recursive_mutex"),
    MUTEX("timed_mutex"),
    MUTEX("shared_mutex"),
    MUTEX("shared_timed_mutex"),
    MUTEX("lock_guard"),
    MUTEX("unique_lock"),
    MUTEX("shared_lock"),
    MUTEX("scoped_lock"),
    {"std::lock", ignored},
    {"std::once_flag::once_flag", zero},
    {"std::call_once", callOnce},
    {"std::condition_variable::condition_variable", zero},
    {"std::condition_variable::wait", waitFor},
    {"std::condition_variable::wait_for", quiet},
    {"std::condition_variable::wait_until", quiet},
    {"std::condition_variable::notify_one", wake},
    {"std::condition_variable::notify_all", wake},
    {"std::condition_variable_any::condition_variable_any", zero},
    {"std::condition_variable_any::wait", waitFor},
    {"std::condition_variable_any::notify_one", wake},
    {"std::condition_variable_any::notify_all", wake},
    ATOMIC("atomic"),
    ATOMIC("__atomic_base"),
    ATOMIC("__atomic_float"),
    {"std::atomic_flag::atomic_flag", zero},
    {"std::atomic_flag::test_and_set", testAndSet},
    {"std::atomic_flag::clear", clearFlag},
    {"std::atomic_flag::test", atomicLoad},
    {"std::atomic_thread_fence", ignored},
};
const Table ThreadTable = ThreadEntries;

static constexpr NativeEntry FutureEntries[] = {
    {"std::async", async},
    {"std::future::future", noFuture},
    {"std::future::get", on<SmartPtr, getResult>},
    {"std::future::share", share},
    {"std::shared_future::shared_future", share},
    {"std::shared_future::get", on<SmartPtr, getShared>},
    {"std::__basic_future::valid", on<SmartPtr, isValid>},
    {"std::__basic_future::wait", ignored},
    {"std::__basic_future::wait_for", quiet},
    {"std::__basic_future::wait_until", quiet},
    {"std::promise::promise", makePromise},
    {"std::promise::get_future", on<SmartPtr, getFuture>},
    {"std::promise::set_value", on<SmartPtr, setValue>},
    {"std::promise::set_exception", ignored},
    {"std::packaged_task::packaged_task", makeTask},
    {"std::packaged_task::operator()", on<Sequence, runTask>},
    {"std::packaged_task::get_future", on<Sequence, taskFuture>},
};
const Table FutureTable = FutureEntries;

} // namespace vramlint::stdlib
