"""From a state to the equations of motion: M, Q, Phi, Phi_v, nu, gamma."""
