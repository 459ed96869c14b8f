// A word language model on an LSTM: the state is carried from batch to batch and
// detached, gradients are clipped. The corpus is random words.
#include <torch/torch.h>

#include <cmath>
#include <cstdio>
#include <tuple>

using State = std::tuple<torch::Tensor, torch::Tensor>;

struct RNNModelImpl : torch::nn::Module {
  RNNModelImpl(int64_t ntoken, int64_t ninp, int64_t nhid, int64_t nlayers, double dropout)
      : nhid(nhid), nlayers(nlayers),
        drop(register_module("drop", torch::nn::Dropout(dropout))),
        encoder(register_module("encoder", torch::nn::Embedding(ntoken, ninp))),
        rnn(register_module("rnn", torch::nn::LSTM(torch::nn::LSTMOptions(ninp, nhid).num_layers(nlayers)))),
        decoder(register_module("decoder", torch::nn::Linear(nhid, ntoken))) {
    torch::nn::init::uniform_(encoder->weight, -0.1, 0.1);
    torch::nn::init::zeros_(decoder->bias);
    torch::nn::init::uniform_(decoder->weight, -0.1, 0.1);
  }

  std::tuple<torch::Tensor, State> forward(torch::Tensor input, State hidden) {
    auto emb = drop->forward(encoder->forward(input));
    auto [output, next] = rnn->forward(emb, hidden);
    output = drop->forward(output);
    auto decoded = decoder->forward(output.view({-1, output.size(2)}));
    return {decoded, next};
  }

  State init_hidden(int64_t bsz) {
    return {torch::zeros({nlayers, bsz, nhid}), torch::zeros({nlayers, bsz, nhid})};
  }

  int64_t nhid, nlayers;
  torch::nn::Dropout drop;
  torch::nn::Embedding encoder;
  torch::nn::LSTM rnn;
  torch::nn::Linear decoder;
};
TORCH_MODULE(RNNModel);

static State repackage_hidden(const State &h) {
  return {std::get<0>(h).detach(), std::get<1>(h).detach()};
}

// Starting from sequential data, columns of equal length.
static torch::Tensor batchify(torch::Tensor data, int64_t bsz) {
  int64_t nbatch = data.size(0) / bsz;
  data = data.narrow(0, 0, nbatch * bsz);
  return data.view({bsz, -1}).t().contiguous();
}

int main() {
  const int64_t ntokens = 2000, bptt = 20, batch_size = 16;
  torch::manual_seed(1111);
  auto corpus = torch::randint(ntokens, {batch_size * 101}, torch::kLong);
  auto train_data = batchify(corpus, batch_size);
  auto val_data = batchify(torch::randint(ntokens, {batch_size * 41}, torch::kLong), batch_size);

  RNNModel model(ntokens, 100, 128, 2, 0.2);
  torch::nn::CrossEntropyLoss criterion;
  torch::optim::Adam optimizer(model->parameters(), torch::optim::AdamOptions(1e-3));

  for (int epoch = 1; epoch <= 4; ++epoch) {
    model->train();
    auto hidden = model->init_hidden(batch_size);
    for (int64_t i = 0; i + 1 < train_data.size(0); i += bptt) {
      int64_t seq_len = std::min(bptt, train_data.size(0) - 1 - i);
      auto data = train_data.slice(0, i, i + seq_len);
      auto targets = train_data.slice(0, i + 1, i + 1 + seq_len).reshape({-1});
      hidden = repackage_hidden(hidden);
      optimizer.zero_grad();
      auto [output, next] = model->forward(data, hidden);
      auto loss = criterion(output, targets);
      loss.backward();
      torch::nn::utils::clip_grad_norm_(model->parameters(), 0.25);
      optimizer.step();
      hidden = next;
    }

    model->eval();
    torch::NoGradGuard no_grad;
    double total_loss = 0;
    auto state = model->init_hidden(batch_size);
    for (int64_t i = 0; i + 1 < val_data.size(0); i += bptt) {
      int64_t seq_len = std::min(bptt, val_data.size(0) - 1 - i);
      auto data = val_data.slice(0, i, i + seq_len);
      auto targets = val_data.slice(0, i + 1, i + 1 + seq_len).reshape({-1});
      auto [output, next] = model->forward(data, state);
      total_loss += seq_len * criterion(output, targets).item<double>();
      state = repackage_hidden(next);
    }
    std::printf("epoch %d, perplexity %.2f\n", epoch, std::exp(total_loss / (val_data.size(0) - 1)));
  }
}
