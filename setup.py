"""The wheel with the native library is for one machine and every Python from 3.11 on; without it, for any machine."""

import re
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel

BUILT = Path(__file__).parent / "src/linkwork/compiler/native/built"
LIBRARIES = sorted(BUILT.glob("*.so"))  # `make native` builds them
OLDEST = (2, 17)  # of glibc, that pip knows by name (manylinux2014)


class NativeDistribution(Distribution):
    """Installed where packages for one machine go, if there is a library."""

    def has_ext_modules(self):
        """Whether it is for one machine."""
        return bool(LIBRARIES)


class NativeWheel(bdist_wheel):
    """With the tags that are true of the library."""

    def get_tag(self):
        """Python, ABI and platform."""
        python, abi, platform = super().get_tag()
        if not LIBRARIES:
            return python, abi, platform
        return "cp311", "abi3", platform.replace("linux_", f"manylinux_{'_'.join(map(str, glibc()))}_", 1)


def glibc():
    """The oldest glibc that has all that the libraries need of it."""
    content = b"".join(path.read_bytes() for path in LIBRARIES)
    needed = (tuple(map(int, version.split(b"."))) for version in re.findall(rb"GLIBC_([\d.]+)", content))
    return max(OLDEST, *(version[:2] for version in needed))


setup(distclass=NativeDistribution, cmdclass={"bdist_wheel": NativeWheel})
