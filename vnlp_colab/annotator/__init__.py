"""What every model class shares with its users: checked inputs, answers, sessions, and the fronts that load it once."""
