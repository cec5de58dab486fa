"""Solid bodies from meshes: scikit-fem elements, interfaces as rigid or averaged connections, reduction to modes.

Isotropic linear elasticity, linear or quadratic tetrahedra and hexahedra, consistent mass.  Linear elements are much
too stiff in bending: take quadratic ones unless the mesh is fine.  From D_ab = int dN_i/dx_a dN_j/dx_b dV:

    K_ab = lambda D_ab + mu D_ba + mu delta_ab (D_xx + D_yy + D_zz),      m_ij = int rho N_i N_j dV,   M = m x 1_3
    K_geo = Ks x 1_3,   Ks_ij = int sigma_ab dN_i/dx_a dN_j/dx_b dV       sigma: stress of a unit load
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import FileError, ModelError, nearest
from linkwork.flexible.bodies import Selection, modal_body
from linkwork.flexible.finite_elements.connections import Connection, connect, rigid_of
from linkwork.flexible.finite_elements.finite_model import PRODUCTS, Drawing, FiniteModel, Particles, Prestress, Support
from linkwork.flexible.finite_elements.materials import Material, unit_warnings
from linkwork.flexible.modal_body import ModalBody
from linkwork.flexible.reduction import Frame
from linkwork.flexible.report import RigidData
from linkwork.flexible.supported_inverse import SupportedInverse
from linkwork.installation import install_hint
from linkwork.lazy_import import lazy_module

if TYPE_CHECKING:
    import scipy.sparse as sp
    import skfem
else:
    sp = lazy_module("scipy.sparse")

Where = str | Sequence[int] | Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Interface:
    """A set of nodes of the mesh that a joint holds.

    `where`: the name of a boundary in the mesh file, numbers of vertices (from 0), or a function of the coordinates
    (3, n) -> which are in it.  `kind`: "rigid" or "averaged".  `point`: where the joint is (m); else the set's centre.
    """

    where: Where
    kind: str = "rigid"
    point: tuple[float, float, float] | None = None


def solid_body(
    name: str,
    mesh: str | Path | skfem.Mesh,
    material: Material,
    *,
    modes: Selection,
    interfaces: dict[str, Interface],
    supports: dict[str, Support] | None = None,
    frame: Frame | None = None,
    order: str = "quadratic",
    damping: float | Sequence[float] = 0.0,
    stiffening: bool = True,
    rigid: RigidData | None = None,
) -> ModalBody:
    """A solid from a mesh (m): a file that meshio reads, or a scikit-fem mesh.

    Without `supports` the shapes are those of Craig and Bampton for all interfaces; with them ({} for a free body)
    the normal modes.  Interfaces are the nodes of the modal body.
    """
    model = solid_model(name, mesh, material, interfaces, order)
    chosen: Sequence[str] = tuple(interfaces) if supports is None else ()
    return modal_body(
        model, modes=modes, supports=supports, interfaces=chosen, frame=frame, damping=damping, stiffening=stiffening,
        rigid=rigid,
    )  # fmt: skip


def solid_model(
    name: str,
    mesh: str | Path | skfem.Mesh,
    material: Material,
    interfaces: dict[str, Interface],
    order: str = "quadratic",
) -> FiniteModel:
    """Assemble a mesh and tie its interfaces."""
    mesh = read_mesh(name, mesh)
    basis = _basis(name, mesh, order)
    x = basis.doflocs.T.copy()
    K, m = elasticity(basis, material)
    connections = [_connection(name, mesh, basis, key, i) for key, i in interfaces.items()]
    T, nodes, places = connect(name, x, connections)
    return FiniteModel(
        name,
        K=(T.T @ K @ T).tocsr(),
        M=(T.T @ sp.kron(m, sp.identity(3)) @ T).tocsr(),
        rigid=rigid_of(x, nodes, places),
        nodes=nodes,
        particles=Particles(x, T, m),
        drawing=_drawing(mesh, basis, T),
        prestress=(lambda *of: prestress(basis, material, *of)) if nodes.names else None,
        warnings=tuple(unit_warnings(material)),
    )


def read_mesh(name: str, mesh: str | Path | skfem.Mesh) -> skfem.Mesh:
    """A scikit-fem mesh of tetrahedra or hexahedra, read from a file where that is what is given."""
    fem = _fem()
    if isinstance(mesh, (str, Path)):
        if not Path(mesh).is_file():
            raise FileError(f"flexible body '{name}': there is no mesh file '{mesh}'", element=name)
        try:
            mesh = fem.Mesh.load(str(mesh))
        except Exception as error:
            raise FileError(
                f"flexible body '{name}': meshio and scikit-fem cannot read the mesh '{mesh}': {error}",
                element=name,
            ) from None
    if not isinstance(mesh, (fem.MeshTet, fem.MeshHex)):
        raise FileError(
            f"flexible body '{name}': the cells are {type(mesh).__name__}; they must be tetrahedra or hexahedra",
            element=name,
        )
    return mesh


def _fem() -> ModuleType:
    try:
        return import_module("skfem")
    except ImportError:
        raise ModelError(
            f"flexible bodies from meshes need scikit-fem and meshio; {install_hint('flexible')}"
        ) from None


def _basis(name: str, mesh: skfem.Mesh, order: str) -> skfem.CellBasis:
    fem = _fem()
    tets = isinstance(mesh, fem.MeshTet)
    elements = {
        "linear": fem.ElementTetP1() if tets else fem.ElementHex1(),
        "quadratic": fem.ElementTetP2() if tets else fem.ElementHex2(),
    }
    if order not in elements:
        raise ModelError(f"flexible body '{name}': order is '{order}'; {nearest(order, elements)}", element=name)
    curved = isinstance(mesh, (fem.MeshTet2, fem.MeshHex2))
    if curved and order == "linear":
        raise ModelError(f"flexible body '{name}': the mesh is quadratic; give order='quadratic'", element=name)
    return fem.CellBasis(mesh, elements[order], intorder=4 if order == "quadratic" else 2)


def elasticity(basis: skfem.CellBasis, material: Material) -> tuple[sp.csr_matrix, sp.csr_matrix]:
    """Stiffness (3 n, 3 n), three unknowns a node, and the scalar consistent mass (n, n)."""
    fem = _fem()
    nu, mu = material.poisson, material.shear_modulus
    lam = material.modulus * nu / ((1 + nu) * (1 - 2 * nu))
    D: dict[tuple[int, int], sp.csr_matrix] = {}
    for a in range(3):
        for b in range(a, 3):
            D[a, b] = fem.BilinearForm(lambda u, v, w, a=a, b=b: v.grad[a] * u.grad[b]).assemble(basis)
            D[b, a] = D[a, b].T
    laplace = mu * (D[0, 0] + D[1, 1] + D[2, 2])
    K = sp.csr_matrix((3 * basis.N, 3 * basis.N))
    for a in range(3):
        for b in range(3):
            block = lam * D[a, b] + mu * D[b, a] + (laplace if a == b else 0 * laplace)
            K = K + sp.kron(block, sp.csr_matrix(([1.0], ([a], [b])), (3, 3)), format="csr")
    m = material.density * fem.BilinearForm(lambda u, v, w: u * v).assemble(basis)
    return K, m.tocsr()


def prestress(
    basis: skfem.CellBasis, material: Material, model: FiniteModel, modes: np.ndarray, supported: str
) -> Prestress:
    """Geometric stiffness of every unit load, from the stress it makes with the body held at one interface."""
    fem = _fem()
    nu, mu = material.poisson, material.shear_modulus
    lam = material.modulus * nu / ((1 + nu) * (1 - 2 * nu))
    nodes, T, m, x, E = model.nodes, model.particles.interpolation, model.particles.m, model.particles.x, np.eye(3)
    k = nodes.names.index(supported)
    fields = [np.broadcast_to(e, x.shape) for e in E] + [np.cross(e, x) for e in E]
    for a, b in PRODUCTS:
        twice = np.cross(E[a], np.cross(E[b], x)) + np.cross(E[b], np.cross(E[a], x))
        fields.append(twice / 2 if a == b else twice)
    inertia = np.column_stack([T.T @ -(m @ field).ravel() for field in fields])
    applied = nodes.rows[[6 * n + a for n in range(len(nodes.names)) for a in range(3)]].T.toarray()
    d = SupportedInverse(model, nodes.rows[6 * k : 6 * k + 6])(np.hstack([inertia, applied]))[0]
    u = (T @ d).reshape(len(x), 3, -1)
    S = (T @ modes).reshape(len(x), 3, -1)
    form = fem.BilinearForm(
        lambda p, q, w: sum(w[f"s{a}{b}"] * q.grad[a] * p.grad[b] for a in range(3) for b in range(3))
    )
    found = []
    for case in range(u.shape[2]):
        grad = np.array([basis.interpolate(u[:, a, case]).grad for a in range(3)])  # (component, direction, ..)
        sigma = mu * (grad + grad.swapaxes(0, 1))
        for a in range(3):
            sigma[a, a] += lam * (grad[0, 0] + grad[1, 1] + grad[2, 2])
        Ks = form.assemble(basis, **{f"s{a}{b}": sigma[a, b] for a in range(3) for b in range(3)})
        found.append(sum(S[:, a].T @ (Ks @ S[:, a]) for a in range(3)))
    all_loads = np.array(found)
    return Prestress(
        all_loads[:3], all_loads[3:6], all_loads[6:12], all_loads[12:].reshape(len(nodes.names), 3, *found[0].shape)
    )


def _connection(body: str, mesh: skfem.Mesh, basis: skfem.CellBasis, name: str, i: Interface) -> Connection:
    """The nodes of an interface, and as weights the areas that belong to them."""
    fem = _fem()
    who = f"flexible body '{body}': interface '{name}'"
    if isinstance(i.where, str):
        known = mesh.boundaries or {}
        if i.where not in known:
            raise ModelError(f"{who}: boundary '{i.where}' is not in the mesh; {nearest(i.where, known)}", element=body)
        facets = np.asarray(known[i.where])
    elif callable(i.where):
        inside = np.asarray(i.where(mesh.p), bool)
        facets = np.flatnonzero(inside[mesh.facets].all(axis=0))
    else:
        numbers = np.asarray(i.where, int)
        missing = numbers[(numbers < 0) | (numbers >= mesh.nvertices)]
        if len(missing):
            raise ModelError(
                f"{who}: node {missing[0]} is not in the mesh, which has the nodes 0 to {mesh.nvertices - 1}",
                element=body,
            )
        facets = np.flatnonzero(np.isin(mesh.facets, numbers).all(axis=0))
    facets = facets[mesh.f2t[1][facets] == -1]  # those of the surface
    if not len(facets):
        raise ModelError(f"{who}: no face of the mesh's surface lies in it; check place and units (m)", element=body)
    area = fem.LinearForm(lambda v, w: v).assemble(fem.FacetBasis(mesh, basis.elem, facets=facets))
    members = basis.get_dofs(facets).flatten()
    weights = np.maximum(area[members], 0.0)
    return Connection(name, i.kind, members, weights, None if i.point is None else np.array(i.point))


def _drawing(mesh: skfem.Mesh, basis: skfem.CellBasis, T: sp.csr_matrix) -> Drawing:
    """The surface as triangles."""
    faces = mesh.facets[:, mesh.boundary_facets()]
    quads = [faces[[0, 1, 2]], faces[[0, 2, 3]]] if faces.shape[0] == 4 else [faces]
    corners, cells = np.unique(np.hstack(quads), return_inverse=True)
    dofs = basis.nodal_dofs[0][corners]
    rows = T[(3 * dofs[:, None] + np.arange(3)).ravel()]
    return Drawing(basis.doflocs.T[dofs], rows, cells.reshape(3, -1).T)
