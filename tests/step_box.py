"""A STEP file (ISO 10303-21) of a box, written by hand: every face a plane with four straight edges."""

from __future__ import annotations

from itertools import product

HEAD = """ISO-10303-21;
HEADER;
FILE_DESCRIPTION((''),'2;1');
FILE_NAME('','',(''),(''),'','','');
FILE_SCHEMA(('AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }'));
ENDSEC;
DATA;
"""
FACES = [  # corners against the clock seen from outside, the normal, a direction in the plane
    ("000 010 110 100", (0, 0, -1), (1, 0, 0)), ("001 101 111 011", (0, 0, 1), (1, 0, 0)),
    ("000 100 101 001", (0, -1, 0), (1, 0, 0)), ("010 011 111 110", (0, 1, 0), (1, 0, 0)),
    ("000 001 011 010", (-1, 0, 0), (0, 1, 0)), ("100 110 111 101", (1, 0, 0), (0, 1, 0)),
]  # fmt: skip


def step_box(*size: float) -> str:
    """The file of a box of three lengths (mm) with a corner in the origin."""
    lines: list[str] = []

    def put(text: str) -> str:
        lines.append(f"#{len(lines) + 1}={text};")
        return f"#{len(lines)}"

    def numbers(kind: str, values: tuple[float, ...]) -> str:
        return put(f"{kind}('',({','.join(f'{float(x):.6f}' for x in values)}))")

    def place(at: tuple[float, ...], normal: tuple[float, ...], along: tuple[float, ...]) -> str:
        parts = (numbers("CARTESIAN_POINT", at), numbers("DIRECTION", normal), numbers("DIRECTION", along))
        return put(f"AXIS2_PLACEMENT_3D('',{','.join(parts)})")

    corners = {
        "".join(map(str, c)): tuple(k * s for k, s in zip(c, size, strict=True)) for c in product((0, 1), repeat=3)
    }
    vertices = {c: put(f"VERTEX_POINT('',{numbers('CARTESIAN_POINT', p)})") for c, p in corners.items()}
    edges: dict[tuple[str, str], str] = {}

    def oriented(a: str, b: str) -> str:
        if (b, a) in edges:
            return put(f"ORIENTED_EDGE('',*,*,{edges[b, a]},.F.)")
        along = tuple(int(y) - int(x) for x, y in zip(a, b, strict=True))
        vector = put(f"VECTOR('',{numbers('DIRECTION', along)},1.)")
        line = put(f"LINE('',{numbers('CARTESIAN_POINT', corners[a])},{vector})")
        edges[a, b] = put(f"EDGE_CURVE('',{vertices[a]},{vertices[b]},{line},.T.)")
        return put(f"ORIENTED_EDGE('',*,*,{edges[a, b]},.T.)")

    faces = []
    for names, normal, along in FACES:
        loop = names.split()
        sides = [oriented(a, b) for a, b in zip(loop, [*loop[1:], loop[0]], strict=True)]
        ring = put(f"EDGE_LOOP('',({','.join(sides)}))")
        bound = put(f"FACE_OUTER_BOUND('',{ring},.T.)")
        plane = put(f"PLANE('',{place(corners[loop[0]], normal, along)})")
        faces.append(put(f"ADVANCED_FACE('',({bound}),{plane},.T.)"))
    shell = put(f"CLOSED_SHELL('',({','.join(faces)}))")
    solid = put(f"MANIFOLD_SOLID_BREP('box',{shell})")
    length = put("(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.))")
    angle = put("(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.))")
    corner = put("(NAMED_UNIT(*)SI_UNIT($,.STERADIAN.)SOLID_ANGLE_UNIT())")
    doubt = put(f"UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-07),{length},'distance_accuracy_value','')")
    context = put(
        f"(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT(({doubt}))"
        f"GLOBAL_UNIT_ASSIGNED_CONTEXT(({length},{angle},{corner}))REPRESENTATION_CONTEXT('',''))"
    )
    shape = put(f"ADVANCED_BREP_SHAPE_REPRESENTATION('',({place((0, 0, 0), (0, 0, 1), (1, 0, 0))},{solid}),{context})")
    design = put("APPLICATION_CONTEXT('automotive design')")
    put(f"APPLICATION_PROTOCOL_DEFINITION('international standard','automotive_design',2000,{design})")
    mechanical = put(f"PRODUCT_CONTEXT('',{design},'mechanical')")
    product_of = put(f"PRODUCT('box','box','',({mechanical}))")
    formation = put(f"PRODUCT_DEFINITION_FORMATION('','',{product_of})")
    stage = put(f"PRODUCT_DEFINITION_CONTEXT('part definition',{design},'design')")
    definition = put(f"PRODUCT_DEFINITION('design','',{formation},{stage})")
    described = put(f"PRODUCT_DEFINITION_SHAPE('','',{definition})")
    put(f"SHAPE_DEFINITION_REPRESENTATION({described},{shape})")
    return HEAD + "\n".join(lines) + "\nENDSEC;\nEND-ISO-10303-21;\n"
