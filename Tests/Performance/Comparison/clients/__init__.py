"""Programs in Python that stand for what a user would write; they run as processes of their own."""
