"""Scripts: training, evaluation, and the commands behind published numbers."""
