"""The server and its page: ``vnlp-colab serve``. Needs the extra ``serve`` (FastAPI, uvicorn, prometheus-client)."""
