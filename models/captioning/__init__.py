"""Captioners of scenes: Xu et al. 2015, Show, Attend and Tell. A scene goes in, its caption and its maps come out."""
