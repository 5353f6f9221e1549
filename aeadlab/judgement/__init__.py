"""What documents claim, held against records; the claims are in ``documents``."""

from aeadlab.judgement.claim import Claim, Finding
from aeadlab.judgement.documents import claims_of
from aeadlab.judgement.evaluation import judged
from aeadlab.judgement.findings import Findings, claims

__all__ = ["Claim", "Finding", "Findings", "claims", "claims_of", "judged"]
