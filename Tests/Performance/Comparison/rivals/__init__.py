"""Those that Longshore is compared with, each called as its manual says, with the same parts and as much at once."""
