"""What every folder may use: what a label is, the errors, whole files in and out."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "labels": [
            "BACKWARD",
            "DIRECTIONS",
            "FORWARD",
            "Label",
            "NEGATIVE_NAMES",
            "SEMEVAL_BASES",
            "SEMEVAL_RELATIONS",
            "SKIPPED",
            "as_label",
            "base_relation",
            "find_negative",
            "inverse_label",
            "label_ids",
            "missing_message",
            "plain_form",
            "role_words",
            "unlisted_message",
        ],
        "errors": [
            "ChecksumError",
            "DownloadError",
            "MalformedRecord",
            "MissingData",
            "abridged",
            "did_you_mean",
            "listing",
            "naming_file",
            "shown",
            "unknown_name",
        ],
        "files": [
            "atomic_path",
            "atomic_writer",
            "byte_fault",
            "file_sha256",
            "locked",
            "plain_file",
            "private_folder",
            "read_file",
            "remove_abandoned",
            "utf8_fault",
            "write_atomically",
        ],
        "text": ["csv_text", "finite_number", "signature_field", "table_name", "visible"],
    },
)
