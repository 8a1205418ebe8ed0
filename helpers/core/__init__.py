"""What every folder may use: what a label is, the errors, whole files in and out."""

from .labels import (
    BACKWARD as BACKWARD,
    DIRECTIONS as DIRECTIONS,
    FORWARD as FORWARD,
    Label as Label,
    NEGATIVE_NAMES as NEGATIVE_NAMES,
    SEMEVAL_BASES as SEMEVAL_BASES,
    SEMEVAL_RELATIONS as SEMEVAL_RELATIONS,
    SKIPPED as SKIPPED,
    as_label as as_label,
    base_relation as base_relation,
    find_negative as find_negative,
    inverse_label as inverse_label,
    label_ids as label_ids,
    missing_message as missing_message,
    plain_form as plain_form,
    role_words as role_words,
    unlisted_message as unlisted_message,
)
from .errors import (
    ChecksumError as ChecksumError,
    DownloadError as DownloadError,
    MalformedRecord as MalformedRecord,
    MissingData as MissingData,
    abridged as abridged,
    did_you_mean as did_you_mean,
    listing as listing,
    naming_file as naming_file,
    shown as shown,
    unknown_name as unknown_name,
)
from .files import (
    atomic_path as atomic_path,
    atomic_writer as atomic_writer,
    byte_fault as byte_fault,
    exclusive as exclusive,
    file_sha256 as file_sha256,
    locked as locked,
    named_twice as named_twice,
    plain_file as plain_file,
    private_folder as private_folder,
    read_file as read_file,
    remove_abandoned as remove_abandoned,
    utf8_fault as utf8_fault,
    write_atomically as write_atomically,
)
from .opened import note_opened as note_opened, read_opened as read_opened
from .text import (
    csv_text as csv_text,
    finite_number as finite_number,
    signature_field as signature_field,
    table_name as table_name,
    visible as visible,
)
