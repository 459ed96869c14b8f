//===- lib/interp/Loop.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Loops. Each is run until its iterations repeat (the domain's digest says when);
// then the rest is skipped, counters advanced, and the last iteration run.
//
// What "repeat" needs: the last Period iterations have the same digest as the
// Period before them, where Period covers the small moduli that the body computes
// (`if (i % 4 == 0) optimizer.step()`). Skipping stops where a condition turns
// (Turns.h): `if (epoch == 50) size = 608`.

#include "lib/interp/Internal.h"

using namespace clang;

namespace vramlint {

/// The largest modulus whose whole cycle is run before a loop is cut short.
static constexpr int64_t MaxPeriod = 16;

LoopTracker::LoopTracker(Machine &M)
    : M(M), Loop(M.NextLoop++), OfUser(M.Current && M.Current->UserCode) {
  M.Trackers.push_back(this);
}

LoopTracker::~LoopTracker() {
  M.Trackers.pop_back();
  if (OfUser)
    M.Plugin.loopEnd(M, Loop);
}

void LoopTracker::written(Cell &C) {
  auto [It, New] = WrittenIndex.try_emplace(&C, Written.size());
  if (New)
    Written.push_back({CellRef(&C), {}});
}

void LoopTracker::modulus(int64_t N) {
  if (N > Period && N <= MaxPeriod)
    Period = N;
}

void LoopTracker::begin() {
  ++Iteration;
  Mark = M.Plugin.mark();
  if (OfUser)
    M.Plugin.loopIteration(M, Loop, Iteration);
  beginSilently();
}

/// A variable of an iteration that is over: only loops hold it.
bool LoopTracker::isDead(const History &H) const {
  size_t Holders = llvm::count_if(M.Trackers, [&](const LoopTracker *T) {
    return T->WrittenIndex.count(H.C.get()) != 0;
  });
  return H.C->UseCount() <= Holders;
}

void LoopTracker::dropDead() {
  llvm::erase_if(Written, [&](const History &H) { return isDead(H); });
  WrittenIndex.clear();
  for (size_t I = 0; I < Written.size(); ++I)
    WrittenIndex[Written[I].C.get()] = I;
  MostWritten = std::max<size_t>(64, 2 * Written.size());
}

void LoopTracker::beginSilently() {
  if (Written.size() > MostWritten)
    dropDead();
  for (History &H : Written) {
    if (H.AtHead.size() == 3)
      H.AtHead.erase(H.AtHead.begin());
    H.AtHead.push_back(H.C->V.isInt() ? std::optional<int64_t>(H.C->V.asInt())
                                      : std::nullopt);
  }
}

bool LoopTracker::end() {
  Digests.push_back(M.Plugin.digest(Mark));
  Levels.push_back(M.Plugin.level());
  bool New = Known.insert(Digests.back()).second;
  if (Checking > 0) {
    FoundNew |= New;
    if (--Checking > 0)
      return false;
    Turning.ran(FoundNew);
  }
  size_t N = Levels.size(), P = Period;
  bool Rests = sameFor(1);
  for (size_t I = 0; Rests && I < P; ++I)
    Rests = Levels[N - 1 - I] == Levels[N - 1 - I - P];
  if (Rests)
    return true;
  // What a container gets counts later on, and it may be emptied when it is full.
  return !fills() && grows();
}

bool LoopTracker::jumpToTurn(int64_t Left) {
  std::optional<int64_t> Turn = Turning.next(Iteration);
  if (!Turn || *Turn - Iteration >= Left)
    return false;
  jump(*Turn - Iteration - 1);
  // The iteration before may be what turns it, the one after may show it.
  Checking = Period + 2;
  FoundNew = false;
  return true;
}

/// Does the loop fill containers that are there after it?
bool LoopTracker::fills() const {
  return llvm::any_of(Resized, [&](const CellRef &C) {
    size_t Holders = llvm::count_if(M.Trackers, [&](const LoopTracker *T) {
      return llvm::is_contained(T->Resized, C);
    });
    return C->UseCount() > Holders;
  });
}

/// Did the last \p Periods periods what the one before them did?
bool LoopTracker::sameFor(size_t Periods) const {
  size_t N = Digests.size(), P = Period, Last = P * Periods;
  if (N < Last + P + 1 || Digests.back() == 0)
    return false;
  for (size_t I = 0; I < Last; ++I)
    if (Digests[N - 1 - I] != Digests[N - 1 - I - P] || Digests[N - 1 - I] == 0)
      return false;
  return true;
}

bool LoopTracker::idle() const {
  // What this iteration wrote first is its own variable, or changes again.
  return Resized.empty() && llvm::all_of(Written, [&](const History &H) {
    return H.AtHead.empty() || delta(*H.C) == 0 || isDead(H);
  });
}

bool LoopTracker::grows() const {
  constexpr size_t Enough = 3; // Periods that grow alike.
  size_t N = Levels.size(), P = Period;
  if (!sameFor(Enough))
    return false;
  int64_t Step = Levels[N - 1] - Levels[N - 1 - P];
  for (size_t I = 1; I < Enough; ++I)
    if (Levels[N - 1 - I * P] - Levels[N - 1 - (I + 1) * P] != Step)
      return false;
  return Step > 0;
}

std::optional<int64_t> LoopTracker::delta(Cell &C) const {
  auto It = WrittenIndex.find(&C);
  if (It == WrittenIndex.end())
    return 0;
  const auto &At = Written[It->second].AtHead;
  size_t N = At.size();
  if (N < 2 || !At[N - 1] || !At[N - 2] || !C.V.isInt())
    return std::nullopt;
  int64_t Step = *At[N - 1] - *At[N - 2];
  if (N >= 3 && (!At[N - 3] || *At[N - 2] - *At[N - 3] != Step))
    return std::nullopt;
  return Step;
}

void LoopTracker::jump(int64_t Iterations) {
  if (Iterations <= 0)
    return;
  if (OfUser)
    M.Plugin.loopJump(M, Loop, Iterations);
  Iteration += Iterations;
  if (fills() && grows())
    openResized();
  for (History &H : Written) {
    std::optional<int64_t> Step = delta(*H.C);
    if (Step && *Step == 0)
      continue;
    int64_t New;
    if (Step && H.C->V.isInt() &&
        !__builtin_mul_overflow(*Step, Iterations, &New) &&
        !__builtin_add_overflow(New, H.C->V.asInt(), &New)) {
      H.C->V = Value::integer(New);
      for (std::optional<int64_t> &Was : H.AtHead)
        if (Was)
          *Was += *Step * Iterations; // So that the next head goes on from there.
      continue;
    }
    if (H.C->V.isNumber()) {
      UnknownRef Info(new UnknownInfo());
      Info->Reason = "a number that changes in a loop that was cut short";
      Info->Pos = M.currentPos();
      H.C->V = Value(Info);
    }
    H.AtHead.clear();
  }
}

void Machine::indexed(const void *E, const Places &Elements, int64_t Index) {
  for (LoopTracker *T : Trackers)
    if (Turns *Watched = T->turns())
      Watched->indexed(E, Elements, Index, T->iteration());
}

void LoopTracker::resized(Cell &C) {
  if (llvm::none_of(Resized, [&](const CellRef &R) { return R.get() == &C; }))
    Resized.push_back(CellRef(&C));
}

void LoopTracker::forget() {
  UnknownRef Info(new UnknownInfo());
  Info->Reason = "how often a loop runs";
  Info->Pos = M.currentPos();
  for (History &H : Written) {
    bool Same = !H.AtHead.empty() && H.AtHead.back() && H.C->V.isInt() &&
                *H.AtHead.back() == H.C->V.asInt() && delta(*H.C) == 0;
    if (H.C->V.isInt() && !Same)
      H.C->V = Value(Info);
  }
  openResized();
  for (CellRef &C : Resized)
    if (C->V.isString())
      C->V = Value(Info);
}

/// How much is in the containers that the loop fills is not known.
void LoopTracker::openResized() {
  for (CellRef &C : Resized)
    if (auto *S = C->V.as<Sequence>())
      S->Open = true;
}

/// How many more iterations a loop with condition \p Cond runs, from the change
/// of its counter per iteration; nothing if that can't be told.
std::optional<int64_t> Machine::remaining(const Expr *Cond, LoopTracker &T) {
  auto *B = Cond ? dyn_cast<BinaryOperator>(Cond->IgnoreParenImpCasts()) : nullptr;
  if (!B || !B->isComparisonOp())
    return std::nullopt;
  FullExpression Full(*this);
  auto Side = [&](const Expr *E) -> std::pair<std::optional<int64_t>, int64_t> {
    E = E->IgnoreParenImpCasts();
    if (E->isGLValue()) {
      CellRef C = evalPlace(E);
      std::optional<int64_t> D = T.delta(*C);
      if (std::optional<Value> Drawn = drawn(C->V); Drawn && Drawn->isInt())
        return {Drawn->asInt(), 0};
      return {C->V.isInt() && D ? std::optional<int64_t>(C->V.asInt()) : std::nullopt,
              D.value_or(0)};
    }
    Value V = evalValue(E);
    if (std::optional<Value> Drawn = drawn(V))
      V = std::move(*Drawn);
    return {V.isInt() ? std::optional<int64_t>(V.asInt()) : std::nullopt, 0};
  };
  auto [L, DL] = Side(B->getLHS());
  auto [R, DR] = Side(B->getRHS());
  if (!L || !R)
    return std::nullopt;
  __int128 Gap = (__int128)*R - *L, Step = (__int128)DL - DR;
  BinaryOperatorKind Op = B->getOpcode();
  if (Op == BO_GT || Op == BO_GE) {
    Gap = -Gap;
    Step = -Step;
  }
  if (Step <= 0 || Op == BO_EQ)
    return std::nullopt;
  __int128 N = Op == BO_LE || Op == BO_GE ? Gap / Step + 1 : (Gap + Step - 1) / Step;
  if (Op == BO_NE && Gap % Step != 0)
    return std::nullopt;
  return N < 0 ? 0 : N > INT64_MAX ? INT64_MAX : (int64_t)N;
}

/// After an iteration that repeats: skips what does the same.
Machine::Rest Machine::skipAhead(const Expr *Cond, LoopTracker &T) {
  std::optional<int64_t> Left = remaining(Cond, T);
  if (T.jumpToTurn(Left.value_or(INT64_MAX)))
    return Rest::FromTurn;
  if (!Left) {
    // An unknown or endless loop: the iterations seen stand for all.
    if (!Cond || isConstantTrue(Cond)) {
      T.jump(INT64_MAX / 4);
      if (Running)
        sleep(); // The others go on.
      else
        stop("the program runs until it is ended");
    } else {
      T.jump(1);
      T.forget();
    }
    return Rest::Nothing;
  }
  if (*Left > 1)
    T.jump(*Left - 1);
  return Rest::LastIteration;
}

bool Machine::isConstantTrue(const Expr *Cond) {
  bool Result = false;
  return !Cond->isValueDependent() &&
         Cond->EvaluateAsBooleanCondition(Result, context()) && Result;
}

/// One loop of the forms for, while and do.
Machine::Flow Machine::runLoop(const Stmt *Loop, const Expr *Cond,
                               const VarDecl *CondVar, const Stmt *Body,
                               const Expr *Inc, bool TestFirst) {
  LoopTracker T(*this);
  bool Skipped = false, Endless = !Cond || isConstantTrue(Cond);
  int64_t Idle = 0; // Iterations in a row that changed nothing.
  for (bool First = true;; First = false) {
    if (!step() || Unwinding || Stopped)
      return Flow::Normal;
    Scope Iteration(*this);
    at(Loop->getBeginLoc());
    if (Cond && (TestFirst || !First)) {
      Value Goes = conditionValue(Cond, CondVar);
      if (Unwinding || Stopped)
        return Flow::Normal;
      // How often a `for` runs may be drawn; `while (drawn)` draws again.
      if (Inc && Goes.isUnknown() && Goes.unknown()->Draw) {
        remaining(Cond, T); // Settles on the greatest bound.
        Goes = std::move(*drawn(Goes));
      }
      std::optional<bool> Known = truth(Goes);
      // An unknown bound: a few iterations stand for all.
      if (!Known && T.iteration() + 1 >= UnknownLoopIterations) {
        T.forget();
        break;
      }
      if (Known && !*Known)
        break;
    }
    T.begin();
    uint64_t Before = Decided;
    Flow F = exec(Body);
    if (F == Flow::Break)
      break;
    if (Endless && Decided != Before && !T.digestSeen() &&
        T.iteration() >= IdleLoopIterations)
      break;
    if (F == Flow::Return || Unwinding || Stopped)
      return F == Flow::Return ? F : Flow::Normal;
    bool Repeats = T.end();
    at(Loop->getBeginLoc());
    if (Inc) {
      FullExpression Full(*this);
      eval(Inc);
    }
    statementDone();
    Repeats |= T.iteration() > Limits.MaxIterations && T.grows();
    if (T.iteration() > Limits.MaxIterations && T.digestSeen() && !Repeats) {
      unknown("a loop of more than " + llvm::Twine(Limits.MaxIterations) +
              " iterations that do not repeat");
      break;
    }
    Idle = T.iteration() > Limits.MaxIterations && T.idle() ? Idle + 1 : 0;
    if (Idle > MaxPeriod) {
      unknown("a loop that waits");
      if (Running)
        sleep();
      break;
    }
    if (Repeats && !Skipped) {
      T.beginSilently();
      Rest Left = skipAhead(Cond, T);
      if (Left == Rest::Nothing)
        break;
      Skipped = Left == Rest::LastIteration;
    }
  }
  return Flow::Normal;
}

Machine::Flow Machine::execFor(const ForStmt *S) {
  Scope Outer(*this);
  at(S->getBeginLoc());
  if (S->getInit())
    exec(S->getInit());
  return runLoop(S, S->getCond(), S->getConditionVariable(), S->getBody(),
                 S->getInc(), /*TestFirst=*/true);
}

Machine::Flow Machine::execWhile(const WhileStmt *S) {
  return runLoop(S, S->getCond(), S->getConditionVariable(), S->getBody(),
                 nullptr, /*TestFirst=*/true);
}

Machine::Flow Machine::execDo(const DoStmt *S) {
  // do { … } while (0) is a macro's way to be one statement, not a loop.
  bool Value = true;
  if (!S->getCond()->isValueDependent() &&
      S->getCond()->EvaluateAsBooleanCondition(Value, context()) && !Value) {
    Flow F = exec(S->getBody());
    return F == Flow::Break || F == Flow::Continue ? Flow::Normal : F;
  }
  return runLoop(S, S->getCond(), nullptr, S->getBody(), nullptr,
                 /*TestFirst=*/false);
}

/// Runs \p Body for each element, by index: the body may change the container.
static void overElements(LoopTracker &T, CellRef Range,
                         llvm::function_ref<bool(CellRef)> Body) {
  auto *Seq = Range->V.as<Sequence>();
  for (size_t I = 0; Seq && I < Seq->Elements.size(); ++I) {
    T.begin();
    CellRef Element = Seq->Elements[I];
    if (!Body(Element))
      return;
    T.end();
    Seq = Range->V.as<Sequence>();
  }
  if (Seq && Seq->Open)
    T.forget();
}

/// Is \p Range a map of the standard library, whose elements are pairs? That of a
/// library's own class says what its elements are by its iterators.
static bool isPlainRange(Machine &M, const VarDecl &RangeVar, const Value &Range) {
  auto *S = Range.as<Sequence>();
  const CXXRecordDecl *D =
      RangeVar.getType().getNonReferenceType()->getAsCXXRecordDecl();
  return S && (S->Tag != Sequence::Map || !D || M.nameOf(*D).starts_with("std::"));
}

/// Runs \p Body for each character of a text. Characters have no places: what the
/// body made of one is written back after it.
static void overCharacters(LoopTracker &T, CellRef Range,
                           llvm::function_ref<bool(CellRef)> Body) {
  for (size_t I = 0; Range->V.isString() && I < Range->V.string().size(); ++I) {
    T.begin();
    CellRef Char = makeCell(Value::integer(Range->V.string()[I]));
    bool More = Body(Char);
    if (Range->V.isString() && I < Range->V.string().size()) {
      if (Char->V.isInt())
        Range->V.string()[I] = static_cast<char>(Char->V.asInt());
      else if (Char->V.isUnknown())
        Range->set(Value(Char->V.unknown()));
    }
    if (!More)
      return;
    T.end();
  }
}

Machine::Flow Machine::execRangeFor(const CXXForRangeStmt *S) {
  Scope Outer(*this);
  at(S->getBeginLoc());
  if (S->getInit())
    exec(S->getInit());
  const auto *RangeVar = cast<VarDecl>(S->getRangeStmt()->getSingleDecl());
  declareVar(RangeVar);
  CellRef Range = Current->Vars.lookup(RangeVar);
  if (!Range || Unwinding || Stopped)
    return Flow::Normal;
  Flow Result = Flow::Normal;
  const VarDecl *V = S->getLoopVariable();
  // Runs the body with the loop variable made from Element; false: leave.
  auto Body = [&](CellRef Element) {
    if (!step())
      return false;
    Flow F;
    {
      Scope Iteration(*this);
      at(S->getBeginLoc());
      bindLoopVariable(V, Element);
      statementDone();
      F = exec(S->getBody());
    }
    at(S->getBeginLoc()); // What the range does for its next element.
    if (F == Flow::Return)
      Result = F;
    return F != Flow::Break && F != Flow::Return && !Unwinding && !Stopped;
  };
  if (Plugin.iterate(*this, Range, Body))
    return Result;
  auto *Seq = Range->V.as<Sequence>();
  if (Seq && !isPlainRange(*this, *RangeVar, Range->V))
    return execRangeByIterators(S);
  if (Seq) {
    LoopTracker T(*this);
    overElements(T, Range, Body);
    return Result;
  }
  if (Range->V.isString()) {
    LoopTracker T(*this);
    overCharacters(T, Range, Body);
    return Result;
  }
  if (Range->V.as<Record>())
    return execRangeByIterators(S);
  // Unknown range: one element of unknown value stands for all.
  Value Element = Range->V.isUnknown() ? unknown(Range->V.unknown())
                                       : unknown("the elements of a range");
  LoopTracker T(*this);
  for (int64_t I = 0; I < UnknownLoopIterations; ++I) {
    T.begin();
    if (!Body(makeCell(copy(Element))))
      break;
    if (T.end())
      break;
  }
  T.forget();
  return Result;
}

void Machine::bindLoopVariable(const VarDecl *V, CellRef Element) {
  // What the conversion of *__begin to the variable's type would do.
  QualType T = V->getType().getNonReferenceType();
  const CXXRecordDecl *D = T->getAsCXXRecordDecl();
  bool Wrapper = D && D->getIdentifier() && D->getName() == "reference_wrapper";
  if (Element->V.isPointer() && Element->V.pointer().Target && !Wrapper &&
      !T->isAnyPointerType())
    Element = Element->V.pointer().Target;
  if (Element->V.isNumber() && T->isArithmeticType() &&
      Element->V.isFloat() != T->isFloatingType())
    Element = makeCell(convert(copy(Element->V), T));
  if (V->getType()->isReferenceType()) {
    Current->Vars[V] = Element;
  } else {
    CellRef C = makeCell();
    // `auto x : range` copies; the initializer is *__begin, which has no place
    // here, so the copy is made directly.
    C->set(copy(Element->V));
    Current->Vars[V] = C;
    if (Block)
      Block->Cells.push_back(C);
  }
  if (auto *D = dyn_cast<DecompositionDecl>(V))
    declareBindings(D, Current->Vars[V]);
}

/// A range of a user's class: its begin() and end() are run as C++ does.
Machine::Flow Machine::execRangeByIterators(const CXXForRangeStmt *S) {
  exec(S->getBeginStmt());
  exec(S->getEndStmt());
  LoopTracker T(*this);
  while (step() && !Unwinding && !Stopped) {
    Scope Iteration(*this);
    std::optional<bool> More = condition(S->getCond(), nullptr);
    if (!More && T.iteration() + 1 >= UnknownLoopIterations) {
      T.forget();
      break;
    }
    if (More && !*More)
      break;
    T.begin();
    declareVar(S->getLoopVariable());
    Flow F = exec(S->getBody());
    if (F == Flow::Return)
      return F;
    if (F == Flow::Break || T.end())
      break;
    FullExpression Full(*this);
    eval(S->getInc());
  }
  return Flow::Normal;
}

} // namespace vramlint
