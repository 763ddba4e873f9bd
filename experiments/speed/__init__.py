"""What `compare_speed` measures: one module a library, each run in that library's own interpreter."""
