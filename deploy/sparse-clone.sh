#!/bin/sh
# Clone only what a class needs: the app and the weights of its first screens, without tests, training and docs.
#     sh sparse-clone.sh ADDRESS FOLDER [MODEL ...]
# MODEL is one more folder of models/weights, such as luong-dot-en-fr, readers or training. To add one later:
#     git -C FOLDER sparse-checkout add /models/weights/MODEL/
set -eu
address=$1 folder=$2
shift 2
models="en-fr bahdanau-en-fr luong-general-en-fr transformer-en-fr seq2seq-en-fr
zh-en bahdanau-zh-en luong-general-zh-en transformer-zh-en captioners $*"

git clone --quiet --depth 1 --filter=blob:none --no-checkout "$address" "$folder"
for model in $models; do
    git -C "$folder" cat-file -e "HEAD:models/weights/$model" # ends here, with the name, if there is no such folder
done
{
    printf '%s\n' '/*' '!/benchmarks/' '!/docs/' '!/tests/' '!/training/' '!/models/weights/*/'
    printf '/models/weights/%s/\n' $models
} | git -C "$folder" sparse-checkout set --no-cone --stdin
git -C "$folder" checkout --quiet
