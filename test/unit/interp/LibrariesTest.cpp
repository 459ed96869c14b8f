//===- test/unit/interp/LibrariesTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Libraries for command lines and configuration. nlohmann's header is the real one;
// of the others, which need not be installed, the part of the interface that a test
// uses is declared here. A model goes by names, so that it makes no difference.

#include "test/unit/interp/TestProgram.h"
#include "gtest/gtest.h"

using namespace vramlint;

namespace {

const char *const Argv = R"(
int unknownArgc();
const char **unknownArgv();
)";

std::string valueOf(const std::string &Code,
                    std::map<std::string, std::string> Files = {}) {
  return runTest(Argv + Code, true, {}, std::move(Files)).Value;
}

//===-- boost::program_options --------------------------------------------===//

const char *const Boost = R"(
#include <iostream>
#include <map>
#include <string>
#include <vector>
namespace boost { namespace program_options {
struct value_semantic {};
template <typename T> struct typed_value : value_semantic {
  typed_value *default_value(const T &);
  typed_value *multitoken();
};
template <typename T> typed_value<T> *value();
template <typename T> typed_value<T> *value(T *);
typed_value<bool> *bool_switch();
struct options_description_easy_init {
  options_description_easy_init &operator()(const char *, const char *);
  options_description_easy_init &operator()(const char *, const value_semantic *,
                                            const char *);
};
struct options_description {
  options_description(const char *);
  options_description_easy_init add_options();
};
struct parsed_options {};
parsed_options parse_command_line(int, const char *const *,
                                  const options_description &);
struct variable_value {
  template <typename T> const T &as() const;
  bool empty() const;
  bool defaulted() const;
};
struct variables_map : std::map<std::string, variable_value> {
  variables_map();
  const variable_value &operator[](const std::string &) const;
};
void store(const parsed_options &, variables_map &);
void notify(variables_map &);
}}
namespace po = boost::program_options;
struct Config { int Width = 3; };
static void read(int argc, const char **argv, po::variables_map &vm, Config &C) {
  po::options_description d("x");
  d.add_options()
    ("help,h", "text")
    ("width,w", po::value<int>(&C.Width)->default_value(64), "text")
    ("rate", po::value<float>()->default_value(1), "text")
    ("sizes", po::value<std::vector<int>>()->multitoken(), "text")
    ("train", po::value<bool>()->default_value(false), "text")
    ("deep", po::value<bool>()->default_value(true), "text")
    ("set", po::value<std::string>(), "text");
  po::store(po::parse_command_line(argc, argv, d), vm);
  po::notify(vm);
}
)";

std::string boost(const std::string &Body) {
  return valueOf(Boost + ("auto test() { po::variables_map vm; Config C;" + Body + "}"));
}

TEST(BoostOptions, GivenOnes) {
  std::string Given = "const char *argv[] = {\"p\", \"-w\", \"128\", \"--sizes\", \"1\", "
                      "\"2\", \"--set=mnist\"}; read(7, argv, vm, C);";
  EXPECT_EQ(boost(Given + "return vm[\"width\"].as<int>();"), "128");
  EXPECT_EQ(boost(Given + "return C.Width;"), "128");
  EXPECT_EQ(boost(Given + "return vm[\"sizes\"].as<std::vector<int>>();"),
            "vector {1, 2}");
  EXPECT_EQ(boost(Given + "return vm[\"set\"].as<std::string>();"), "\"mnist\"");
  EXPECT_EQ(boost(Given + "return vm[\"train\"].as<bool>() ? 1 : 2;"), "2");
  EXPECT_EQ(boost(Given + "return vm.count(\"help\");"), "0");
  EXPECT_EQ(boost(Given + "return vm.count(\"rate\");"), "1");
}

TEST(BoostOptions, DefaultsWhereNothingIsTold) {
  std::string Untold = "read(unknownArgc(), unknownArgv(), vm, C);";
  EXPECT_EQ(boost(Untold + "return vm[\"width\"].as<int>();"), "64");
  EXPECT_EQ(boost(Untold + "return C.Width;"), "64");
  EXPECT_EQ(boost(Untold + "return vm[\"rate\"].as<float>() / 2;"), "0.5");
  EXPECT_EQ(boost(Untold + "return (int)vm[\"deep\"].as<bool>();"), "1");
  EXPECT_EQ(boost(Untold + "return vm.count(\"width\");"), "1");
  // What has no default, and what is off by default, is not known.
  EXPECT_EQ(boost(Untold + "return vm[\"set\"].as<std::string>();"),
            "unknown: option 'set' of the command line");
  EXPECT_EQ(boost(Untold + "return (int)vm[\"train\"].as<bool>();"),
            "unknown: option 'train' of the command line");
  EXPECT_NE(boost(Untold + "return vm.count(\"help\");").find("unknown"),
            std::string::npos);
  TestResult R = runTest(Argv + std::string(Boost) +
                         "auto test() { po::variables_map vm; Config C;" + Untold + "}");
  EXPECT_FALSE(R.Assumed.empty());
}

//===-- cxxopts -----------------------------------------------------------===//

const char *const Cxxopts = R"(
#include <memory>
#include <string>
namespace cxxopts {
struct Value {
  std::shared_ptr<Value> default_value(const std::string &);
};
template <typename T> std::shared_ptr<Value> value();
struct OptionAdder {
  OptionAdder &operator()(const std::string &, const std::string &,
                          const std::shared_ptr<const Value> & = value<bool>());
};
struct OptionValue {
  template <typename T> const T &as() const;
};
struct ParseResult {
  std::size_t count(const std::string &) const;
  const OptionValue &operator[](const std::string &) const;
};
struct Options {
  Options(const std::string &, const std::string &);
  OptionAdder add_options();
  ParseResult parse(int, const char *const *);
};
}
static cxxopts::ParseResult read(int argc, const char **argv) {
  cxxopts::Options options("p", "text");
  options.add_options()
    ("b,batch", "text", cxxopts::value<int>()->default_value("32"))
    ("rate", "text", cxxopts::value<double>()->default_value("0.5"))
    ("v,verbose", "text")
    ("name", "text", cxxopts::value<std::string>());
  return options.parse(argc, argv);
}
)";

std::string cxxopts(const std::string &Body) {
  return valueOf(Cxxopts + ("auto test() {" + Body + "}"));
}

TEST(Cxxopts, GivenAndDefaults) {
  std::string Given = "const char *argv[] = {\"p\", \"-b8\", \"--verbose\"};"
                      "auto r = read(3, argv);";
  EXPECT_EQ(cxxopts(Given + "return r[\"batch\"].as<int>();"), "8");
  EXPECT_EQ(cxxopts(Given + "return r[\"b\"].as<int>();"), "8");
  EXPECT_EQ(cxxopts(Given + "return r[\"rate\"].as<double>();"), "0.5");
  EXPECT_EQ(cxxopts(Given + "return (int)r[\"verbose\"].as<bool>();"), "1");
  EXPECT_EQ(cxxopts(Given + "return r.count(\"name\");"), "0");
  EXPECT_EQ(cxxopts(Given + "return r[\"name\"].as<std::string>();"),
            "throws option 'name' is not given");
  std::string Untold = "auto r = read(unknownArgc(), unknownArgv());";
  EXPECT_EQ(cxxopts(Untold + "return r[\"batch\"].as<int>();"), "32");
  EXPECT_EQ(cxxopts(Untold + "return r.count(\"batch\");"),
            "unknown: option 'batch' of the command line");
  EXPECT_EQ(cxxopts(Untold + "return r[\"name\"].as<std::string>();"),
            "unknown: option 'name' of the command line");
}

//===-- argparse ----------------------------------------------------------===//

const char *const Argparse = R"(
#include <any>
#include <string>
namespace argparse {
struct Argument {
  Argument &help(std::string);
  template <typename T> Argument &default_value(T &&);
  Argument &implicit_value(std::any);
  template <typename F> Argument &action(F &&);
  template <typename T> bool operator==(const T &) const;
};
struct ArgumentParser {
  ArgumentParser(std::string);
  template <typename... Ts> Argument &add_argument(Ts...);
  void parse_args(int, const char *const *);
  template <typename T = std::string> T get(const std::string &) const;
  bool is_used(const std::string &) const;
  Argument &operator[](const std::string &) const;
};
}
static int number(const std::string &Text) { return std::stoi(Text); }
static void declare(argparse::ArgumentParser &p) {
  p.add_argument("-n", "--width").help("text").default_value(16).action(&number);
  p.add_argument("--fast").default_value(false).implicit_value(true);
  p.add_argument("path");
}
)";

std::string argparse(const std::string &Body) {
  return valueOf(Argparse + ("auto test() { argparse::ArgumentParser p(\"p\");"
                             "declare(p);" +
                             Body + "}"));
}

TEST(Argparse, GivenAndDefaults) {
  std::string Given = "const char *argv[] = {\"p\", \"a.pt\", \"--width\", \"5\"};"
                      "p.parse_args(4, argv);";
  EXPECT_EQ(argparse(Given + "return p.get<int>(\"--width\");"), "5");
  EXPECT_EQ(argparse(Given + "return p.get(\"path\");"), "\"a.pt\"");
  EXPECT_EQ(argparse(Given + "return (int)(p[\"--fast\"] == true);"), "0");
  EXPECT_EQ(argparse(Given + "return (int)p.is_used(\"-n\");"), "1");
  std::string Untold = "p.parse_args(unknownArgc(), unknownArgv());";
  EXPECT_EQ(argparse(Untold + "return p.get<int>(\"-n\");"), "16");
  EXPECT_EQ(argparse(Untold + "return p.get(\"path\");"),
            "unknown: option 'path' of the command line");
}

//===-- CLI11, gflags -----------------------------------------------------===//

const char *const Cli = R"(
#include <string>
namespace CLI {
struct Option { Option *required(bool = true); };
struct App {
  App(std::string);
  template <typename T> Option *add_option(std::string, T &, std::string);
  template <typename T> Option *add_flag(std::string, T &, std::string);
  void parse(int, const char *const *);
};
}
struct Flags { int Depth = 4; bool Fast = false; };
static void read(int argc, const char **argv, Flags &F) {
  CLI::App app{"text"};
  app.add_option("-d,--depth", F.Depth, "text")->required();
  app.add_flag("--fast", F.Fast, "text");
  app.parse(argc, argv);
}
)";

TEST(Cli11, VariablesAreDefaults) {
  std::string Start = std::string(Cli) + "auto test() { Flags F;";
  EXPECT_EQ(valueOf(Start + "read(unknownArgc(), unknownArgv(), F); return F.Depth; }"),
            "4");
  EXPECT_EQ(valueOf(Start + "read(unknownArgc(), unknownArgv(), F);"
                            "return (int)F.Fast; }"),
            "unknown: option 'fast' of the command line");
  std::string Given = "const char *argv[] = {\"p\", \"--depth=7\", \"--fast\"};"
                      "read(3, argv, F);";
  EXPECT_EQ(valueOf(Start + Given + "return F.Depth; }"), "7");
  EXPECT_EQ(valueOf(Start + Given + "return (int)F.Fast; }"), "1");
}

const char *const Gflags = R"(
namespace gflags {
struct FlagRegisterer {
  template <typename T>
  FlagRegisterer(const char *, const char *, const char *, T *, T *);
};
unsigned ParseCommandLineFlags(int *, const char ***, bool);
}
namespace fLI {
int FLAGS_width = 12, FLAGS_nowidth = 12;
static gflags::FlagRegisterer o_width("width", "text", "file", &FLAGS_width,
                                      &FLAGS_nowidth);
}
using fLI::FLAGS_width;
)";

TEST(Gflags, GivenAndDefaults) {
  std::string Start = std::string(Gflags) + "auto test() {";
  EXPECT_EQ(valueOf(Start + "const char *a[] = {\"p\", \"--width\", \"6\"};"
                            "const char **argv = a; int argc = 3;"
                            "gflags::ParseCommandLineFlags(&argc, &argv, true);"
                            "return FLAGS_width; }"),
            "6");
  EXPECT_EQ(valueOf(Start + "const char **argv = unknownArgv(); int argc = 0;"
                            "gflags::ParseCommandLineFlags(&argc, &argv, true);"
                            "return FLAGS_width; }"),
            "12");
}

//===-- nlohmann::json ----------------------------------------------------===//

const char *const Json = R"(
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
using json = nlohmann::json;
struct Layer { int In, Out; };
void from_json(const json &j, Layer &l) {
  j.at("in").get_to(l.In);
  l.Out = j.value("out", 9);
}
static json table() {
  json j = {{"small", {{"layers", {2, 3}}, {"kind", "res"}, {"bias", false}}},
            {"list", {1, 2.5, "three", nullptr}}};
  return j;
}
)";

std::map<std::string, std::string> files() {
  return {{"config.json",
           R"({"net": {"width": 32, "sizes": [4, 5], "name": "mlp", "on": true},
               "by": {"b": 2, "a": 1}})"},
          {"broken.json", "{\"a\": "}};
}

std::string json(const std::string &Body) {
  return valueOf(Json + ("auto test() {" + Body + "}"), files());
}

TEST(Json, BuiltInCode) {
  EXPECT_EQ(json("return table()[\"small\"][\"layers\"].get<std::vector<int>>();"),
            "vector {2, 3}");
  EXPECT_EQ(json("std::vector<int> v = table()[\"small\"][\"layers\"]; return v[1];"),
            "3");
  EXPECT_EQ(json("return (int)(table()[\"small\"][\"kind\"] == \"res\");"), "1");
  EXPECT_EQ(json("bool b = table()[\"small\"][\"bias\"]; return (int)b;"), "0");
  EXPECT_EQ(json("return (int)table()[\"list\"].is_array();"), "1");
  EXPECT_EQ(json("return (int)table()[\"list\"][3].is_null();"), "1");
  EXPECT_EQ(json("return table()[\"list\"].size();"), "4");
  EXPECT_EQ(json("return (int)table().contains(\"large\");"), "0");
  EXPECT_EQ(json("return (int)table()[\"list\"][1].get<int>();"), "2");
  EXPECT_EQ(json("nlohmann::json j; j[\"a\"][\"b\"] = 3; j[\"v\"].push_back(8);"
                 "return j[\"a\"][\"b\"].get<int>() + j[\"v\"][0].get<int>();"),
            "11");
}

TEST(Json, ReadFromAFile) {
  std::string Start = "std::ifstream f(\"config.json\"); nlohmann::json j; f >> j;";
  EXPECT_EQ(json(Start + "return j[\"net\"][\"width\"].get<int>();"), "32");
  EXPECT_EQ(json(Start + "return j.at(\"net\").at(\"name\").get<std::string>();"),
            "\"mlp\"");
  EXPECT_EQ(json(Start + "int n = 0; for (auto &[k, v] : j[\"by\"].items())"
                         "n = n * 10 + v.get<int>(); return n;"),
            "12");
  EXPECT_EQ(json(Start + "int n = 0; for (auto &v : j[\"by\"]) n = n * 10 + v.get<int>();"
                         "return n;"),
            "12");
  EXPECT_EQ(json(Start + "std::string s; for (auto i = j[\"by\"].begin();"
                         "i != j[\"by\"].end(); ++i) s += i.key(); return s;"),
            "\"ab\"");
  EXPECT_EQ(json(Start + "return j[\"by\"].get<std::map<std::string, int>>().at(\"b\");"),
            "2");
  EXPECT_EQ(json("std::ifstream f(\"config.json\");"
                 "auto j = nlohmann::json::parse(f); return j.value(\"none\", 5);"),
            "5");
  EXPECT_EQ(json("std::ifstream f(\"config.json\");"
                 "return nlohmann::json::parse(f)[\"none\"].is_null() ? 1 : 0;"),
            "1");
  EXPECT_EQ(json("std::ifstream f(\"config.json\");"
                 "return nlohmann::json::parse(f).at(\"none\").get<int>();"),
            "throws JSON without 'none'");
}

TEST(Json, ClassesOfTheProgram) {
  EXPECT_EQ(json("auto j = nlohmann::json::parse(R\"({\"in\": 7})\");"
                 "Layer l = j.get<Layer>(); return l.In * 10 + l.Out;"),
            "79");
}

TEST(Json, UnknownStaysUnknown) {
  EXPECT_EQ(json("std::ifstream f(\"other.json\"); nlohmann::json j; f >> j;"
                 "return j[\"net\"][\"width\"].get<int>();"),
            "unknown: contents of \"other.json\"");
  EXPECT_EQ(json("std::ifstream f(\"broken.json\"); nlohmann::json j; f >> j;"
                 "return j[\"a\"].get<int>();"),
            "unknown: JSON that can't be read");
}

//===-- Files and loops of unknown length ---------------------------------===//

const char *const Lines = R"(
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>
)";

std::string lines(const std::string &Body) {
  return valueOf(Lines + ("auto test() {" + Body + "}"),
                 {{"names.txt", "cat\ndog\n\nbird"}, {"numbers.txt", "3 4.5\n7\n"}});
}

TEST(Files, ThoseThatAreHereAreRead) {
  std::string Read = "std::ifstream f(\"names.txt\"); std::string line;"
                     "std::vector<std::string> v;"
                     "while (std::getline(f, line)) v.push_back(line);";
  EXPECT_EQ(lines(Read + "return v.size();"), "4");
  EXPECT_EQ(lines(Read + "return v[3];"), "\"bird\"");
  EXPECT_EQ(lines("std::ifstream f(\"numbers.txt\"); int a; double b; int c;"
                  "f >> a >> b >> c; return a + 10 * c + (f >> a ? 1000 : 0);"),
            "73");
  EXPECT_EQ(lines("std::ifstream f(\"numbers.txt\"); std::stringstream s;"
                  "s << f.rdbuf(); return s.str().size();"),
            "8");
  EXPECT_EQ(lines("std::ifstream f(\"numbers.txt\");"
                  "std::string s((std::istreambuf_iterator<char>(f)),"
                  "std::istreambuf_iterator<char>()); return s.size();"),
            "8");
  // A last line without its end is the last, and eof() says so.
  EXPECT_EQ(lines("std::ifstream f(\"names.txt\"); std::string line; int n = 0;"
                  "while (!f.eof()) { std::getline(f, line); ++n; } return n;"),
            "4");
  EXPECT_EQ(lines("std::ifstream f(\"numbers.txt\"); f.seekg(0, std::ios::end);"
                  "return (int)f.tellg();"),
            "8");
}

TEST(Files, WhatIsNotHereHasNoLength) {
  std::string Read = "std::ifstream f(\"other.txt\"); std::string line, all; int n = 0;"
                     "std::vector<std::string> v;"
                     "while (std::getline(f, line)) { v.push_back(line); ++n; all += 'x'; }";
  EXPECT_EQ(lines(Read + "return v.size();"),
            "unknown: size of a container filled in a loop of unknown length");
  EXPECT_EQ(lines(Read + "return n;"), "unknown: how often a loop runs");
  EXPECT_EQ(lines(Read + "return all.size();"), "unknown: how often a loop runs");
  EXPECT_EQ(lines(Read + "auto w = v; int m = 0; for (auto &x : w) ++m; return m;"),
            "unknown: how often a loop runs");
  EXPECT_EQ(lines(Read + "std::vector<int> w; for (auto i = v.begin(); i != v.end(); ++i)"
                         "w.push_back(1); return w.size();"),
            "unknown: size of a container filled in a loop of unknown length");
  EXPECT_EQ(lines(Read + "std::vector<std::string> w(v.begin(), v.end());"
                         "return w.size();"),
            "unknown: size of a container filled in a loop of unknown length");
  EXPECT_EQ(lines(Read + "return std::distance(v.begin(), v.end());"),
            "unknown: distance of unknown iterators");
  EXPECT_EQ(lines(Read + "v.clear(); return v.size();"), "0");
  // What is the same whenever the loop ends stays known.
  EXPECT_EQ(lines(Read + "int k = 1; std::ifstream g(\"more.txt\");"
                         "while (std::getline(g, line)) k = 5; return k;"),
            "5");
}

//===-- The C library -----------------------------------------------------===//

const char *const CLibrary = R"(
#include <cstdio>
#include <cstring>
#include <string>
#include <unistd.h>
)";

std::string c(const std::string &Body) {
  return valueOf(CLibrary + ("auto test() {" + Body + "}"));
}

TEST(CLibrary, FormattedText) {
  EXPECT_EQ(c("char b[32]; sprintf(b, \"layer_%d\", 12); return std::string(b);"),
            "\"layer_12\"");
  EXPECT_EQ(c("char b[32]; sprintf(b, \"%s%03ld|%.2f|%c%%\", \"a\", 7L, 1.5, 'x');"
              "return std::string(b);"),
            "\"a007|1.50|x%\"");
  EXPECT_EQ(c("char b[4]; int n = snprintf(b, sizeof b, \"%d\", 123456);"
              "return std::string(b) + (n == 6 ? \"!\" : \"?\");"),
            "\"123!\"");
  EXPECT_EQ(c("char *b = new char[strlen(\"layer_\") + 4];"
              "sprintf(b, \"%s%d\", \"layer_\", 3); return std::string(b);"),
            "\"layer_3\"");
  EXPECT_EQ(c("char b[16]; strcpy(b, \"ab\"); strcat(b, \"cd\"); return std::string(b);"),
            "\"abcd\"");
  EXPECT_NE(c("int n; scanf(\"%d\", &n); char b[8]; sprintf(b, \"%d\", n);"
              "return std::string(b);")
                .find("unknown"),
            std::string::npos);
}

TEST(CLibrary, Getopt) {
  std::string Loop = "int width = 3; std::string name = \"none\"; bool fast = false; int c;"
                     "while ((c = getopt(argc, argv, \"w:n:f\")) != -1) switch (c) {"
                     "case 'w': width = std::stoi(optarg); break;"
                     "case 'n': name = optarg; break;"
                     "case 'f': fast = true; break; }"
                     "return name + std::to_string(width) + (fast ? \"!\" : \"\");";
  EXPECT_EQ(c("char a[] = \"p\", b[] = \"-fw\", d[] = \"9\", e[] = \"-nnet\";"
              "char *argv[] = {a, b, d, e, nullptr}; int argc = 4;" +
              Loop),
            "\"net9!\"");
  EXPECT_EQ(c("int argc = unknownArgc(); char **argv = (char **)unknownArgv();" + Loop),
            "\"none3\"");
}

} // namespace
