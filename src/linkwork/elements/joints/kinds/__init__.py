"""One file a kind of joint; fixed.py and revolute.py are the shortest, universal.py and screw.py answer the most."""
