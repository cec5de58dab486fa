"""One file = one kind of thing: what a user declares, the table it becomes, the kernel that reads the table."""
