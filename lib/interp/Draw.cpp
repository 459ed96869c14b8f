//===- lib/interp/Draw.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Numbers that the program draws at random.
//
// `320 + 32 * (rand() % 10)` is unknown, but one of ten numbers: each choice of the
// draw is carried through the arithmetic. Only where something hangs on it (a size,
// a condition, an index) does the run settle on one choice, for all that follows from
// that draw; the caller may run the program again with another (Decisions).

#include "lib/interp/Machine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace vramlint {

/// More choices than these are stood for by the first and the last.
static constexpr int64_t MaxChoices = 64;

static Value valueOf(const Machine::Number &N) {
  if (auto *I = std::get_if<int64_t>(&N))
    return Value::integer(*I);
  return Value::real(std::get<double>(N));
}

static double realOf(const Machine::Number &N) {
  return std::visit([](auto X) { return static_cast<double>(X); }, N);
}

static std::string textOf(const Machine::Number &N) {
  if (auto *I = std::get_if<int64_t>(&N))
    return std::to_string(*I);
  return llvm::formatv("{0:f3}", std::get<double>(N)).str();
}

static Value drawnValue(std::shared_ptr<const DrawInfo> Draw,
                        std::vector<Machine::Number> May) {
  if (llvm::all_equal(May))
    return valueOf(May.front());
  UnknownRef Info(new UnknownInfo());
  Info->Reason = "random number";
  Info->Pos = Draw->Pos;
  Info->Draw = std::move(Draw);
  Info->May = std::move(May);
  return Value(std::move(Info));
}

Value Machine::draw(std::vector<Number> May, bool EndsOnly) {
  auto Info = std::make_shared<DrawInfo>();
  Info->Pos = currentPos();
  Info->Numbers = May;
  Info->EndsOnly = EndsOnly;
  return drawnValue(std::move(Info), std::move(May));
}

Value Machine::drawBetween(int64_t First, int64_t Last) {
  int64_t Width;
  if (Last < First)
    return unknown("a draw from an empty range");
  if (__builtin_sub_overflow(Last, First, &Width) || Width >= MaxChoices)
    return draw({First, Last}, /*EndsOnly=*/true);
  std::vector<Number> May;
  for (int64_t N = First; N <= Last; ++N)
    May.push_back(N);
  return draw(std::move(May));
}

std::optional<Value>
Machine::overDraw(llvm::ArrayRef<const Value *> Of,
                  llvm::function_ref<Value(llvm::MutableArrayRef<Value>)> Fn) {
  std::shared_ptr<const DrawInfo> Draw;
  for (const Value *V : Of) {
    if (V->isNumber())
      continue;
    if (!V->isUnknown() || !V->unknown()->Draw)
      return std::nullopt;
    if (Draw && Draw->Pos != V->unknown()->Draw->Pos)
      return std::nullopt;
    Draw = V->unknown()->Draw;
  }
  if (!Draw)
    return std::nullopt;
  std::vector<Number> May;
  for (size_t I = 0; I < Draw->Numbers.size(); ++I) {
    llvm::SmallVector<Value, 4> Numbers;
    for (const Value *V : Of)
      Numbers.push_back(V->isUnknown() ? valueOf(V->unknown()->May[I]) : copy(*V));
    Value One = Fn(Numbers);
    if (One.isInt())
      May.push_back(One.asInt());
    else if (One.isFloat())
      May.push_back(One.asFloat());
    else
      return std::nullopt;
  }
  return drawnValue(std::move(Draw), std::move(May));
}

std::optional<Value> Machine::drawn(const Value &V) {
  if (!V.isUnknown() || !V.unknown()->Draw)
    return std::nullopt;
  const UnknownInfo &U = *V.unknown();
  for (const Decisions::Draw &D : Choices.Draws)
    if (D.Info.Pos == U.Draw->Pos)
      return valueOf(U.May[std::min(D.Taken, U.May.size() - 1)]);
  auto Less = [](const Number &A, const Number &B) { return realOf(A) < realOf(B); };
  // Of a condition the numbers behind it tell more.
  auto IsTruth = [](const Number &N) { return N == Number(0) || N == Number(1); };
  const std::vector<Number> &Numbers =
      llvm::all_of(U.May, IsTruth) ? U.Draw->Numbers : U.May;
  auto Greatest = llvm::max_element(Numbers, Less), Least = llvm::min_element(Numbers, Less);
  Decisions::Draw D{*U.Draw, size_t(Greatest - Numbers.begin()),
                    size_t(Least - Numbers.begin()), "", textOf(*Least), textOf(*Greatest)};
  if (auto Wish = Choices.Drawn.find(U.Draw->Pos); Wish != Choices.Drawn.end())
    D.Taken = std::min(Wish->second, Numbers.size() - 1);
  D.Value = textOf(Numbers[D.Taken]);
  Choices.Draws.push_back(D);
  return valueOf(U.May[D.Taken]);
}

} // namespace vramlint
