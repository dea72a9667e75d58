"""What is computed about attention rather than by it: sweeps, chance, positions, and a lab of a few numbers."""
