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
        mark("A translator: it reads the words of a sentence (in the paper the places of a picture)."),
        mark(
            "Trained by the straight-through Gumbel-softmax estimator (Jang, Gu and Poole 2017; Maddison, Mnih and Teh "
            "2017): the choice goes forward, the gradient of its relaxation goes back (in the paper REINFORCE, with a "
            "moving baseline, the entropy of the row, and its mean in the place of the draw half of the time)."
        ),
        mark(
            "A translation is written with the likeliest place of each row (argmax; in the paper it is drawn, "
            "j_i ~ softmax(e_i)). With a seed the place is drawn, as in training: “draws of hard attention” below the "
            "maps, or the edit that draws."
        ),
        mark(
            "Encoder, decoder and score are those of Bahdanau (additive) here: a GRU (in the paper an LSTM), its first "
            "state from the backward state of the first word (in the paper from the mean of what is read)."
        ),
        mark("Byte-level BPE pieces with one embedding for source, target and output; the source ends with </s>."),
        mark("Label smoothing; another optimizer than RMSProp or Adam; smaller states (sizes below)."),
        mark("A small model (sizes below), trained on short everyday text: it shows how the mechanism works."),
    ),
    network="models.networks.hard:HardNetwork",
    draws=True,
    is_small=True,
    order=9,
    stands_with="bahdanau",
)
