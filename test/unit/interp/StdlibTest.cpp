//===- test/unit/interp/StdlibTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The native models of the standard library: each row is the body of a function
// and what it returns. All are compiled as one file, once.

#include "test/unit/interp/TestProgram.h"
#include "gtest/gtest.h"
#include "llvm/ADT/StringExtras.h"

using namespace vramlint;

namespace {

struct Row {
  const char *Name;
  const char *Body; ///< Of a function `auto Name()`.
  const char *Expected;
};

const char *const Prelude = R"(
#include <algorithm>
#include <any>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iomanip>
#include <iostream>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>
#include <random>
#include <set>
#include <sstream>
#include <stack>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
using std::string; using std::vector; using std::map; using std::to_string;
int alive = 0; string trail;
struct Token { int id; Token(int i = 0) : id(i) { ++alive; }
  Token(const Token &o) : id(o.id) { ++alive; }
  bool operator<(const Token &o) const { return id < o.id; }
  bool operator==(const Token &o) const { return id == o.id; } };
struct Base { int x = 1; Base() = default; Base(int x) : x(x) {} virtual ~Base() = default; virtual int f() { return 1; } };
struct Derived : Base, std::enable_shared_from_this<Derived> { int y = 2; Derived() = default; Derived(int a, int b) : Base(a), y(b) {} int f() override { return 2; } std::shared_ptr<Derived> me() { return shared_from_this(); } };
template <class... F> struct Overloaded : F... { using F::operator()...; };
template <class... F> Overloaded(F...) -> Overloaded<F...>;
int plusOne(int x) { return x + 1; }
int weigh(int a, int b) { return a * 10 + b; }
struct Adder { int by; int add(int x) { return x + by; } int operator()(int x) const { return x + by; } };
)";

const Row Rows[] = {
    // <vector>
    {"vectorFill", "vector<int> v(3, 7); return v;", "vector {7, 7, 7}"},
    {"vectorZeros", "vector<float> v(2); return v;", "vector {0, 0}"},
    {"vectorMillionLazy", "vector<float> v(1000000, 2.f); v[7] = 3; v.back() = 4; vector<float> w = v; w[7] += 1; return vector<float>{v[7], v[8], w[7], w[999999], (float)w.size()};", "vector {3, 2, 4, 4, 1e+06}"},
    {"vectorLazyGrows", "vector<int> v(3, 1); v[1] = 5; v.resize(5, 2); v.insert(v.begin(), 2, 9); v.erase(v.begin() + 3); v.push_back(8); return v;", "vector {9, 9, 1, 1, 2, 2, 8}"},
    {"vectorLazyShared", "vector<int> v(4, 1); std::swap(v[0], v[3]); for (int &x : v) x += 1; vector<int> w; w.swap(v); w.pop_back(); return std::make_pair(v, w);", "pair {vector {}, vector {2, 2, 2}}"},
    {"vectorLazyRead", "vector<float> v(1000000); v[2] = 1; std::fread(v.data(), 4, 2, stdin); return v[2] + v[3];", "unknown: result of fread()"},
    {"arrayRestZero", "int a[1000] = {1}; a[999] += 2; return a[0] + a[500] + a[999];", "3"},
    {"arrayNotInitialized", "float a[1000]; a[3] = 2; a[4] = a[3] + 1; return a[4];", "3"},
    {"newArrayLazy", "float *a = new float[1000]; a[3] = 2; float r = a[3]; delete[] a; return r;", "2"},
    {"vectorList", "vector<int> v{3, 4}; return v;", "vector {3, 4}"},
    {"vectorRange", "vector<int> a{1, 2, 3}; vector<int> v(a.begin() + 1, a.end()); return v;", "vector {2, 3}"},
    {"vectorFromArray", "int a[3] = {1, 2, 3}; vector<int> v(a, a + 3); return v;", "vector {1, 2, 3}"},
    {"vectorPush", "vector<int> v; v.push_back(1); v.emplace_back(2); v.pop_back(); v.push_back(5); return v;", "vector {1, 5}"},
    {"vectorSize", "vector<int> v{1, 2}; return v.size() * 10 + v.empty();", "20"},
    {"vectorWrite", "vector<int> v(3); v[1] = 4; v.at(2) = 5; v.front() = 1; v.back() += 1; return v;", "vector {1, 4, 6}"},
    {"vectorNested", "vector<vector<int>> v(2, vector<int>(2, 1)); v[1][0] = 9; return v;", "vector {vector {1, 1}, vector {9, 1}}"},
    {"vectorCopyIsOwn", "vector<int> a{1}; auto b = a; b[0] = 2; return a;", "vector {1}"},
    {"vectorMove", "vector<int> a{1, 2}; auto b = std::move(a); return a.size() * 10 + b.size();", "2"},
    {"vectorAssignMove", "vector<int> a{1, 2}, b; b = std::move(a); return a.size() * 10 + b.size();", "2"},
    {"vectorInsertOne", "vector<int> v{1, 3}; v.insert(v.begin() + 1, 2); return v;", "vector {1, 2, 3}"},
    {"vectorInsertRange", "vector<int> v{1}, w{2, 3}; v.insert(v.end(), w.begin(), w.end()); return v;", "vector {1, 2, 3}"},
    {"vectorInsertList", "vector<int> v{3}; v.insert(v.begin(), {1, 2}); return v;", "vector {1, 2, 3}"},
    {"vectorInsertCount", "vector<int> v{3}; v.insert(v.begin(), 2, 5); return v;", "vector {5, 5, 3}"},
    {"vectorErase", "vector<int> v{1, 2, 3, 4}; v.erase(v.begin()); v.erase(v.begin() + 1, v.end()); return v;", "vector {2}"},
    {"vectorResize", "vector<int> v{1}; v.resize(3); v.resize(4, 9); v.resize(3); return v;", "vector {1, 0, 0}"},
    {"vectorAssign", "vector<int> v{1}; v.assign(2, 8); vector<int> w; w.assign(v.begin(), v.end()); return w;", "vector {8, 8}"},
    {"vectorAssignList", "vector<int> v{1}; v = {4, 5}; return v;", "vector {4, 5}"},
    {"vectorCompare", "vector<int> a{1, 2}, b{1, 3}; return (a == b) * 100 + (a != b) * 10 + (a < b);", "11"},
    {"vectorReverseLoop", "vector<int> v{1, 2, 3}; int s = 0; for (auto i = v.rbegin(); i != v.rend(); ++i) s = s * 10 + *i; return s;", "321"},
    {"vectorIterate", "vector<int> v{1, 2, 3}; int s = 0; for (auto i = v.begin(); i != v.end(); ++i) s = s * 10 + *i; return s;", "123"},
    {"vectorRangeFor", "vector<int> v{1, 2, 3}; for (auto &x : v) x *= 2; int s = 0; for (int x : v) s += x; return s;", "12"},
    {"vectorIteratorMath", "vector<int> v{1, 2, 3, 4}; auto i = v.begin(); i += 2; return *i * 100 + i[1] * 10 + (v.end() - i);", "342"},
    {"vectorData", "vector<int> v{5, 6}; int *p = v.data(); return p[1];", "6"},
    {"vectorBool", "vector<bool> v(3); v[1] = true; int n = 0; for (bool b : v) n = n * 2 + b; if (v[1]) n += 100; return n;", "102"},
    {"vectorAtThrows", "vector<int> v{1}; return v.at(3);", "throws index 3 out of range of 1 elements"},
    {"vectorStrings", "vector<string> v{\"a\", \"b\"}; v.emplace_back(\"c\"); v.push_back(string(2, 'd')); return v;", "vector {\"a\", \"b\", \"c\", \"dd\"}"},
    {"vectorStructs", "vector<Token> v; v.emplace_back(4); v.push_back(Token(5)); return v[0].id * 10 + v.back().id;", "45"},
    {"vectorSwap", "vector<int> a{1}, b{2, 3}; a.swap(b); std::swap(a, b); b.swap(a); return a;", "vector {2, 3}"},
    {"vectorUnknownIndex", "vector<int> v{1, 2}; int i = rand() % 2; return v[i];", "unknown: random number"},
    {"eraseRemove", "vector<int> v{1, 2, 1, 3}; v.erase(std::remove(v.begin(), v.end(), 1), v.end()); return v;", "vector {2, 3}"},
    // others that work alike
    {"arrayBasics", "std::array<int, 3> a{1, 2, 3}; a[0] = 9; return a[0] * 100 + a.size() * 10 + a.back();", "933"},
    {"arrayFill", "std::array<int, 2> a; a.fill(4); return a;", "array {4, 4}"},
    {"arrayLoop", "std::array<int, 3> a = {1, 2, 3}; int s = 0; for (auto x : a) s += x; return s;", "6"},
    {"arrayGet", "std::array<int, 2> a{5, 6}; return std::get<1>(a);", "6"},
    {"dequeEnds", "std::deque<int> d{2}; d.push_front(1); d.push_back(3); d.pop_front(); return d;", "deque {2, 3}"},
    {"listNodes", "std::list<int> l{3, 1, 2}; l.sort(); auto i = l.begin(); ++i; l.insert(i, 9); l.remove(3); return l;", "list {1, 9, 2}"},
    {"listEraseInLoop", "std::list<int> l{1, 2, 3, 4}; for (auto i = l.begin(); i != l.end();) { if (*i % 2) i = l.erase(i); else ++i; } return l;", "list {2, 4}"},
    {"queueOrder", "std::queue<int> q; q.push(1); q.push(2); q.pop(); return q.front() * 10 + q.size();", "21"},
    {"stackOrder", "std::stack<int> s; s.push(1); s.push(2); return s.top();", "2"},
    {"heapOrder", "std::priority_queue<int> q; q.push(1); q.push(5); q.push(3); q.pop(); return q.top();", "3"},
    {"initList", "int s = 0; for (int x : {1, 2, 3}) s += x; return s;", "6"},
    {"initListVariable", "std::initializer_list<int> l{4, 5}; return l.size() * 10 + *l.begin();", "24"},
    // <string>
    {"stringJoin", "string s = \"a\"; s += \"b\"; s += 'c'; s = s + \"d\" + string(\"e\") + 'f'; return s;", "\"abcdef\""},
    {"stringMethods", "string s(\"hello\"); return s.substr(1, 3) + to_string(s.size()) + to_string(s.find(\"l\")) + s.back();", "\"ell52o\""},
    {"stringNpos", "string s(\"abc\"); return s.find(\"x\") == string::npos;", "1"},
    {"stringCompare", "string a = \"x\"; return (a == \"x\") * 100 + (a != \"y\") * 10 + (a < string(\"z\"));", "111"},
    {"stringInsertErase", "string s = \"ad\"; s.insert(1, \"bc\"); s.erase(0, 1); s.replace(0, 1, \"XY\"); return s;", "\"XYcd\""},
    {"stringIndex", "string s = \"abc\"; return s[1] == 'b' ? 1 : 0;", "1"},
    {"stringLoop", "string s = \"abc\"; int n = 0; for (char c : s) n += c - 'a'; return n;", "3"},
    {"stringLoopWrites", "string s = \"abc\"; for (auto &c : s) c = toupper(c); return s;", "\"ABC\""},
    {"stringTransform", "string s = \"AbC\"; std::transform(s.begin(), s.end(), s.begin(), ::tolower); return s;", "\"abc\""},
    {"stringNumbers", "return std::stoi(\"42\") + std::stol(\" 7\") + (int)std::stod(\"1.5\");", "50"},
    {"stringBadNumber", "return std::stoi(\"x\");", "throws stoi: \"x\" is no number"},
    {"stringToString", "return to_string(3) + to_string(2.5);", "\"32.500000\""},
    {"stringView", "std::string_view v = \"hello\"; v.remove_prefix(1); return string(v.substr(0, 2));", "\"el\""},
    {"stringCount", "return string(3, 'z');", "\"zzz\""},
    {"stringAppend", "string s; s.append(\"ab\").append(2, 'c').push_back('d'); return s;", "\"abccd\""},
    {"stringFrom", "const char *p = \"abc\"; string s(p, 2); return s + p;", "\"ababc\""},
    {"stringUnknown", "return std::stoi(string(std::getenv(\"N\")));", "unknown: stoi of getenv(\"N\")"},
    {"cString", "return strlen(\"abcd\") * 10 + (strcmp(\"a\", \"a\") == 0);", "41"},
    // <memory>
    {"sharedCount", "auto a = std::make_shared<int>(5); auto b = a; return *b * 10 + a.use_count();", "52"},
    {"sharedReset", "auto a = std::make_shared<int>(5); std::weak_ptr<int> w = a; a.reset(); return w.expired() * 10 + (a == nullptr);", "11"},
    {"sharedPolymorphic", "std::shared_ptr<Base> p = std::make_shared<Derived>(4, 5); return p->f() * 10 + p->x;", "24"},
    {"sharedDynamicCast", "std::shared_ptr<Base> p = std::make_shared<Derived>(4, 5); auto d = std::dynamic_pointer_cast<Derived>(p); std::shared_ptr<Base> q = std::make_shared<Base>(); return d->y * 10 + (std::dynamic_pointer_cast<Derived>(q) == nullptr);", "51"},
    {"sharedFromThis", "auto d = std::make_shared<Derived>(); auto e = d->me(); return e.use_count() * 10 + e->y;", "22"},
    {"sharedRaw", "std::shared_ptr<Base> p(new Derived(1, 2)); return p->f();", "2"},
    {"uniqueMove", "auto a = std::make_unique<Derived>(1, 2); std::unique_ptr<Base> b = std::move(a); return (a == nullptr) * 10 + b->f();", "12"},
    {"uniqueReset", "std::unique_ptr<int> p(new int(3)); int v = *p; p.reset(new int(4)); return v * 10 + *p;", "34"},
    {"uniqueRelease", "auto p = std::make_unique<int>(6); int *r = p.release(); int v = *r; delete r; return v * 10 + !p;", "61"},
    {"uniqueArray", "auto p = std::make_unique<int[]>(3); p[1] = 5; return p[0] * 10 + p[1];", "5"},
    {"uniqueInVector", "vector<std::unique_ptr<Base>> v; v.push_back(std::make_unique<Derived>()); v.emplace_back(new Base(7)); return v[0]->f() * 10 + v[1]->x;", "27"},
    {"weakLock", "auto a = std::make_shared<int>(1); std::weak_ptr<int> w(a); if (auto s = w.lock()) return *s; return 0;", "1"},
    {"sharedBool", "std::shared_ptr<int> p; if (p) return 1; if (!p) return 2; return 3;", "2"},
    // <map>, <set>
    {"mapIndex", "map<string, int> m; m[\"b\"] = 2; m[\"a\"] += 1; return m;", "map {pair {\"a\", 1}, pair {\"b\", 2}}"},
    {"mapList", "map<string, vector<int>> m{{\"x\", {1, 2}}, {\"a\", {3}}}; return m[\"x\"];", "vector {1, 2}"},
    {"mapFind", "map<int, int> m{{1, 10}, {2, 20}}; auto i = m.find(2); return i != m.end() ? i->second : 0;", "20"},
    {"mapMissing", "map<int, int> m{{1, 10}}; return (m.find(5) == m.end()) * 10 + m.count(1);", "11"},
    {"mapAtThrows", "map<string, int> m; return m.at(\"q\");", "throws map::at: no element with key \"q\""},
    {"mapInsert", "map<int, int> m; auto r = m.insert({1, 5}); auto s = m.insert(std::make_pair(1, 6)); return r.second * 100 + s.second * 10 + m[1];", "105"},
    {"mapEmplace", "map<string, Token> m; m.emplace(\"a\", 3); m.try_emplace(\"b\", 4); m.insert_or_assign(\"a\", Token(5)); return m.at(\"a\").id * 10 + m.at(\"b\").id;", "54"},
    {"mapLoop", "map<string, int> m{{\"b\", 2}, {\"a\", 1}}; string s; for (const auto &[k, v] : m) s += k + to_string(v); return s;", "\"a1b2\""},
    {"mapLoopWrites", "map<int, int> m{{1, 1}, {2, 2}}; for (auto &p : m) p.second *= 3; return m[2];", "6"},
    {"mapErase", "map<int, int> m{{1, 1}, {2, 2}, {3, 3}}; m.erase(2); m.erase(m.begin()); return m;", "map {pair {3, 3}}"},
    {"mapEraseInLoop", "map<int, int> m{{1, 1}, {2, 2}, {3, 3}}; for (auto i = m.begin(); i != m.end();) { if (i->first % 2) m.erase(i++); else ++i; } return m.size();", "1"},
    {"mapDescending", "map<int, int, std::greater<int>> m{{1, 1}, {3, 3}}; return m.begin()->first;", "3"},
    {"unorderedMap", "std::unordered_map<string, int> m; m[\"a\"] = 1; m.insert({\"b\", 2}); return m.at(\"a\") + m[\"b\"] + m.size();", "5"},
    {"multimapRange", "std::multimap<int, int> m{{1, 1}, {1, 2}, {2, 3}}; auto r = m.equal_range(1); return std::distance(r.first, r.second);", "2"},
    {"setBasics", "std::set<int> s{3, 1, 3}; s.insert(2); s.erase(1); return s;", "set {2, 3}"},
    {"setInsertResult", "std::set<int> s; s.insert(1); auto [it, fresh] = s.insert(1); return *it * 10 + fresh;", "10"},
    {"mapUnknownKey", "map<int, int> m{{1, 1}}; m[rand()] = 5; return m.size();", "unknown: random number"},
    // <tuple>, <optional>, <variant>, <any>
    {"pairBasics", "std::pair<int, string> p(1, \"a\"); p.first = 5; auto q = std::make_pair(2, p.second + \"b\"); return to_string(p.first) + q.second;", "\"5ab\""},
    {"pairConvert", "std::pair<double, string> p = std::make_pair(1, \"x\"); return p;", "pair {1, \"x\"}"},
    {"tupleGet", "auto t = std::make_tuple(1, 2.5, string(\"x\")); std::get<0>(t) = 7; return std::get<2>(t) + to_string(std::get<int>(t));", "\"x7\""},
    {"tupleTie", "int a; string b; std::tie(a, b) = std::make_tuple(3, string(\"q\")); return b + to_string(a);", "\"q3\""},
    {"tupleTiePair", "int a = 0, b = 0; std::tie(a, std::ignore) = std::make_pair(4, 5); return a * 10 + b;", "40"},
    {"tupleBind", "auto f = [] { return std::make_tuple(1, 2, 3); }; auto [a, b, c] = f(); return a * 100 + b * 10 + c;", "123"},
    {"pairBind", "std::pair<int, int> p{1, 2}; auto &[a, b] = p; a = 9; return p.first * 10 + b;", "92"},
    {"tupleApply", "return std::apply([](int a, int b) { return a - b; }, std::make_tuple(7, 2));", "5"},
    {"optionalBasics", "std::optional<int> o; int a = o.value_or(3); o = 5; return a * 100 + *o * 10 + o.has_value();", "351"},
    {"optionalNull", "std::optional<int> o = 4; o = std::nullopt; std::optional<int> p = std::nullopt; return !o && !p.has_value();", "1"},
    {"optionalCompare", "std::optional<int> o = 4; return (o == 4) * 10 + (o != std::nullopt);", "11"},
    {"optionalArrow", "std::optional<Token> o; o.emplace(6); return o->id;", "6"},
    {"optionalIf", "auto f = [](bool b) -> std::optional<string> { if (b) return \"yes\"; return {}; }; if (auto s = f(true)) return *s + f(false).value_or(\"no\"); return string();", "\"yesno\""},
    {"optionalThrows", "std::optional<int> o; return o.value();", "throws bad_optional_access"},
    {"variantBasics", "std::variant<int, string> v = 3; int a = std::get<int>(v); v = \"abc\"; return to_string(a) + std::get<1>(v) + to_string(v.index());", "\"3abc1\""},
    {"variantHolds", "std::variant<int, double> v = 2.5; if (auto *p = std::get_if<double>(&v)) return std::holds_alternative<int>(v) ? 0. : *p; return 1.;", "2.5"},
    {"anyCast", "std::any a = 3; int n = std::any_cast<int>(a); a = string(\"s\"); return to_string(n) + std::any_cast<string>(a);", "\"3s\""},
    // <functional>
    {"functionCall", "std::function<int(int)> f = plusOne; int a = f(1); f = [](int x) { return x * 5; }; return a * 10 + f(2) / 10;", "21"},
    {"functionEmpty", "std::function<void()> f; if (f) return 1; f = [] {}; return f ? 2 : 3;", "2"},
    {"functionObject", "std::function<int(int)> f = Adder{3}; return f(4);", "7"},
    {"functionMap", "map<string, std::function<int(int)>> m; m[\"a\"] = [](int x) { return x + 2; }; m[\"b\"] = plusOne; return m[\"a\"](1) * 10 + m.at(\"b\")(1);", "32"},
    {"bindOrder", "auto f = std::bind(weigh, std::placeholders::_2, std::placeholders::_1); return f(1, 2);", "21"},
    {"bindMember", "Adder a{5}; auto f = std::bind(&Adder::add, &a, std::placeholders::_1); a.by = 6; return f(1);", "7"},
    {"memFn", "Adder a{5}; auto f = std::mem_fn(&Adder::add); return f(a, 2);", "7"},
    {"refWrites", "int x = 1; auto r = std::ref(x); r.get() = 5; vector<std::reference_wrapper<int>> v{x}; for (int &y : v) y += 1; return x;", "6"},
    {"infinities", "return INFINITY > 1e300 && -HUGE_VAL < -1e300 && std::isnan(NAN) && std::isinf(-INFINITY);", "1"},
    {"empty_std_objects", "std::hash<int> h; auto less = std::less<int>{}; std::unordered_map<int, int> m({{1, 4}}, 8, h); return m.at(1) + less(1, 2);", "5"},
    {"functors", "return std::plus<int>()(1, 2) * 100 + std::multiplies<>()(2, 3) * 10 + std::less<int>()(1, 2);", "361"},
    {"invokeAll", "Adder a{1}; return std::invoke(plusOne, 1) * 10 + std::invoke(&Adder::add, a, 1);", "22"},
    // <algorithm>, <numeric>
    {"maxMin", "return std::max(1, 2) * 100 + std::min({4, 3, 5}) * 10 + std::clamp(9, 1, 7);", "237"},
    {"sortUp", "vector<int> v{3, 1, 2}; std::sort(v.begin(), v.end()); return v;", "vector {1, 2, 3}"},
    {"sortBy", "vector<int> v{3, 1, 2}; std::sort(v.begin(), v.end(), [](int a, int b) { return a > b; }); return v;", "vector {3, 2, 1}"},
    {"sortGreater", "vector<int> v{1, 3, 2}; std::sort(v.begin(), v.end(), std::greater<int>()); return v;", "vector {3, 2, 1}"},
    {"sortArray", "int a[3] = {3, 1, 2}; std::sort(a, a + 3); return a[0] * 100 + a[1] * 10 + a[2];", "123"},
    {"sortRecords", "vector<Token> v; v.emplace_back(2); v.emplace_back(1); std::sort(v.begin(), v.end()); return v[0].id;", "1"},
    {"reverseRange", "vector<int> v{1, 2, 3}; std::reverse(v.begin(), v.end()); return v;", "vector {3, 2, 1}"},
    {"findValue", "vector<int> v{1, 2, 3}; return std::find(v.begin(), v.end(), 3) - v.begin();", "2"},
    {"findIf", "vector<int> v{1, 2, 3}; auto i = std::find_if(v.begin(), v.end(), [](int x) { return x > 1; }); return *i;", "2"},
    {"counting", "vector<int> v{1, 2, 1}; return std::count(v.begin(), v.end(), 1) * 10 + std::count_if(v.begin(), v.end(), [](int x) { return x > 1; });", "21"},
    {"quantifiers", "vector<int> v{1, 2}; auto p = [](int x) { return x > 1; }; return std::any_of(v.begin(), v.end(), p) * 100 + std::all_of(v.begin(), v.end(), p) * 10 + std::none_of(v.begin(), v.end(), p);", "100"},
    {"forEach", "vector<int> v{1, 2}; int s = 0; std::for_each(v.begin(), v.end(), [&](int x) { s += x; }); return s;", "3"},
    {"transformInto", "vector<int> v{1, 2}, w; std::transform(v.begin(), v.end(), std::back_inserter(w), [](int x) { return x * x; }); return w;", "vector {1, 4}"},
    {"copyInto", "vector<int> v{1, 2}, w(3); std::copy(v.begin(), v.end(), w.begin() + 1); return w;", "vector {0, 1, 2}"},
    {"fillRange", "vector<float> v(2); std::fill(v.begin(), v.end(), 3); return v;", "vector {3, 3}"},
    {"iotaSum", "vector<int> v(4); std::iota(v.begin(), v.end(), 1); return std::accumulate(v.begin(), v.end(), 0);", "10"},
    {"product", "vector<int64_t> v{2, 3, 4}; return std::accumulate(v.begin(), v.end(), 1, std::multiplies<int64_t>());", "24"},
    {"accumulateLambda", "vector<string> v{\"a\", \"b\"}; return std::accumulate(v.begin(), v.end(), string(), [](string s, const string &x) { return s + x; });", "\"ab\""},
    {"innerProduct", "vector<int> a{1, 2}, b{3, 4}; return std::inner_product(a.begin(), a.end(), b.begin(), 0);", "11"},
    {"uniqueRange", "vector<int> v{1, 1, 2}; v.erase(std::unique(v.begin(), v.end()), v.end()); return v;", "vector {1, 2}"},
    {"removeIf", "vector<int> v{1, 2, 3}; v.erase(std::remove_if(v.begin(), v.end(), [](int x) { return x == 2; }), v.end()); return v;", "vector {1, 3}"},
    {"lowerBound", "vector<int> v{1, 3, 5}; return std::lower_bound(v.begin(), v.end(), 3) - v.begin();", "1"},
    {"nextPrev", "std::list<int> l{1, 2, 3}; auto i = std::next(l.begin()); std::advance(i, 1); return *i * 100 + *std::prev(l.end(), 2) * 10 + std::distance(l.begin(), i);", "322"},
    {"maxElement", "vector<int> v{1, 9, 3}; return *std::max_element(v.begin(), v.end()) * 10 + (std::min_element(v.begin(), v.end()) - v.begin());", "90"},
    {"shuffleLoses", "vector<int> v{1, 2}; std::shuffle(v.begin(), v.end(), std::mt19937(1)); return v[0] * 0 + (int)v.size() * 0 + v[1];", "unknown: shuffled values"},
    {"exchangeSwap", "int a = 1, b = 2; std::swap(a, b); int c = std::exchange(a, 7); return a * 100 + b * 10 + c;", "712"},
    {"freeBegin", "int a[3] = {4, 5, 6}; vector<int> v(std::begin(a), std::end(a)); return v.back() * 10 + std::size(a);", "63"},
    // What types must choose: generic lambdas, overloaded visitors
    {"genericForEach", "vector<int> v{1, 2}; std::for_each(v.begin(), v.end(), [](auto &x) { x *= 3; }); return v;", "vector {3, 6}"},
    {"genericSort", "vector<std::pair<int, string>> v{{2, \"b\"}, {1, \"a\"}}; std::sort(v.begin(), v.end(), [](const auto &a, const auto &b) { return a.first < b.first; }); return v[0].second;", "\"a\""},
    {"genericMapLoop", "map<string, int> m{{\"a\", 2}}; int s = 0; std::for_each(m.begin(), m.end(), [&](const auto &p) { s += p.second; }); return s;", "2"},
    {"genericAccumulate", "vector<double> v{1.5, 2}; return std::accumulate(v.begin(), v.end(), 0.0, [](auto a, auto b) { return a + b; });", "3.5"},
    {"genericFunction", "std::function<double(double)> f = [](auto x) { return x / 2; }; return f(3);", "1.5"},
    {"visitGeneric", "std::variant<int, string> v = string(\"ab\"); return std::visit([](const auto &x) { if constexpr (std::is_same_v<std::decay_t<decltype(x)>, int>) return 1; else return (int)x.size() + 10; }, v);", "12"},
    {"visitOverloaded", "std::variant<int, string> v = string(\"ab\"); return std::visit(Overloaded{[](int) { return 1; }, [](const string &s) { return (int)s.size(); }}, v);", "2"},
    {"wideningLoop", "vector<int> v{1, 2}; double s = 0; for (double d : v) s += d / 2; return s;", "1.5"},
    // <cmath>, <limits>
    {"mathBasics", "return (int)(std::sqrt(16.) + std::pow(2, 3) + std::floor(2.7) + std::ceil(1.2f) + std::abs(-3) + std::round(0.6));", "20"},
    {"mathInts", "return std::pow(2, 10) == 1024 ? (int)std::log2(8) : 0;", "3"},
    {"mathGlobal", "return sqrt(9.0) + fabs(-1.5) + abs(-2);", "6.5"},
    {"mathFloat", "return std::sqrt(2.f) == 1.41421354f;", "1"},
    {"limitsInt", "return std::numeric_limits<int>::max();", "2147483647"},
    {"limitsFloat", "return std::numeric_limits<float>::infinity() > 1e30;", "1"},
    {"limitsSmall", "return std::numeric_limits<signed char>::min();", "-128"},
    // streams
    {"consoleIgnored", "std::cout << \"a\" << 1 << std::endl << std::setw(3) << 2.5; std::cerr << string(\"x\") << '\\n'; printf(\"%d\", 3); return 1;", "1"},
    {"stringStream", "std::ostringstream s; s << \"layer\" << 3 << '_' << 1.5 << string(\"x\"); return s.str();", "\"layer3_1.5x\""},
    {"stringSplit", "std::stringstream s(\"64,128\"); string item; vector<int> v; while (std::getline(s, item, ',')) v.push_back(std::stoi(item)); return v;", "vector {64, 128}"},
    {"stringParse", "std::istringstream s(\"3 4.5 abc\"); int a; double b; string c; s >> a >> b >> c; return c + to_string(a) + (b > 4 ? \"y\" : \"n\");", "\"abc3y\""},
    {"fileUnknown", "std::ifstream f(\"cfg.txt\"); int n = 0; f >> n; return n;", "unknown: contents of \"cfg.txt\""},
    // the rest
    {"randomQuiet", "std::mt19937 g(std::random_device{}()); std::uniform_int_distribution<int> d(0, 9); return d(g);", "unknown: random number"},
    {"chronoQuiet", "auto t = std::chrono::high_resolution_clock::now(); auto d = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::high_resolution_clock::now() - t); std::cout << d.count(); return 1;", "1"},
    {"threadRuns", "int x = 0; std::thread t([&] { x = 5; }); t.join(); return x * 10 + t.joinable();", "50"},
    {"threadsOfAPool", "std::mutex m; std::condition_variable cv; std::deque<std::function<void()>> jobs; bool stop = false; int done = 0, ended = 0;"
                       "std::vector<std::thread> pool; for (int i = 0; i < 2; ++i) pool.emplace_back([&] { while (true) { std::function<void()> job; {"
                       "std::unique_lock<std::mutex> l(m); cv.wait(l, [&] { return stop || !jobs.empty(); }); if (jobs.empty()) { ++ended; return; }"
                       "job = std::move(jobs.front()); jobs.pop_front(); } try { job(); } catch (...) { done = -100; } } });"
                       "for (int i = 1; i < 4; ++i) { jobs.push_back([&done, i] { done += i; }); cv.notify_one(); }"
                       "stop = true; cv.notify_all(); for (auto &t : pool) t.join(); return done * 10 + ended;", "62"},
    {"threadThatWaitsInALoop", "std::mutex m; std::condition_variable cv; std::queue<int> q; int sum = 0;"
                               "std::thread t([&] { while (sum < 7) { std::unique_lock<std::mutex> l(m); while (q.empty()) cv.wait(l); sum += q.front(); q.pop(); } });"
                               "q.push(3); cv.notify_one(); q.push(4); cv.notify_one(); t.join(); return sum;", "7"},
    {"threadArgs", "int x = 1; std::thread t([](int &y, int by) { y += by; }, std::ref(x), 4); t.join(); return x;", "5"},
    {"asyncRuns", "auto f = std::async(std::launch::async, plusOne, 4); return f.get();", "5"},
    {"promise", "std::promise<int> p; auto f = p.get_future(); p.set_value(3); return f.get();", "3"},
    {"atomicCounts", "std::atomic<int> a{1}; ++a; a += 3; a.fetch_add(1); a.store(a.load() * 2); int b = a; return b;", "12"},
    {"locks", "std::mutex m; { std::lock_guard<std::mutex> g(m); } std::unique_lock<std::mutex> l(m); l.unlock(); return 1;", "1"},
    {"pathJoin", "std::filesystem::path p = \"data\"; p /= \"train\"; return (p / \"x.png\").string() + p.filename().string();", "\"data/train/x.pngtrain\""},
    {"existsUnknown", "return std::filesystem::exists(\"data\");", "unknown: exists(\"data\")"},
    {"throwing", "throw std::runtime_error(\"bad\"); return 1;", "throws bad"},
    {"catching", "try { throw std::runtime_error(\"bad\"); } catch (const std::exception &e) { std::cerr << e.what(); return 2; } return 1;", "2"},
    // life
    {"tokensDie", "{ vector<std::shared_ptr<int>> v; auto p = std::make_shared<int>(1); std::weak_ptr<int> w = p; v.push_back(std::move(p)); v.clear(); return w.expired(); }", "1"},
    {"eraseKills", "auto p = std::make_shared<int>(1); std::weak_ptr<int> w = p; map<int, std::shared_ptr<int>> m; m[1] = std::move(p); m.erase(1); return w.expired();", "1"},
    {"assignKills", "auto p = std::make_shared<int>(1); std::weak_ptr<int> w = p; std::optional<std::shared_ptr<int>> o = std::move(p); o = std::nullopt; return w.expired();", "1"},
    {"closureHolds", "std::weak_ptr<int> w; std::function<int()> f; { auto p = std::make_shared<int>(3); w = p; f = [p] { return *p; }; } int a = f(); bool b = w.expired(); f = nullptr; return a * 100 + b * 10 + w.expired();", "301"},
    {"largeVector", "vector<float> v(100000000); return v.size();", "unknown: container of 100000000 elements: too large to follow"},
};

/// All rows as one file, parsed once.
clang::ASTUnit &program() {
  static std::unique_ptr<clang::ASTUnit> AST = [] {
    std::string Code = Prelude;
    for (const Row &R : Rows)
      Code += std::string("auto ") + R.Name + "() { " + R.Body + " }\n";
    return clang::tooling::buildASTFromCodeWithArgs(
        Code, {"-std=c++17", "-resource-dir", VRAMLINT_RESOURCE_DIR, "-w"},
        "stdlib.cpp");
  }();
  return *AST;
}

const clang::FunctionDecl *function(llvm::StringRef Name) {
  for (clang::Decl *D : program().getASTContext().getTranslationUnitDecl()->decls())
    if (auto *F = llvm::dyn_cast<clang::FunctionDecl>(D))
      if (F->hasBody() && F->getDeclName().isIdentifier() && F->getName() == Name &&
          program().getSourceManager().isInMainFile(F->getLocation()))
        return F;
  return nullptr;
}

class StdlibTest : public testing::TestWithParam<Row> {};

TEST_P(StdlibTest, Returns) {
  ASSERT_FALSE(program().getDiagnostics().hasErrorOccurred());
  const clang::FunctionDecl *F = function(GetParam().Name);
  ASSERT_TRUE(F);
  EmptyDomain Domain;
  Machine M({&program().getASTContext(),
             program().hasSema() ? &program().getSema() : nullptr},
            nullptr, Domain, Budget());
  Operand O = M.run(*F, {});
  std::string Text = M.unwinding() ? "throws " + M.exceptionText().str()
                                   : describe(O.value());
  EXPECT_EQ(Text, GetParam().Expected)
      << GetParam().Body << "\nnot understood: "
      << llvm::join(Domain.Reasons, "; ");
}

INSTANTIATE_TEST_SUITE_P(Rows, StdlibTest, testing::ValuesIn(Rows),
                         [](const auto &Info) { return Info.param.Name; });

/// Names are unique: of two rows with one name, the second is never called.
TEST(StdlibTables, NamesAreUnique) {
  llvm::StringMap<unsigned> Seen;
  for (llvm::ArrayRef<NativeEntry> Table : nativeTables())
    for (const NativeEntry &E : Table)
      EXPECT_EQ(++Seen[E.Name], 1u) << E.Name << " has two models";
}

/// What nobody needs to hear of is not reported.
TEST(StdlibTables, QuietValues) {
  for (const char *Name : {"chronoQuiet", "consoleIgnored", "randomQuiet"}) {
    EmptyDomain Domain;
    Machine M({&program().getASTContext(),
               program().hasSema() ? &program().getSema() : nullptr},
              nullptr, Domain, Budget());
    M.run(*function(Name), {});
    EXPECT_EQ(llvm::join(Domain.Reasons, "; "), "") << Name;
  }
}

} // namespace
