"""Constrained Binary Learning as a weighting scheme."""

from dataclasses import asdict
from typing import Any, Dict, List, Optional, Tuple

from spacy.tokens import Doc

from ..core.weighting import settle
from ..data.arrays import CorpusArrays
from ..data.sentences import cut_long_documents
from ..errors import Errors, check_settings
from ..inference import Tokens, infer
from ..inference.constraints import EntityRatio, KeepLabelled
from ..inference.problem import Constraint, fingerprint, make_rule
from ..types import BoolArray, FloatArray
from .cbl import SELECTED, CBLSettings, InferT, run_rounds, weigh_last
from .default_learner import make_default_learner, make_default_refiner
from .entity_ratio import EntityRatioT
from .learner import Learner
from .rounds import RoundStore, open_store
from .schemes import WeightingScheme, make_raw, run_scheme


def make_cbl(
    learner: Optional[Learner] = None,
    refine: bool = True,
    refiner: Optional[Learner] = None,
    initial: Optional[WeightingScheme] = None,
    constraints: Optional[Dict[str, Any]] = None,
    entity_ratio: Optional[EntityRatioT] = None,
    overshoot: float = 0.05,
    step: float = 0.5,
    delta: float = 0.001,
    xi: float = 0.99,
    max_rounds: int = 20,
    balance: bool = False,
    selected: str = "zero",
    doubt: float = 0.0,
    refined_overshoot: float = 0.01,
    seed: int = 0,
    time_limit: float = 600.0,
) -> WeightingScheme:
    """Weigh tokens by constrained binary learning: a binary model is trained, asked,
    and corrected by an integer program, round by round. Rounds are kept beside the
    corpus, and an interrupted run goes on from them.

    learner (Optional[Learner]): Trains the binary model; a small one that cannot see
        word identity if not given.
    refine (bool): Whether a model of typed entities that sees everything selects anew
        after the last round. The paper does not.
    refiner (Optional[Learner]): Trains that model; one like that of `cbl_ner` with its
        usual features if not given.
    initial (Optional[WeightingScheme]): Gives the weights of the first round; 1 for
        all if not given.
    constraints (Optional[Dict[str, Any]]): Further constraints, by any name.
    entity_ratio (Optional[EntityRatioT]): The share of tokens that are in entities,
        labelled or not; "estimate" to estimate it from the labels, "gold" to take that
        of the gold corpus; max(0.15, 1.3 times the labelled share) if not given.
    overshoot (float): How far beyond that ratio to select: leaving out a token too many
        costs less than learning that an entity is none.
    step (float): By how much the ratio grows from round to round. The default reaches
        the goal in one.
    delta (float): Half the width of the window around the ratio.
    xi (float): The share of labelled tokens that must stay entities.
    max_rounds (int): Where to stop in any case.
    balance (bool): Whether to scale the weights of each round to the entity ratio, as
        the paper does. Raises P(entity) on N, which soft weights need and selection
        does not.
    selected (str): The weight of selected tokens: "zero", or "soft" for P(O). "capped"
        is "zero" with a weight of 1/2 at least for all others.
    doubt (float): Labelled entities of which no token reaches this P(entity) get weight
        0: they are probably false. 0 trusts all labels, as the paper does.
    refined_overshoot (float): How far beyond the ratio that selection goes.
    seed (int): Fixes everything random.
    time_limit (float): Seconds for each integer program.
    """
    if selected not in SELECTED:
        names = ", ".join(SELECTED)
        raise ValueError(Errors.C241.format(selected=selected, names=names))
    above, share = "a number above 0", "a number from 0 to 1"
    rule, more = "a block with `@cbl_constraints`", constraints or {}
    check_settings(
        "CBL",
        ("step", step, step > 0, above),
        ("time_limit", time_limit, _is_positive(time_limit), above),
        ("max_rounds", max_rounds, max_rounds > 0, above),
        ("overshoot", overshoot, 0 <= overshoot <= 1, share),
        ("refined_overshoot", refined_overshoot, 0 <= refined_overshoot <= 1, share),
        ("delta", delta, 0 <= delta <= 1, share),
        ("xi", xi, 0 <= xi <= 1, share),
        ("doubt", doubt, 0 <= doubt <= 1, share),
        *((f"constraints.{k}", c, callable(c), rule) for k, c in more.items()),
    )
    settings = CBLSettings(
        entity_ratio=entity_ratio,
        overshoot=overshoot,
        step=step,
        delta=delta,
        xi=xi,
        max_rounds=max_rounds,
        balance=balance,
        selected=selected,
        doubt=doubt,
        refined_overshoot=refined_overshoot,
        # An estimate may be too high by so little that nothing is taken back; the
        # second model learns from the better selection of the first.
        least_refinements=2 if entity_ratio == "estimate" else 1,
        seed=seed,
    )
    start, rules = initial or make_raw(), list(more.values())
    return CBLScheme(settings, learner, refine, refiner, start, rules, time_limit)


def _is_positive(value: Any) -> bool:
    """A config says nan and inf by texts."""
    return isinstance(value, (int, float)) and value > 0


class CBLScheme:
    """The scheme, and of its last run the history and P(O) of each token."""

    weighs_entities = True  # labels that it doubts weigh 0

    def __init__(
        self,
        settings: CBLSettings,
        learner: Optional[Learner],
        refine: bool,
        refiner: Optional[Learner],
        initial: WeightingScheme,
        constraints: List[Constraint],
        time_limit: float,
    ) -> None:
        """See `make_cbl` for the arguments."""
        self.settings = settings
        self.learner = learner
        self.refine = refine
        self.refiner = refiner
        self.initial = initial
        self.constraints = constraints
        self.time_limit = time_limit
        self.history: List[Dict[str, Any]] = []
        self.p_outside: Optional[FloatArray] = None

    def __call__(self, corpus: CorpusArrays) -> FloatArray:
        """Weigh a corpus.

        corpus (CorpusArrays): The corpus.
        RETURNS (FloatArray): One weight per token.
        """
        docs = [doc for doc in cut_long_documents(corpus.docs()) if len(doc)]
        learner = self.learner or make_default_learner(docs[0].vocab)
        refiner = None
        if self.refine:
            refiner = self.refiner or make_default_refiner(docs[0].vocab)
        certain = corpus.is_entity | corpus.trusted
        weights = settle(run_scheme(self.initial, corpus), certain)
        last, self.history = run_rounds(
            corpus,
            docs,
            learner,
            self._make_infer(corpus),
            weights,
            self.settings,
            self._open_store(corpus, weights, learner, refiner, docs),
            refiner,
        )
        self.p_outside = 1.0 - last.p_entity
        return weigh_last(corpus, last, self.settings)

    def _make_infer(self, corpus: CorpusArrays) -> InferT:
        tokens = Tokens.from_corpus(corpus)
        # In a small corpus the window must be wide enough to hold a whole number.
        delta = max(self.settings.delta, 0.5 / len(corpus))

        def run_inference(
            C0: FloatArray, C1: FloatArray, ratio: float
        ) -> Tuple[BoolArray, Dict[str, Any]]:
            rules: List[Constraint] = [EntityRatio(ratio, delta)]
            rules += [KeepLabelled(self.settings.xi), *self.constraints]
            solution = infer(tokens, C0, C1, rules, time_limit=self.time_limit)
            figures = {"objective": solution.objective, "gap": solution.gap}
            return solution.labels, figures

        return run_inference

    def _open_store(
        self,
        corpus: CorpusArrays,
        weights: FloatArray,
        learner: Learner,
        refiner: Optional[Learner],
        docs: List[Doc],
    ) -> Optional[RoundStore]:
        tokens, more = Tokens.from_corpus(corpus), self.constraints
        settings = asdict(self.settings)
        for name in ("selected", "doubt"):  # decided after the last round
            settings.pop(name)
        described = {
            "scheme": "cbl",
            "settings": settings,
            "time_limit": self.time_limit,
            "learner": learner.describe(corpus.forms),
            "refiner": None if refiner is None else refiner.describe(corpus.forms),
            "constraints": [fingerprint(make_rule(c, tokens)) for c in more],
        }
        return open_store(corpus, docs, described, weights)
