"""Hard attention: Xu et al. 2015, on a translator, trained by the straight-through Gumbel-softmax estimator."""

from models.mechanisms import Mechanism
from models.messages import mark

MECHANISM = Mechanism(
    key="hard",
    title=mark("Hard attention (argmax)"),
    year=2015,
    formula=(
        r"j_i = \operatorname{argmax}_j \operatorname{softmax}(e_i)_j, \quad c_i = h_{j_i}, \quad "
        r"e_{ij} = v^\top \tanh(W s_{i-1} + U h_j)"
    ),
    paper=(
        "Xu, Ba, Kiros, Cho, Courville, Salakhutdinov, Zemel and Bengio 2015, Show, Attend and Tell: Neural Image "
        "Caption Generation with Visual Attention, ICML, arXiv:1502.03044"
    ),
    equation=mark("section 4.1 (stochastic “hard” attention)"),
    departures=(
        mark("A translator: it attends to the words of a sentence (in the paper to the locations of an image)."),
        mark(
            "Trained with the straight-through Gumbel-softmax estimator (Jang, Gu and Poole 2017; Maddison, Mnih "
            "and Teh 2017): the forward pass uses the choice, the backward pass the gradient of its relaxation. "
            "The paper uses REINFORCE with a moving baseline and the entropy of the row. Half of the time it uses "
            "the mean instead of the sample."
        ),
        mark(
            "The decoder takes the most likely position of each row (argmax; in the paper it is sampled, j_i ~ "
            "softmax(e_i)). With a seed the position is sampled, as in training: “draws of hard attention” below "
            "the maps, or the edit that samples."
        ),
        mark(
            "Encoder, decoder and score are those of Bahdanau (additive) here, with a GRU (in the paper an LSTM). "
            "Its first state comes from the backward state of the first word. In the paper it comes from the mean "
            "of the image features."
        ),
        mark("Byte-level BPE subwords with one embedding for source, target and output. The source ends with </s>."),
        mark("Label smoothing; an optimizer other than RMSProp or Adam; smaller states (sizes below)."),
        mark("A small model (sizes below), trained on short everyday text: it shows how the mechanism works."),
    ),
    network="models.networks.hard:HardNetwork",
    draws=True,
    is_small=True,
    order=9,
    other_texts=(
        mark(
            "Some texts define hard attention as the argmax. In the paper a position is sampled with these weights. "
            "The argmax is only one way to decode, and it has no gradient to train with."
        ),
    ),
    stands_with="bahdanau",
)
