"""FMUs in the model: where their inputs come from and their outputs go to."""

from __future__ import annotations

from linkwork.elements.context import Context
from linkwork.elements.signals.fmu_block import FmuBlock
from linkwork.errors import ModelError, nearest
from linkwork.mechanism import Mechanism
from linkwork.system.compilation.states import States
from linkwork.system.layout import BlockPlaces


class Blocks:
    """Places of each FMU; an output gets an auxiliary state when it is first used."""

    def __init__(self, mechanism: Mechanism, states: States) -> None:
        self.states = states
        self.blocks = {block.name: block for block in mechanism.of(FmuBlock)}
        self._places = {name: BlockPlaces({}, {}) for name in self.blocks}

    def output(self, name: str, output: str, who: str) -> tuple[int, str]:
        """The state that holds an output, and its unit."""
        if name not in self.blocks:
            raise ModelError(f"{who}: there is no FMU '{name}'; {nearest(name, self.blocks)}", element=who)
        unit = self.blocks[name].output(output, who).unit
        outputs = self._places[name].outputs
        if output not in outputs:
            outputs[output] = self.states.new()
        return outputs[output], unit

    def give_inputs(self, context: Context) -> None:
        """Signals for all inputs."""
        signals = context.signals
        for name, block in self.blocks.items():
            block.variables()
            for connection in block.inputs:
                place = signals.needed_now(signals.expression(connection.of, block.who), block.who)
                self._places[name].inputs[connection.input] = place

    def places(self) -> dict[str, BlockPlaces]:
        """For the layout."""
        return self._places
