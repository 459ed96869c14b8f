#include "lib/frontend/Frontend.h"
#include "lib/frontend/PreambleCache.h"
#include "lib/frontend/ProjectIndex.h"
#include "lib/torch/Program.h"
#include "llvm/Support/raw_ostream.h"
using namespace vramlint;
int main(int argc, char **argv) {
  std::string File = argv[1];
  FlagFinder Finder{FlagOptions()};
  auto Cmd = Finder.commandFor(absolutePath(File));
  if (!Cmd) { llvm::errs() << toString(Cmd.takeError()) << "\n"; return 2; }
  PreambleCacheOptions CO; CO.Say = [](llvm::StringRef S) { llvm::errs() << S << "\n"; };
  PreambleCache Cache(CO);
  FrontendOptions FO; FO.Cache = &Cache;
  auto U = loadUnit(*Cmd, FO);
  if (!U) { llvm::errs() << toString(U.takeError()) << "\n"; return 2; }
  for (auto &D : (*U)->diagnostics()) llvm::errs() << D.Text;
  ProgramOptions PO; PO.Target.Target = DeviceKind::CPU;
  for (int I = 2; I < argc; ++I) if (llvm::StringRef(argv[I]) == "--cuda") PO.Target.Target = DeviceKind::CUDA;
  auto T = runProgram((*U)->view(), nullptr, PO);
  printTrace(*T, llvm::outs());
  return 0;
}
