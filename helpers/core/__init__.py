"""What every folder may use: what a label is, errors and safe text, whole files in and out."""

from .labels import BACKWARD, FORWARD, NEGATIVE_NAMES, OFF_LIST, SEMEVAL_RELATIONS, SKIPPED, Label
from .labels import base_relation, inverse_label, label_ids, role_words
from .labels import find_negative, plain_form, unlisted_message
from .errors import ChecksumError, DownloadError, MalformedRecord, MissingData, naming_file
from .errors import check_known, did_you_mean, listing, shown, table_name, unknown_name, visible
from .errors import csv_text, finite_number, progress
from .files import atomic_path, atomic_writer, file_sha256, plain_file, read_file, write_atomically
from .files import exclusive, locked, named_twice, private_folder, remove_abandoned
from .files import note_opened
