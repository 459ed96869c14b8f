//===- tool/vramlint/Jobs.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Work that is spread over processes.

#include "tool/vramlint/Jobs.h"

#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <csignal>
#include <map>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace vramlint::tool {

namespace {

/// A worker as this process sees it: one socket carries numbers there and
/// results back, each result after its length.
struct Process {
  pid_t Id = -1;
  int Socket = -1;
  std::optional<size_t> Piece; ///< What it is at.
  std::string Received;
};

class Jobs {
public:
  Jobs(size_t Pieces, const JobCallbacks &On) : Pieces(Pieces), On(On) {}
  void run(unsigned Count);

private:
  bool start(Process &P);
  void hand(Process &P);
  void receive(Process &P);
  void end(Process &P);
  void finish(size_t Piece, std::optional<std::string> Result);

  size_t Pieces;
  const JobCallbacks &On;
  std::vector<Process> All;
  size_t Next = 0, Reported = 0;
  std::map<size_t, std::optional<std::string>> Waiting; ///< For earlier ones.
};

} // namespace

static bool writeAll(int Socket, const void *Data, size_t Size) {
  const char *At = static_cast<const char *>(Data);
  while (Size) {
    ssize_t N = send(Socket, At, Size, MSG_NOSIGNAL);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return false;
    At += N;
    Size -= N;
  }
  return true;
}

static bool readAll(int Socket, void *Data, size_t Size) {
  char *At = static_cast<char *>(Data);
  while (Size) {
    ssize_t N = read(Socket, At, Size);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return false;
    At += N;
    Size -= N;
  }
  return true;
}

/// The life of a worker: until nobody asks any more.
static void work(int Socket, const std::function<Worker()> &Make) {
  Worker Do = Make();
  uint64_t Piece;
  while (readAll(Socket, &Piece, sizeof Piece)) {
    std::string Result = Do(Piece);
    uint64_t Size = Result.size();
    if (!writeAll(Socket, &Size, sizeof Size) ||
        !writeAll(Socket, Result.data(), Size))
      return;
  }
}

bool Jobs::start(Process &P) {
  int Ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, Ends))
    return false;
  // What is buffered here must not be written twice.
  llvm::outs().flush();
  llvm::errs().flush();
  P = Process();
  P.Id = fork();
  if (P.Id == 0) {
    close(Ends[0]);
    // Else they would not see this process end.
    for (const Process &Other : All)
      if (Other.Socket >= 0)
        close(Other.Socket);
    work(Ends[1], On.MakeWorker);
    llvm::errs().flush();
    _exit(0);
  }
  close(Ends[1]);
  P.Socket = Ends[0];
  if (P.Id < 0)
    end(P);
  return P.Id >= 0;
}

void Jobs::end(Process &P) {
  if (P.Socket >= 0)
    close(P.Socket);
  P.Socket = -1;
  if (P.Id > 0)
    while (waitpid(P.Id, nullptr, 0) < 0 && errno == EINTR) {
    }
}

void Jobs::hand(Process &P) {
  if (Next == Pieces)
    return end(P);
  P.Piece = Next++;
  On.Started(*P.Piece);
  uint64_t Number = *P.Piece;
  // One that has died is seen when its answer is read.
  (void)writeAll(P.Socket, &Number, sizeof Number);
}

void Jobs::finish(size_t Piece, std::optional<std::string> Result) {
  Waiting.emplace(Piece, std::move(Result));
  for (auto I = Waiting.begin(); I != Waiting.end() && I->first == Reported;
       I = Waiting.erase(I), ++Reported)
    On.Done(I->first, std::move(I->second));
}

void Jobs::receive(Process &P) {
  char Buffer[1 << 16];
  ssize_t N = read(P.Socket, Buffer, sizeof Buffer);
  if (N < 0 && errno == EINTR)
    return;
  if (N <= 0) {
    size_t Piece = *P.Piece;
    end(P);
    finish(Piece, std::nullopt);
    if (Next != Pieces && start(P))
      hand(P);
    return;
  }
  P.Received.append(Buffer, N);
  uint64_t Size;
  if (P.Received.size() < sizeof Size)
    return;
  memcpy(&Size, P.Received.data(), sizeof Size);
  if (P.Received.size() - sizeof Size < Size)
    return;
  size_t Piece = *P.Piece;
  std::string Result = P.Received.substr(sizeof Size);
  P.Received.clear();
  hand(P);
  finish(Piece, std::move(Result));
}

void Jobs::run(unsigned Count) {
  All.resize(std::min<size_t>(Count, Pieces));
  for (Process &P : All)
    if (start(P))
      hand(P);
  for (;;) {
    std::vector<pollfd> Open;
    std::vector<Process *> Whose;
    for (Process &P : All)
      if (P.Socket >= 0) {
        Open.push_back({P.Socket, POLLIN, 0});
        Whose.push_back(&P);
      }
    if (Open.empty())
      break;
    if (poll(Open.data(), Open.size(), -1) < 0)
      continue;
    for (size_t I = 0; I < Open.size(); ++I)
      if (Open[I].revents)
        receive(*Whose[I]);
  }
  // No process can be had any more: what is left is not done.
  while (Next != Pieces)
    finish(Next++, std::nullopt);
}

void runJobs(size_t Pieces, unsigned Jobs, const JobCallbacks &Callbacks) {
  tool::Jobs(Pieces, Callbacks).run(Jobs);
}

} // namespace vramlint::tool
