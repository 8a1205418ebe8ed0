"""Files in, samples out. This room knows nothing of metrics, models or reporting; importing it loads nothing.

registry.py         every file: address, sha256, licence, rows; where to look, how to download
samples.py          RelationSample and Fact; markers into and out of a sentence
relations.py        names of directed relations: inverse, base, role words, label ids
readers.py          SemEval-2010, RDR, KBP37, ChemProt, DocRED and NYT* files
corpora.py          which reader reads which registered files: a whole corpus by its name
records.py          how a corpus file falls into records, and what happens to a malformed one
predictions.py      anybody's predictions from CSV, TSV, JSON lines or Parquet
delimited.py        the columns of a CSV or TSV file, and the line of its first fault
columnar.py         the same for JSON lines and Parquet
text.py             columns of text: empty cells, bytes that are not UTF-8
tacred.py           the public TACRED predictions: one table, or the folder of the tacrev repository
semeval_answers.py  answer files of the official SemEval-2010 Task 8 scorer
pairing.py          the paired sample of a sample; the original, paired and merged sets
statistics.py       Table 1 of paper W, and the same for a file of counts
distribution.py     one distribution of labels → perplexity, negative share, imbalance ratio
label_counts.py     counts of labels, from the real files or from results/published/label_counts.csv
demo.py             a synthetic corpus, generated here
documents.py        documents with several labels each: label list, label matrix
document_checks.py  what makes the parts of such a collection sound
document_files.py   LibMultiLabel txt, GoEmotions and label files, read and written
svm_files.py        LibMultiLabel svm files, read and written
demo_documents.py   a synthetic collection of such documents, generated here
matrices.py         matrices of labels and scores: .csv, .npy, .npz
files.py            whole files in and out
errors.py           the errors of this room
"""
