/// Builds what a program is made of, and runs it.
public enum Bootstrap {}
