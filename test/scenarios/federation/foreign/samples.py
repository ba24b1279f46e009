"""Prints the sample activities of fediverse-pasture-inputs as JSON: samples.py ACTOR ORIGIN PERSON

ACTOR sends them from ORIGIN, PERSON is the local account to which they are addressed."""

import asyncio
import json
import sys

from fediverse_pasture_inputs import available
from fediverse_pasture_inputs.tool.transformer import ExampleTransformer

[_, actor, origin, person] = sys.argv


async def samples():
    transformer = ExampleTransformer()
    return [
        [f"{name} {index}", await transformer.create_activity(example)]
        for name, data in sorted(available.items())
        for index, example in enumerate(data.examples)
    ]


text = json.dumps(asyncio.run(samples()))
for name, address in [
    ("http://remote.example/", person),
    ("http://actor.example", actor),
    ("http://pasture-one-actor/actor", actor),
    ("http://pasture-one-actor", origin),
]:
    text = text.replace(name, address)
print(text)
