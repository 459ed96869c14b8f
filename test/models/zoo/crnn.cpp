// CRNN for reading words: a VGG-like stack told by three parallel arrays, then
// two bidirectional LSTMs.
#include <torch/torch.h>

#include <iostream>

class BidirectionalLSTM : public torch::nn::Module {
public:
  BidirectionalLSTM(int nIn, int nHidden, int nOut)
      : rnn(torch::nn::LSTMOptions(nIn, nHidden).bidirectional(true)), embedding(nHidden * 2, nOut) {
    register_module("rnn", rnn);
    register_module("embedding", embedding);
  }
  torch::Tensor forward(torch::Tensor input) {
    auto recurrent = std::get<0>(rnn->forward(input));
    auto T = recurrent.size(0), b = recurrent.size(1), h = recurrent.size(2);
    auto t_rec = recurrent.view({T * b, h});
    return embedding->forward(t_rec).view({T, b, -1});
  }

private:
  torch::nn::LSTM rnn;
  torch::nn::Linear embedding;
};

class CRNN : public torch::nn::Module {
public:
  CRNN(int imgH, int nc, int nclass, int nh) {
    TORCH_CHECK(imgH % 16 == 0, "imgH has to be a multiple of 16");
    const int ks[] = {3, 3, 3, 3, 3, 3, 2};
    const int ps[] = {1, 1, 1, 1, 1, 1, 0};
    const int nm[] = {64, 128, 256, 256, 512, 512, 512};

    auto convRelu = [&](int i, bool batchNormalization) {
      const int nIn = i == 0 ? nc : nm[i - 1];
      cnn->push_back("conv" + std::to_string(i), torch::nn::Conv2d(torch::nn::Conv2dOptions(nIn, nm[i], ks[i]).stride(1).padding(ps[i])));
      if (batchNormalization)
        cnn->push_back("batchnorm" + std::to_string(i), torch::nn::BatchNorm2d(nm[i]));
      cnn->push_back("relu" + std::to_string(i), torch::nn::ReLU(torch::nn::ReLUOptions(true)));
    };
    auto pool = [&](std::string name, std::vector<int64_t> k, std::vector<int64_t> s, std::vector<int64_t> p) {
      cnn->push_back(std::move(name), torch::nn::MaxPool2d(torch::nn::MaxPool2dOptions({k[0], k[1]}).stride({s[0], s[1]}).padding({p[0], p[1]})));
    };
    convRelu(0, false);
    pool("pooling0", {2, 2}, {2, 2}, {0, 0});
    convRelu(1, false);
    pool("pooling1", {2, 2}, {2, 2}, {0, 0});
    convRelu(2, true);
    convRelu(3, false);
    pool("pooling2", {2, 2}, {2, 1}, {0, 1});
    convRelu(4, true);
    convRelu(5, false);
    pool("pooling3", {2, 2}, {2, 1}, {0, 1});
    convRelu(6, true);
    register_module("cnn", cnn);
    rnn = register_module("rnn", torch::nn::Sequential(BidirectionalLSTM(512, nh, nh), BidirectionalLSTM(nh, nh, nclass)));
  }

  torch::Tensor forward(torch::Tensor input) {
    auto conv = cnn->forward(input);
    TORCH_CHECK(conv.size(2) == 1, "the height of conv must be 1");
    conv = conv.squeeze(2).permute({2, 0, 1});
    return rnn->forward(conv);
  }

private:
  torch::nn::Sequential cnn, rnn{nullptr};
};

int main() {
  const int nclass = 37; // vary: 11 63 95
  const int nh = 256; // vary: 32 64 128
  CRNN net(32, 1, nclass, nh);
  // oracle: model(net)
  // matrix: auto input = torch::rand({N, 1, 32, 100});
  // matrix: auto preds = net.forward(input);
  // matrix: auto loss = preds.mean();
  net.eval();
  torch::NoGradGuard guard;
  auto preds = net.forward(torch::rand({4, 1, 32, 100}));
  // oracle: shape(preds)
  std::cout << preds.sizes() << std::endl;
}
