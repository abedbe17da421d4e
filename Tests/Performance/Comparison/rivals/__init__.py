"""The rivals of Longshore, each called as its manual says, with the same parts and the same concurrency."""
