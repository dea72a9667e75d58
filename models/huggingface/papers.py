"""Where the families of transformers models were described; what a figure cites for a model of the hub."""

from __future__ import annotations

from types import MappingProxyType

UNKNOWN = ("paper of this family not known here", 0)
"""What is said of a family that is not listed; of no year."""

PAPERS = MappingProxyType(
    {
        "albert": ("Lan et al. 2020, ALBERT", 2020),
        "bart": ("Lewis et al. 2020, BART", 2020),
        "bert": ("Devlin et al. 2019, BERT", 2019),
        "big_bird": ("Zaheer et al. 2020, Big Bird", 2020),
        "bloom": ("BigScience Workshop 2022, BLOOM", 2022),
        "camembert": ("Martin et al. 2020, CamemBERT", 2020),
        "codegen": ("Nijkamp et al. 2023, CodeGen", 2023),
        "deberta": ("He et al. 2021, DeBERTa", 2021),
        "deberta-v2": ("He et al. 2021, DeBERTa", 2021),
        "distilbert": ("Sanh et al. 2019, DistilBERT", 2019),
        "electra": ("Clark et al. 2020, ELECTRA", 2020),
        "falcon": ("Almazrouei et al. 2023, The Falcon Series of Open Language Models", 2023),
        "gemma": ("Gemma Team 2024, Gemma", 2024),
        "gemma2": ("Gemma Team 2024, Gemma 2", 2024),
        "gpt2": ("Radford et al. 2019, Language Models are Unsupervised Multitask Learners", 2019),
        "gpt_neo": ("Black et al. 2021, GPT-Neo", 2021),
        "gpt_neox": ("Black et al. 2022, GPT-NeoX-20B", 2022),
        "gpt_oss": ("OpenAI 2025, gpt-oss-120b and gpt-oss-20b Model Card", 2025),
        "gptj": ("Wang and Komatsuzaki 2021, GPT-J-6B", 2021),
        "llama": ("Touvron et al. 2023, LLaMA", 2023),
        "longformer": ("Beltagy et al. 2020, Longformer", 2020),
        "m2m_100": ("Fan et al. 2021, Beyond English-Centric Multilingual Machine Translation", 2021),
        "marian": ("Junczys-Dowmunt et al. 2018, Marian", 2018),
        "mbart": ("Liu et al. 2020, Multilingual Denoising Pre-training for Neural Machine Translation", 2020),
        "mistral": ("Jiang et al. 2023, Mistral 7B", 2023),
        "mixtral": ("Jiang et al. 2024, Mixtral of Experts", 2024),
        "modernbert": ("Warner et al. 2024, Smarter, Better, Faster, Longer (ModernBERT)", 2024),
        "mpnet": ("Song et al. 2020, MPNet", 2020),
        "mpt": ("MosaicML NLP Team 2023, Introducing MPT-7B", 2023),
        "mt5": ("Xue et al. 2021, mT5", 2021),
        "openai-gpt": ("Radford et al. 2018, Improving Language Understanding by Generative Pre-Training", 2018),
        "opt": ("Zhang et al. 2022, OPT", 2022),
        "pegasus": ("Zhang et al. 2020, PEGASUS", 2020),
        "phi3": ("Abdin et al. 2024, Phi-3 Technical Report", 2024),
        "qwen2": ("Yang et al. 2024, Qwen2 Technical Report", 2024),
        "qwen3": ("Yang et al. 2025, Qwen3 Technical Report", 2025),
        "roberta": ("Liu et al. 2019, RoBERTa", 2019),
        "roformer": ("Su et al. 2024, RoFormer", 2024),
        "t5": ("Raffel et al. 2020, Exploring the Limits of Transfer Learning (T5)", 2020),
        "xglm": ("Lin et al. 2022, Few-shot Learning with Multilingual Generative Language Models (XGLM)", 2022),
        "xlm-roberta": ("Conneau et al. 2020, Unsupervised Cross-lingual Representation Learning at Scale", 2020),
        "xlm": ("Conneau and Lample 2019, Cross-lingual Language Model Pretraining (XLM)", 2019),
        "xlnet": ("Yang et al. 2019, XLNet", 2019),
    }
)
"""For each ``model_type`` of a configuration its paper and that paper's year."""
