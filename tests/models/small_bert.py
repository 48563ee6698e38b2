"""A transformer that is small enough for tests."""

TEXT = (
    "ada bob paris acme corp rain love ##lace met in the . hired fell on again nobody"
)
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def write_bert(path, n_positions=32):
    """Write a BERT of three layers with random weights to a folder that exists."""
    import torch
    import transformers

    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *TEXT.split(), *LETTERS]
    pieces += [f"##{letter}" for letter in LETTERS]
    (path / "vocab.txt").write_text("\n".join(pieces))
    tokenizer = transformers.BertTokenizerFast(str(path / "vocab.txt"))
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(pieces),
        hidden_size=16,
        num_hidden_layers=3,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=n_positions,
    )
    tokenizer.save_pretrained(path)
    transformers.BertModel(config).save_pretrained(path)
