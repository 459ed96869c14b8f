//===- test/unit/interp/MachineTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The language: each case is a small program and what its `test` returns.

#include "test/unit/interp/TestProgram.h"

#include "gtest/gtest.h"

using namespace vramlint;

namespace {

struct Case {
  const char *Name;
  const char *Code;
  const char *Expected;
};

const Case Cases[] = {
    {"Arithmetic", "int test() { int a = 7; a += 3; return a * 2 - 5 % 3; }", "18"},
    {"UnsignedWraps", "unsigned test() { unsigned a = 0; return a - 1; }", "4294967295"},
    {"CharWraps", "int test() { unsigned char c = 250; c += 10; return c; }", "4"},
    {"FloatToInt", "int test() { return int(64 * (96 / 64.)); }", "96"},
    {"For", "int test() { int s = 0; for (int i = 0; i < 10; ++i) s += i; return s; }", "45"},
    {"While", "int test() { int i = 0; while (true) { if (++i == 5) break; } return i; }", "5"},
    {"Do", "int test() { int i = 0; do { ++i; } while (i < 3); return i; }", "3"},
    {"Continue", "int test() { int s = 0; for (int i = 0; i < 6; ++i) { if (i % 2) continue; s += i; } return s; }", "6"},
    {"Switch", "int f(int x) { int r = 0; switch (x) { case 1: r = 10; case 2: r += 1; break; case 3: case 4: r = 7; break; default: r = -1; } return r; }\n"
               "int test() { return f(1) * 1000 + f(2) * 100 + f(4) * 10 + f(9); }", "11169"},
    {"Recursion", "int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); } int test() { return f(12); }", "144"},
    {"References", "void g(int &x) { x = 5; } int test() { int a = 1; g(a); int &b = a; b += 2; return a; }", "7"},
    {"Pointers", "int test() { int a[4] = {1, 2, 3, 4}; int *p = a; p += 2; return *p + p[1]; }", "7"},
    {"NewDelete", "int test() { int *p = new int(4); int v = *p; delete p; return v; }", "4"},
    {"Struct", "struct P { int x = 1, y; P(int y) : y(y) {} int sum() const { return x + y; } }; int test() { P p(4); return p.sum(); }", "5"},
    {"Aggregate", "struct P { int x; int y = 9; }; int test() { P p{3}; return p.x * 10 + p.y; }", "39"},
    {"CopyIsOwn", "struct P { int x; }; int test() { P a{1}; P b = a; b.x = 5; return a.x; }", "1"},
    {"AssignKeepsPlaces", "struct P { int x; }; int test() { P a{1}; int &r = a.x; a = P{8}; return r; }", "8"},
    {"Virtual", "struct A { virtual int f() { return 1; } int g() { return f(); } }; struct B : A { int f() override { return 2; } };\n"
                "int test() { B b; A &a = b; return a.f() * 10 + a.g(); }", "22"},
    {"CallsBase", "struct A { virtual int f() { return 1; } }; struct B : A { int f() override { return A::f() + 1; } }; int test() { B b; A *a = &b; return a->f(); }", "2"},
    {"DelegatingConstructor", "struct A { int x; A(int v) : x(v) {} A() : A(6) {} }; int test() { return A().x; }", "6"},
    {"InheritedConstructor", "struct A { int x; A(int v) : x(v) {} }; struct B : A { using A::A; int y = 2; }; int test() { B b(3); return b.x * 10 + b.y; }", "32"},
    {"Crtp", "template <class T> struct Base { int g() { return static_cast<T *>(this)->f(); } }; struct D : Base<D> { int f() { return 4; } }; int test() { D d; return d.g(); }", "4"},
    {"Template", "template <int N, class T> T scale(T x) { return x * N; } int test() { return scale<3>(5); }", "15"},
    {"IfConstexpr", "template <class T> int k() { if constexpr (sizeof(T) == 1) return 1; else return 2; } int test() { return k<char>() * 10 + k<int>(); }", "12"},
    {"Variadic", "template <class... A> int sum(A... a) { return (0 + ... + a); } int test() { return sum(1, 2, 3); }", "6"},
    {"Lambda", "int test() { int a = 2; auto f = [a](int x) { return a * x; }; a = 5; return f(4); }", "8"},
    {"LambdaByReference", "int test() { int a = 2; auto f = [&](int x) { a += x; }; f(3); f(4); return a; }", "9"},
    {"GenericLambda", "int test() { auto f = [](auto x) { return x + 1; }; return f(2); }", "3"},
    {"FunctionPointer", "int f(int x) { return x + 1; } int test() { int (*p)(int) = f; return p(3); }", "4"},
    {"MemberPointer", "struct S { int v = 3; int f(int x) { return v * x; } }; int test() { int (S::*p)(int) = &S::f; S s; return (s.*p)(5); }", "15"},
    {"WaitsForInput", "bool mystery(); int test() { int n = 0; while (true) { if (mystery()) continue; ++n; } return n >= 0; }", "1"},
    {"ExitInAFunctionIsAnExitToo", "[[noreturn]] void exit(int); int mystery(); void usage(int code) { exit(code); }\n"
                                   "int test() { if (mystery() < 2) usage(1); return 5; }", "5"},
    {"DefaultArgument", "int f(int a, int b = 10) { return a + b; } int test() { return f(1); }", "11"},
    {"Static", "int next() { static int n = 0; return ++n; } int test() { next(); next(); return next(); }", "3"},
    {"Global", "const int kA = 3; int gB = kA * 2; int test() { return gB; }", "6"},
    {"Enum", "enum class E { A = 3, B }; int test() { E e = E::B; return static_cast<int>(e); }", "4"},
    {"Binding", "struct P { int a, b; }; int test() { auto [x, y] = P{3, 4}; return x * 10 + y; }", "34"},
    {"RangeForArray", "int test() { int s = 0; int a[] = {1, 2, 3}; for (int &x : a) { x *= 2; s += x; } return s; }", "12"},
    {"Exception", "int test() { try { throw 3; } catch (...) { return 7; } return 1; }", "7"},
    {"Uncaught", "int test() { throw \"no\"; }", "throws no"},
    {"DestructorOrder", "int log = 0; struct S { int n; S(int n) : n(n) {} ~S() { log = log * 10 + n; } }; int test() { { S a(1); S b(2); } return log; }", "21"},
    {"TemporaryDies", "int log = 0; struct S { ~S() { log += 1; } int v() { return log; } }; int test() { int a = S().v(); return a * 10 + log; }", "1"},
    {"Overloads", "struct M { int v; M operator+(const M &o) const { return M{v + o.v}; } int operator()(int k) { return v * k; } }; int test() { M a{1}, b{2}; return (a + b)(5); }", "15"},
    {"Comma", "int test() { int a = 0; int b = (a = 3, a + 1); return b; }", "4"},
    {"Logical", "bool f(int &n) { ++n; return true; } int test() { int n = 0; bool b = false && f(n); b = true || f(n); return n; }", "0"},
    {"Ternary", "int test() { int a = 1, b = 2; (a < b ? a : b) = 9; return a; }", "9"},
    {"Macro", "#define TWICE(x) do { x; x; } while (0)\nint test() { int a = 1; TWICE(a *= 3); return a; }", "9"},
    {"LocalClass", "int test() { struct L { int f() { return 6; } }; return L().f(); }", "6"},
    {"Malloc", "extern \"C\" void *malloc(unsigned long); struct L { int n; int k[2]; };\n"
               "int test() { L *l = (L *)malloc(3 * sizeof(L)); l[2].n = 4; l[1].k[1] = 5; L *p = l + 1; return p[1].n * 10 + p->k[1]; }", "45"},
    {"Calloc", "extern \"C\" void *calloc(unsigned long, unsigned long);\n"
               "int test() { int *p = static_cast<int *>(calloc(4, sizeof(int))); p[3] += 7; return p[0] * 10 + p[3]; }", "7"},
    {"ConstexprArray", "constexpr int cfg[] = {64, 128}; int test() { return cfg[1]; }", "128"},
};

class LanguageTest : public testing::TestWithParam<Case> {};

TEST_P(LanguageTest, Returns) {
  TestResult R = runTest(GetParam().Code);
  EXPECT_EQ(R.Value, GetParam().Expected) << GetParam().Code;
}

INSTANTIATE_TEST_SUITE_P(Machine, LanguageTest, testing::ValuesIn(Cases),
                         [](const auto &Info) { return std::string(Info.param.Name); });

TEST(Machine, ArgumentOrderIsTheCompilers) {
  const char *Code = "int n = 0; int next() { return ++n; }\n"
                     "int pair(int a, int b) { return a * 10 + b; }\n"
                     "int test() { return pair(next(), next()); }";
  EXPECT_EQ(runTest(Code, /*RightToLeft=*/true).Value, "21");
  EXPECT_EQ(runTest(Code, /*RightToLeft=*/false).Value, "12");
}

TEST(Machine, UnknownFunctionsLeaveAReason) {
  TestResult R = runTest("int load(); int test() { return load() + 1; }");
  EXPECT_EQ(R.Value.substr(0, 7), "unknown");
  ASSERT_EQ(R.Reasons.size(), 1u);
  EXPECT_NE(R.Reasons[0].find("load"), std::string::npos);
}

TEST(Machine, WhatAnUnknownFunctionCanWriteIsUnknown) {
  TestResult R = runTest("void load(int &x); int test() { int a = 1; load(a); return a; }");
  EXPECT_EQ(R.Value.substr(0, 7), "unknown");
}

TEST(Machine, UnknownsThatDifferByANumber) {
  auto Run = [](std::string Expression) {
    return runTest("int rnd(); int test() { int h = rnd(), w = rnd(); auto twice = "
                   "[](int x) { return 2 * x; }; return " + Expression + "; }").Value;
  };
  EXPECT_EQ(Run("(h + 32) - h"), "32");
  EXPECT_EQ(Run("(8 + h - 1) - (h - 3)"), "10");
  EXPECT_EQ(Run("[&] { int a = h; ++a; return a - h; }()"), "1");
  EXPECT_EQ(Run("h * 2 - h").substr(0, 7), "unknown");
  EXPECT_EQ(Run("twice(h) - h").substr(0, 7), "unknown");
  EXPECT_EQ(Run("(h + 32) - w").substr(0, 7), "unknown");
  EXPECT_EQ(Run("(char)h - h").substr(0, 7), "unknown");
}

TEST(Machine, LoopsThatRepeatAreCutShort) {
  TestResult R = runTest("int test() { int i = 0; for (; i < 1000000; ++i) event(); return i; }");
  EXPECT_EQ(R.Value, "1000000");
  EXPECT_LT(R.Events, 20u);
  EXPECT_EQ(R.Jumps, 1u);
}

TEST(Machine, SmallCyclesInLoopsAreSeenWhole) {
  TestResult R = runTest("int test() { int n = 0; for (int i = 0; i < 1000; ++i) { event(); if (i % 4 == 3) { event(); ++n; } } return n; }");
  EXPECT_LT(R.Events, 40u);
  EXPECT_EQ(R.Jumps, 1u);
}

TEST(Machine, VariablesOfIterationsThatAreOverCostNothing) {
  // Kept, they would make each iteration dearer than the last.
  TestResult R = runTest("int test() { long s = 0; for (int i = 0; i < 100000; ++i) { int a = i; a += 1; s += a; } return s == 5000050000; }");
  EXPECT_EQ(R.Value, "1");
  EXPECT_FALSE(R.Stopped);
}

TEST(Machine, VariablesOfIterationsThatAreOverLeaveTheOthers) {
  TestResult R = runTest("int test() { int n = 0; for (int i = 0; i < 100000; ++i) { event(); for (int j = 0; j < 300; ++j) { int a = j; a += 1; } n += 2; } return n; }");
  EXPECT_EQ(R.Value, "200000");
  EXPECT_LT(R.Events, 20u);
}

TEST(Machine, MallocOfAnUnknownSizeIsUnknown) {
  TestResult R = runTest("extern \"C\" void *malloc(unsigned long); unsigned long size(); int test() { int *p = (int *)malloc(size()); return p[0]; }");
  EXPECT_EQ(R.Value.substr(0, 7), "unknown");
}

TEST(Machine, EndlessLoopsEnd) {
  TestResult R = runTest("int test() { while (true) event(); }");
  EXPECT_TRUE(R.Stopped);
  EXPECT_LT(R.Events, 20u);
}

TEST(Machine, WaitingLoopsAreLeft) {
  TestResult R = runTest("bool ready = false; int test() { int n = 1; while (!ready) { int polls = 0; ++polls; } return n + 4; }");
  EXPECT_EQ(R.Value, "5");
  EXPECT_FALSE(R.Stopped);
  ASSERT_EQ(R.Reasons.size(), 1u);
  EXPECT_EQ(R.Reasons[0], "a loop that waits") << R.Reasons.back();
}

TEST(Machine, EndlessRecursionEnds) {
  Budget Limits;
  Limits.MaxCallDepth = 50;
  EXPECT_TRUE(runTest("int f(int n) { return f(n + 1); } int test() { return f(0); }", true, Limits).Stopped);
}

TEST(Machine, EndlessWorkEnds) {
  Budget Limits;
  Limits.MaxSteps = 10000;
  EXPECT_TRUE(runTest("int test() { int n = 0; for (;;) ++n; }", true, Limits).Stopped);
}

TEST(Machine, HugeArraysAreNotMade) {
  TestResult R = runTest("int test() { long n = 1000000000000; int *p = new int[n]; return p[0]; }");
  EXPECT_EQ(R.Value.substr(0, 7), "unknown");
}

} // namespace
