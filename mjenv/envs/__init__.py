"""Views of the one engine: PettingZoo (`aec`), batches (`vector`), a single learning seat (`seat`)."""
