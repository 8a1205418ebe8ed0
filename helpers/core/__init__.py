"""What every folder may use: what a label is, the errors, whole files in and out."""

from .labels import (
    BACKWARD,
    FORWARD,
    Label,
    NEGATIVE_NAMES,
    SEMEVAL_RELATIONS,
    OFF_LIST,
    SKIPPED,
    as_label,
    base_relation,
    find_negative,
    inverse_label,
    label_ids,
    plain_form,
    role_words,
    unlisted_message,
)
from .errors import (
    ChecksumError,
    DownloadError,
    MalformedRecord,
    MissingData,
    abridged,
    did_you_mean,
    listing,
    naming_file,
    shown,
    unknown_name,
)
from .files import (
    atomic_path,
    atomic_writer,
    exclusive,
    file_sha256,
    locked,
    named_twice,
    plain_file,
    private_folder,
    read_file,
    remove_abandoned,
    utf8_fault,
    write_atomically,
)
from .opened import note_opened, read_opened
from .text import csv_text, finite_number, progress, signature_field, table_name, visible
