"""How the embedded models were trained; see README.md."""
