"""Encrypted files in standard formats, which other programs read and write; docs/FORMATS.md specifies them."""

from aeadlab.files.age.recipients import Passphrase
from aeadlab.files.formats import DEFAULT, FORMATS, Format, generate_identity, generate_key
from aeadlab.files.memory import decrypt, encrypt
from aeadlab.files.opening import decrypt_file, decrypt_iter
from aeadlab.files.sealed_file import SealedFile
from aeadlab.files.sealing import encrypt_file, encrypt_iter

__all__ = [
    "DEFAULT",
    "FORMATS",
    "Format",
    "Passphrase",
    "SealedFile",
    "decrypt",
    "decrypt_file",
    "decrypt_iter",
    "encrypt",
    "encrypt_file",
    "encrypt_iter",
    "generate_identity",
    "generate_key",
]
