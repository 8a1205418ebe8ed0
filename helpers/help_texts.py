"""What `python -m helpers COMMAND --help` says beyond its options."""

ABOUT = "Every score of your predictions, tests between systems, statistics, data, notebooks."
EPILOG = """\
Every command takes --help. Scores are fractions in JSON and CSV, per cent in tables and LaTeX.
Exit codes: 0 done, 1 a notebook failed, 2 bad input, 130 interrupted."""

SCORE = """\
FILE has one row for each sample, the negative ones included, with its gold and its predicted label. Columns
with a common name (gold, label, label_true, y_true, … and predicted, pred, label_pred, y_pred, …) need not be
named. Labels are text: NA, None and null are labels, an empty cell is an error. A sample that the system
skipped has the predicted label (skipped).

The gold label of a paired sample is the inverse of the gold label: (e1,e2) and (e2,e1) change places. Other
inverses come from --inverse: JSON {"per:parents": "per:children", …}, or columns label and inverse. A label
without an inverse keeps itself and is left out of PIR and PPR.

examples:
  python -m helpers score mine.csv --negative no_relation
  python -m helpers score mine.jsonl.gz --gold-column label --predicted-column bert --bootstrap 10000
  python -m helpers score mine.tsv --task semeval2010 --paired-column paired --format json"""

COMPARE = """\
The first FILE is compared with each other one: two-sided paired bootstrap under every scheme, p corrected by
Holm over all tests (the other files under each scheme). Samples are matched by id if both files have ids,
else by order; the gold labels have to agree.

example:
  python -m helpers compare mine.csv baseline.csv other.parquet --negative no_relation"""

STATS = """\
Labels, samples and share of the negative class are those of the whole data set; perplexity and ratio (largest
by smallest positive class) are those of its test part.

names: semeval2010, semeval2010-undirected, chemprot, tacred, nyt24, docred, nyt10m, kbp37

examples:
  python -m helpers stats tacred
  python -m helpers stats counts.csv --negative NA     columns: label, count and, if wanted, split"""

DATA = """\
examples:
  python -m helpers data                        which registered files are here, and where
  python -m helpers data fetch semeval2010      download a data set, or one file, with its checksum
  python -m helpers data build-pairs OUT        original, paired and merged set, from the official files"""

NOTEBOOKS = """\
examples:
  python -m helpers notebooks
  python -m helpers notebooks --only 02 --only 03 -p replicates 500

Runs with -p write to scratch/, so the stored results stay as they are."""


SCORE_MULTILABEL = """\
TRUTH is a matrix of 0 and 1, one row a document and one column a label, SCORES a matrix of the same shape:
.csv without header, .npy, or .npz (scipy.sparse.save_npz; what is not stored is 0). A label is predicted if
its score is above 0 (--threshold for probabilities), with --multiclass the best one of each document. Of
equal scores the label further left comes first.

JSON has the keys P@K, R@K, RP@K, NDCG@K for each K, Macro-F1, Micro-F1, Macro*-F1, and schemes: name → F1
averaged under that scheme over the labels that --labels names.

examples:
  python -m helpers score-multilabel --truth truth.csv --scores scores.npy
  python -m helpers score-multilabel --truth t.npz --scores s.npz --k 1,3,5 --bootstrap 10000 --format json"""


LINEAR = """\
Files are in LibMultiLabel's forms: .txt or .tsv, a line with id, labels, text or labels, text, separated by
tabs, labels by blanks; .svm or .libsvm, lines such as 3,7 1:0.5 9:1. Texts become TF-IDF features.

Techniques: 1vsrest, thresholding, cost_sensitive, cost_sensitive_micro, tree, and binary_and_multiclass for
documents with one label each. --options are LIBLINEAR's: -s solver (0 to 7), -c cost, -e tolerance, -B bias,
-m processes. There is no bias without -B. A single option needs an equals sign: --options=-q.
--set changes a technique: rule (thresholding: micromacro-freq, scut-fbr); degree, depth, beam (tree).

Labels that only the test documents have are left out, and how much that matters is shown.

examples:
  python -m helpers linear --train train.txt --test test.txt --options "-s 1 -B 1 -e 0.0001"
  python -m helpers linear --train train.svm --test test.svm --technique cost_sensitive --seed 1337
  python -m helpers linear --train train.txt --model mine.safetensors
  python -m helpers linear --model mine.safetensors --test new.txt --predictions labels.txt"""


TRAIN = """\
Trains on the training data, tests on the test set and on its paired set (entity markers exchanged), writes a
run file: the counts of gold × predicted × predicted on the paired sentence, and every setting. Interrupted
training goes on from its checkpoint; a run that is stored already is not trained again.

Runs of profile quick (2000 training sentences) go to scratch/runs, those of standard and paper (all of them)
to results/runs. --settings standard are those found for the embedded encoder, paper those of the papers;
--set changes single ones: learning_rate, epochs, batch_size, optimizer, weight_decay, schedule, warmup, clip,
accumulate, dropout, max_length, marker_vectors, precision. --option sets what belongs to a model: layer_norm
(em-es), form (r-bert: paper, port), candidates (emr-c: all, directed), negatives (emr-c: resampled, fixed),
markers (svm).

Reference points without encoder, settings and seed: svm, TF-IDF with a linear SVM (--option markers true
shows it the entities), and majority, the most frequent relation.

examples:
  python -m helpers train --model em-c --dataset demo
  python -m helpers train --model em-es --merged --dataset semeval2010 --profile standard --seed 148
  python -m helpers train --model r-bert --encoder bert-large-uncased --profile paper --predictions mine.csv
  accelerate launch -m helpers train --model ptr --profile paper --encoder roberta-large   (several GPUs)"""


RUNS = """\
The standard set: nine models on SemEval-2010 with five seeds, two of them also on the training split of PTR's
authors, four on KBP37. Interrupt it at any time: what is stored is not trained again, and what was begun goes
on. To use two cores well, start it twice with different seeds.

examples:
  python -m helpers runs
  python -m helpers runs --train --seed 148
  OMP_NUM_THREADS=1 python -m helpers runs --train --model R-BERT --model R-BERT-M"""
