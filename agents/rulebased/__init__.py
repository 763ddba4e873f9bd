"""Rule-based players: compiled, each decision made from one row of the `"planes"` view and nothing else."""
