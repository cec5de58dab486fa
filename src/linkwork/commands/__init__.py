"""Commands, one file each; `linkwork.cli` puts them together."""
