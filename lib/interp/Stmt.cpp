//===- lib/interp/Stmt.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Statements and declarations. Loops are in Loop.cpp.

#include "lib/interp/Internal.h"

using namespace clang;

namespace vramlint {

void Machine::statementDone() {
  if (Current && Current->UserCode)
    Plugin.statementEnd(*this);
}

Machine::Flow Machine::exec(const Stmt *S) {
  if (!S || !step() || Unwinding)
    return Flow::Normal;
  switch (S->getStmtClass()) {
  case Stmt::NullStmtClass:
    return Flow::Normal;
  case Stmt::CompoundStmtClass:
    return execCompound(cast<CompoundStmt>(S));
  case Stmt::AttributedStmtClass:
    return exec(cast<AttributedStmt>(S)->getSubStmt());
  case Stmt::LabelStmtClass:
    return exec(cast<LabelStmt>(S)->getSubStmt());
  case Stmt::CaseStmtClass:
  case Stmt::DefaultStmtClass:
    return exec(cast<SwitchCase>(S)->getSubStmt());
  case Stmt::IfStmtClass:
    return execIf(cast<IfStmt>(S));
  case Stmt::SwitchStmtClass:
    return execSwitch(cast<SwitchStmt>(S));
  case Stmt::ForStmtClass:
    return execFor(cast<ForStmt>(S));
  case Stmt::WhileStmtClass:
    return execWhile(cast<WhileStmt>(S));
  case Stmt::DoStmtClass:
    return execDo(cast<DoStmt>(S));
  case Stmt::CXXForRangeStmtClass:
    return execRangeFor(cast<CXXForRangeStmt>(S));
  case Stmt::CXXTryStmtClass:
    return execTry(cast<CXXTryStmt>(S));
  case Stmt::BreakStmtClass:
    return Flow::Break;
  case Stmt::ContinueStmtClass:
    return Flow::Continue;
  case Stmt::ReturnStmtClass:
    execReturn(cast<ReturnStmt>(S));
    return Flow::Return;
  case Stmt::GotoStmtClass:
  case Stmt::IndirectGotoStmtClass:
    at(S->getBeginLoc());
    stop("goto is not modelled");
    return Flow::Return;
  case Stmt::DeclStmtClass:
    at(S->getBeginLoc());
    for (const Decl *D : cast<DeclStmt>(S)->decls())
      declare(D);
    statementDone();
    return Flow::Normal;
  default:
    break;
  }
  at(S->getBeginLoc());
  if (auto *E = dyn_cast<Expr>(S)) {
    FullExpression Full(*this);
    Operand Discarded = eval(E);
    // A discarded prvalue is a temporary too: it dies with the others.
    if (!Discarded.Place)
      keepTemporary(makeCell(std::move(Discarded.V)));
    at(S->getBeginLoc());
  } else {
    unknown(llvm::Twine("a statement that is not modelled (") +
            S->getStmtClassName() + ")");
  }
  statementDone();
  return Flow::Normal;
}

Machine::Flow Machine::execCompound(const CompoundStmt *S) {
  Flow Result = Flow::Normal;
  {
    Scope Inner(*this);
    for (const Stmt *Sub : S->body()) {
      Result = exec(Sub);
      if (Result != Flow::Normal || Unwinding || Stopped)
        break;
    }
    if (Result != Flow::Return && !Inner.Cells.empty())
      at(S->getRBracLoc()); // The block's variables die at its brace.
  }
  return Result;
}

/// `return device;`: an answer like the others, not a way out of trouble.
static bool returnsVariable(const ReturnStmt &S) {
  const Expr *E = S.getRetValue();
  if (!E || !E->getType()->isRecordType())
    return false;
  if (auto *C = dyn_cast<CXXConstructExpr>(strip(E)); C && C->getNumArgs() == 1)
    E = C->getArg(0);
  return isa<DeclRefExpr>(strip(E));
}

/// Does \p S end the program or throw: exit(1), or a function that ends so?
static bool neverReturns(const Stmt *S, int Depth = 0) {
  if (!S || Depth > 8)
    return false;
  if (auto *C = dyn_cast<CompoundStmt>(S))
    return !C->body_empty() && neverReturns(C->body_back(), Depth + 1);
  auto *E = dyn_cast<Expr>(S);
  if (!E)
    return false;
  E = strip(E);
  if (isa<CXXThrowExpr>(E))
    return true;
  auto *Call = dyn_cast<CallExpr>(E);
  const FunctionDecl *F = Call ? Call->getDirectCallee() : nullptr;
  if (!F)
    return false;
  const FunctionDecl *Def = nullptr;
  return F->isNoReturn() || neverReturns(F->getBody(Def), Depth + 1);
}

/// Does \p S leave the block it is in, as one does in trouble?
static bool leaves(const Stmt *S) {
  if (!S)
    return false;
  if (auto *C = dyn_cast<CompoundStmt>(S); C && !C->body_empty())
    return leaves(C->body_back());
  if (neverReturns(S))
    return true;
  if (auto *R = dyn_cast<ReturnStmt>(S))
    return !returnsVariable(*R);
  return isa<BreakStmt, ContinueStmt>(S);
}

Machine::Flow Machine::execIf(const IfStmt *S) {
  Scope Inner(*this);
  at(S->getBeginLoc());
  if (S->isConsteval())
    return exec(S->isNegatedConsteval() ? S->getThen() : S->getElse());
  if (S->getInit())
    exec(S->getInit());
  bool Side;
  {
    Value Cond = conditionValue(S->getCond(), S->getConditionVariable());
    if (Unwinding || Stopped)
      return Flow::Normal;
    if (std::optional<bool> Known = truth(Cond)) {
      Side = *Known;
    } else {
      // An early exit is the exception: error handling, usage messages.
      at(S->getBeginLoc());
      Side = decide(Cond, !leaves(S->getThen()));
    }
  }
  statementDone();
  if (Side)
    return exec(S->getThen());
  return S->getElse() ? exec(S->getElse()) : Flow::Normal;
}

/// 0 or 1; why it is unknown otherwise.
Value Machine::conditionValue(const Expr *E, const VarDecl *V) {
  FullExpression Full(*this);
  if (V)
    declareVar(V);
  Operand O = eval(E);
  if (std::optional<bool> Known = truth(O.value()))
    return Value::integer(*Known);
  return O.value().isUnknown() ? copy(O.value()) : Value();
}

std::optional<bool> Machine::condition(const Expr *E, const VarDecl *V) {
  return truth(conditionValue(E, V));
}

Machine::Flow Machine::execSwitch(const SwitchStmt *S) {
  Scope Inner(*this);
  at(S->getBeginLoc());
  if (S->getInit())
    exec(S->getInit());
  Value Cond;
  {
    FullExpression Full(*this);
    if (S->getConditionVariable())
      declareVar(S->getConditionVariable());
    Cond = evalValue(S->getCond());
    if (std::optional<Value> Drawn = drawn(Cond))
      Cond = std::move(*Drawn);
  }
  const SwitchCase *Chosen = nullptr, *Default = nullptr, *First = nullptr;
  for (const SwitchCase *C = S->getSwitchCaseList(); C; C = C->getNextSwitchCase()) {
    if (isa<DefaultStmt>(C)) {
      Default = C;
      continue;
    }
    First = C; // The list is in reverse order.
    auto *Case = cast<CaseStmt>(C);
    Value L = evalValue(Case->getLHS());
    Value R = Case->getRHS() ? evalValue(Case->getRHS()) : copy(L);
    if (Cond.isInt() && L.isInt())
      compared(C, BO_EQ, Cond.asInt(), L.asInt());
    if (Cond.isInt() && L.isInt() && R.isInt() && Cond.asInt() >= L.asInt() &&
        Cond.asInt() <= R.asInt())
      Chosen = C;
  }
  if (!Cond.isInt() && First)
    Chosen = decide(Cond) ? First : Default;
  if (!Chosen)
    Chosen = Default;
  auto *Body = dyn_cast<CompoundStmt>(S->getBody());
  if (!Chosen || !Body)
    return Flow::Normal;
  // Run from the chosen label on; labels of one statement nest in each other.
  bool Running = false;
  for (const Stmt *Sub : Body->body()) {
    for (const Stmt *L = Sub; !Running && isa<SwitchCase>(L);
         L = cast<SwitchCase>(L)->getSubStmt())
      Running = L == Chosen;
    if (!Running)
      continue;
    Flow F = exec(Sub);
    if (F == Flow::Break)
      return Flow::Normal;
    if (F != Flow::Normal || Unwinding || Stopped)
      return F;
  }
  return Flow::Normal;
}

Machine::Flow Machine::execTry(const CXXTryStmt *S) {
  Flow F = exec(S->getTryBlock());
  if (!Unwinding || Asleep || Stopped || S->getNumHandlers() == 0)
    return F;
  Unwinding = false;
  std::string Message = std::move(Thrown);
  const CXXCatchStmt *Handler = S->getHandler(0);
  Scope Inner(*this);
  if (const VarDecl *V = Handler->getExceptionDecl()) {
    CellRef C = makeCell(unknown("the exception " + Message));
    Current->Vars[V] = C;
    Inner.Cells.push_back(C);
  }
  return exec(Handler->getHandlerBlock());
}

void Machine::execReturn(const ReturnStmt *S) {
  at(S->getBeginLoc());
  {
    FullExpression Full(*this);
    if (const Expr *E = S->getRetValue()) {
      if (E->isGLValue()) {
        Current->Return = Operand(evalPlace(E));
      } else if (E->getType()->isRecordType()) {
        CellRef C = makeCell();
        evalInto(C, E);
        Current->Return = Operand(C->take());
      } else {
        Current->Return = Operand(evalValue(E));
      }
    }
  }
  statementDone();
}

void Machine::declare(const Decl *D) {
  if (Unwinding || Stopped)
    return;
  if (auto *V = dyn_cast<VarDecl>(D))
    declareVar(V);
}

void Machine::declareVar(const VarDecl *D) {
  if (D->isStaticLocal() || D->hasExternalStorage()) {
    globalCell(D);
    return;
  }
  CellRef C = makeCell();
  {
    FullExpression Full(*this);
    const Expr *Init = D->getInit();
    if (D->getType()->isReferenceType() && Init) {
      // The referred object dies where it belongs, not with the reference.
      Current->Vars[D] = C = evalPlace(Init);
      if (auto *Dec = dyn_cast<DecompositionDecl>(D))
        declareBindings(Dec, C);
      return;
    }
    Current->Vars[D] = C; // `int x = sizeof x`, and constructors that see it.
    if (Init)
      evalInto(C, Init);
    else
      defaultInit(C, D->getType());
    overrideVar(*D, *C);
    if (C->V.isNumber())
      store(*C, copy(C->V));
    if (C->V.isUnknown() && !C->V.unknownValue().Name && D->getType()->isIntegerType())
      C->V = Value(UnknownValue{C->V.unknown(), ++LastName});
  }
  if (Block)
    Block->Cells.push_back(C);
  if (auto *Dec = dyn_cast<DecompositionDecl>(D))
    declareBindings(Dec, C);
}

void Machine::declareBindings(const DecompositionDecl *D, CellRef Whole) {
  unsigned I = 0;
  for (const BindingDecl *B : D->bindings()) {
    unsigned Index = I++;
    if (auto *S = Whole->V.as<Sequence>(); S && Index < S->Elements.size()) {
      Current->Vars[B] = S->Elements[Index];
      if (const VarDecl *Holding = B->getHoldingVar())
        Current->Vars[Holding] = S->Elements[Index];
      continue;
    }
    Operand Result;
    if (const VarDecl *Holding = B->getHoldingVar()) {
      declareVar(Holding); // std::get<Index>(whole)
      continue;
    }
    if (auto *M = dyn_cast_or_null<MemberExpr>(B->getBinding()
                                                   ? strip(B->getBinding())
                                                   : nullptr))
      if (auto *F = dyn_cast<FieldDecl>(M->getMemberDecl()))
        Result = memberOf(Whole, *F);
    if (!Result.Place)
      Result.Place = makeCell(
          Whole->V.isUnknown() ? unknown(Whole->V.unknown())
                               : unknown("structured binding " + B->getName()));
    Current->Vars[B] = Result.Place;
  }
}

} // namespace vramlint
