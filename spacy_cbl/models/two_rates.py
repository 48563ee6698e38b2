"""An optimizer with a rate for a transformer and one for what is learned anew."""

from typing import Any, Tuple

from thinc.api import Optimizer
from thinc.types import FloatsXd


def create_two_rate_adam(
    learn_rate: Any,
    transformer_scale: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    eps: float = 1e-8,
    grad_clip: float = 1.0,
    L2: float = 0.0,
    L2_is_weight_decay: bool = True,
    use_averages: bool = False,
) -> Optimizer:
    """Create an Adam optimizer. A transformer that has been trained wants small steps;
    the layers above it, which start at random, want large ones.

    learn_rate (Any): The rate; a number or a schedule.
    transformer_scale (float): The parameters of torch learn at this share of the rate.
    beta1 (float): See `Adam.v1`, here and below.
    beta2 (float): Momentum of the second order.
    eps (float): Keeps steps finite.
    grad_clip (float): The largest norm of a gradient.
    L2 (float): Weight decay.
    L2_is_weight_decay (bool): Whether it acts on weights, not on gradients.
    use_averages (bool): Whether to keep averages of the parameters.
    RETURNS (Optimizer): The optimizer.
    """
    optimizer = TwoRateOptimizer(
        learn_rate,
        beta1=beta1,
        beta2=beta2,
        eps=eps,
        grad_clip=grad_clip,
        L2=L2,
        L2_is_weight_decay=L2_is_weight_decay,
        use_averages=use_averages,
    )
    optimizer.transformer_scale = transformer_scale
    return optimizer


class TwoRateOptimizer(Optimizer):
    """Updates parameters of torch more slowly."""

    transformer_scale = 1.0

    def __call__(
        self,
        key: Tuple[int, str],
        weights: FloatsXd,
        gradient: FloatsXd,
        *,
        lr_scale: float = 1.0,
    ) -> Tuple[FloatsXd, FloatsXd]:
        """Update a parameter. See `thinc.api.Optimizer`.

        key (Tuple[int, str]): Whose parameter, and its name.
        weights (FloatsXd): The parameter.
        gradient (FloatsXd): Its gradient.
        lr_scale (float): Scales the rate.
        RETURNS (Tuple[FloatsXd, FloatsXd]): Both, updated.
        """
        # Names of torch tell the module as well: `encoder.layer.0.output.dense.bias`.
        if "." in key[1]:
            lr_scale *= self.transformer_scale
        return super().__call__(key, weights, gradient, lr_scale=lr_scale)
