"""One file = one kind of thing: what a user declares, the record it becomes, the kernels that read the record.

Read family.py (the contract of records and kernels) and context.py (what a declaration may ask for), then one element,
forces/spring_damper.py say; registry.py and declarations.py list what there is, plugins.py finds what others bring.
"""
