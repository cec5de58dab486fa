"""Problems of the shelf with flexible bodies: beams that rotate, buckle, whirl; the flexible four-bar."""
