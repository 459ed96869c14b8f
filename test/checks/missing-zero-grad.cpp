// RUN: %check_torch %s torch-missing-zero-grad %t
// REQUIRES: libtorch
//
// Training loops whose gradients add up, and those where that is meant or not known.
#include <torch/torch.h>

#include <functional>
#include <memory>
#include <vector>

torch::Tensor batch();
torch::Tensor labels();

void plainBad(torch::nn::Linear &net) {
  torch::optim::SGD sgd(net->parameters(), 0.1);
  for (int i = 0; i < 1000; ++i) {
    auto loss = torch::mse_loss(net->forward(batch()), labels());
    loss.backward();
    // CHECK-MESSAGES: :[[@LINE+1]]:9: warning: this step uses the sum of all gradients since the first iteration: nothing sets them back [torch-missing-zero-grad]
    sgd.step();
    // CHECK-MESSAGES: :[[@LINE-3]]:10: note: backward() adds to the gradients that are there
    // CHECK-MESSAGES: :[[@LINE-6]]:3: note: in this loop; call zero_grad() of 'sgd' once in each iteration, before backward()
  }
}

static void log(float loss) { (void)loss; }

void epochsBad(torch::nn::Linear &net, std::unique_ptr<torch::optim::Optimizer> &adam) {
  for (int epoch = 0; epoch < 10; ++epoch)
    for (int i = 0; i < 1000; ++i) {
      auto loss = torch::mse_loss(net->forward(batch()), labels());
      loss.backward();
      // CHECK-MESSAGES: :[[@LINE+1]]:13: warning: this step uses the sum of all gradients
      adam->step();
      log(loss.item<float>());
    }
}

// ---- Set back

void optimizerOk(torch::nn::Linear &net, torch::optim::Optimizer &sgd) {
  for (int i = 0; i < 1000; ++i) {
    torch::mse_loss(net->forward(batch()), labels()).backward();
    sgd.step();
    sgd.zero_grad();
  }
}

void moduleOk(torch::nn::Linear &net, torch::optim::Optimizer &sgd) {
  for (int i = 0; i < 1000; ++i) {
    net->zero_grad();
    torch::mse_loss(net->forward(batch()), labels()).backward();
    sgd.step();
  }
}

void byHandOk(torch::nn::Linear &net, torch::optim::Optimizer &sgd) {
  for (int i = 0; i < 1000; ++i) {
    for (auto &p : net->parameters())
      if (p.grad().defined())
        p.grad().zero_();
    torch::mse_loss(net->forward(batch()), labels()).backward();
    sgd.step();
  }
}

static void prepare(torch::optim::Optimizer &o) { o.zero_grad(); }
void helperOk(torch::nn::Linear &net, torch::optim::Optimizer &sgd) {
  for (int i = 0; i < 1000; ++i) {
    prepare(sgd);
    torch::mse_loss(net->forward(batch()), labels()).backward();
    sgd.step();
  }
}

// ---- Added up on purpose

void accumulateOk(torch::nn::Linear &net, torch::optim::Optimizer &sgd) {
  for (int i = 0; i < 1000; ++i) {
    torch::mse_loss(net->forward(batch()), labels()).backward();
    if (i % 4 == 3)
      sgd.step();
  }
}

void partsOk(torch::nn::Linear &net, torch::optim::Optimizer &sgd) {
  for (int i = 0; i < 4; ++i)
    torch::mse_loss(net->forward(batch()), labels()).backward();
  sgd.step();
}

void closureOk(torch::nn::Linear &net, torch::optim::LBFGS &lbfgs) {
  for (int i = 0; i < 10; ++i)
    lbfgs.step([&] {
      lbfgs.zero_grad();
      auto loss = torch::mse_loss(net->forward(batch()), labels());
      loss.backward();
      return loss;
    });
}

// A new model each time.
void modelsOk() {
  for (int i = 0; i < 5; ++i) {
    torch::nn::Linear net(3, 2);
    torch::optim::SGD sgd(net->parameters(), 0.1);
    torch::mse_loss(net->forward(batch()), labels()).backward();
    sgd.step();
  }
}

// ---- Unknown

void prepareElsewhere(torch::optim::Optimizer &o);
void unknownOk(torch::nn::Linear &net, torch::optim::Optimizer &sgd,
               std::function<void()> before) {
  for (int i = 0; i < 1000; ++i) {
    prepareElsewhere(sgd);
    torch::mse_loss(net->forward(batch()), labels()).backward();
    sgd.step();
  }
  torch::optim::Optimizer &other = sgd;
  for (int i = 0; i < 1000; ++i) {
    before();
    torch::mse_loss(net->forward(batch()), labels()).backward();
    other.step();
  }
}

class Trainer {
public:
  explicit Trainer(torch::nn::Linear net) : sgd(net->parameters(), 0.1), net(net) {}
  void begin(); // In another file.
  void trainOk() {
    for (int i = 0; i < 1000; ++i) {
      begin();
      torch::mse_loss(net->forward(batch()), labels()).backward();
      sgd.step();
    }
  }

private:
  torch::optim::SGD sgd;
  torch::nn::Linear net;
};
