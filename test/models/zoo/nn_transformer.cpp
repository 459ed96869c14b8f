// Translation with torch::nn::Transformer at "Attention is all you need" size.
#include <torch/torch.h>

#include <cmath>
#include <iostream>

using namespace torch;

struct PositionalEncodingImpl : nn::Module {
  Tensor pe;
  nn::Dropout dropout;

  PositionalEncodingImpl(int64_t emb_size, double p, int64_t maxlen = 5000) : dropout(p) {
    auto den = torch::exp(-torch::arange(0, emb_size, 2, kFloat) * std::log(10000.0) / emb_size);
    auto pos = torch::arange(0, maxlen, kFloat).reshape({maxlen, 1});
    auto table = torch::zeros({maxlen, emb_size});
    table.index_put_({indexing::Slice(), indexing::Slice(0, indexing::None, 2)}, torch::sin(pos * den));
    table.index_put_({indexing::Slice(), indexing::Slice(1, indexing::None, 2)}, torch::cos(pos * den));
    pe = register_buffer("pe", table.unsqueeze(-2));
    register_module("dropout", dropout);
  }
  Tensor forward(const Tensor &x) { return dropout(x + pe.slice(0, 0, x.size(0))); }
};
TORCH_MODULE(PositionalEncoding);

struct Seq2SeqTransformerImpl : nn::Module {
  int64_t emb_size;
  nn::Embedding src_tok_emb{nullptr}, tgt_tok_emb{nullptr};
  nn::Transformer transformer{nullptr};
  nn::Linear generator{nullptr};
  PositionalEncoding positional_encoding{nullptr};

  Seq2SeqTransformerImpl(int64_t encoder_layers, int64_t decoder_layers, int64_t emb_size, int64_t nhead, int64_t src_vocab,
                         int64_t tgt_vocab, int64_t ffn)
      : emb_size(emb_size) {
    transformer = register_module("transformer", nn::Transformer(nn::TransformerOptions()
                                                                     .d_model(emb_size)
                                                                     .nhead(nhead)
                                                                     .num_encoder_layers(encoder_layers)
                                                                     .num_decoder_layers(decoder_layers)
                                                                     .dim_feedforward(ffn)
                                                                     .dropout(0.1)));
    generator = register_module("generator", nn::Linear(emb_size, tgt_vocab));
    src_tok_emb = register_module("src_tok_emb", nn::Embedding(src_vocab, emb_size));
    tgt_tok_emb = register_module("tgt_tok_emb", nn::Embedding(tgt_vocab, emb_size));
    positional_encoding = register_module("positional_encoding", PositionalEncoding(emb_size, 0.1));
    for (auto &p : parameters())
      if (p.dim() > 1)
        nn::init::xavier_uniform_(p);
  }

  Tensor forward(Tensor src, Tensor trg, Tensor tgt_mask, Tensor src_padding, Tensor tgt_padding) {
    auto src_emb = positional_encoding(src_tok_emb(src) * std::sqrt(emb_size));
    auto tgt_emb = positional_encoding(tgt_tok_emb(trg) * std::sqrt(emb_size));
    auto outs = transformer->forward(src_emb, tgt_emb, /*src_mask=*/{}, tgt_mask, /*memory_mask=*/{}, src_padding,
                                     tgt_padding, src_padding);
    return generator(outs);
  }
};
TORCH_MODULE(Seq2SeqTransformer);

int main() {
  const int64_t NUM_ENCODER_LAYERS = 3; // vary: 1 2 4
  const int64_t NUM_DECODER_LAYERS = 3; // vary: 1 2 4
  const int64_t FFN_HID_DIM = 512; // vary: 64 128 1024
  const int64_t TGT_VOCAB = 10837; // vary: 100 500 1000
  Seq2SeqTransformer net(NUM_ENCODER_LAYERS, NUM_DECODER_LAYERS, 512, 8, 19214, TGT_VOCAB, FFN_HID_DIM);
  // oracle: model(net)
  // matrix: auto src = torch::randint(2, 100, {17, N}, kLong), tgt = torch::randint(2, 100, {13, N}, kLong);
  // matrix: auto tgt_mask = nn::TransformerImpl::generate_square_subsequent_mask(tgt.size(0));
  // matrix: auto logits = net(src, tgt, tgt_mask, (src == 1).transpose(0, 1), (tgt == 1).transpose(0, 1));
  // matrix: auto loss = logits.mean();
  net->eval();

  NoGradGuard no_grad;
  const int64_t PAD = 1;
  auto src = torch::randint(2, 100, {17, 4}, kLong), tgt = torch::randint(2, 100, {13, 4}, kLong);
  src.slice(0, 15).fill_(PAD);
  auto tgt_mask = nn::TransformerImpl::generate_square_subsequent_mask(tgt.size(0));
  auto logits = net(src, tgt, tgt_mask, (src == PAD).transpose(0, 1), (tgt == PAD).transpose(0, 1));
  // oracle: shape(logits)
  std::cout << logits.sizes() << std::endl;
}
