# The server with its models, for the CPU: docker build -t vnlp-colab . && docker run --rm -p 8000:8000 vnlp-colab
FROM python:3.11-slim-bookworm AS build
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
WORKDIR /source
COPY pyproject.toml ./
# Tables and conversion want TensorFlow, a GPU the CUDA build of onnxruntime; the server needs neither, and is smaller by
# gigabytes without them. What is left is read from the package's own list, so that there is no second one to keep.
RUN python -m venv /opt/vnlp-colab \
 && python -c 'import tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
left_out = ("tensorflow", "tf_keras", "tf2onnx", "onnxruntime"); \
wanted = project["dependencies"] + project["optional-dependencies"]["serve"]; \
print("onnxruntime>=1.20", *(line for line in wanted if not line.startswith(left_out)), sep="\n")' \
  | tee requirements.txt \
 && /opt/vnlp-colab/bin/pip install --no-cache-dir --requirement requirements.txt
COPY README.md LICENSE ./
COPY vnlp_colab vnlp_colab
RUN /opt/vnlp-colab/bin/pip install --no-cache-dir --no-deps .

FROM python:3.11-slim-bookworm
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin vnlp
COPY --from=build /opt/vnlp-colab /opt/vnlp-colab
ENV PATH=/opt/vnlp-colab/bin:$PATH PYTHONUNBUFFERED=1 HOME=/tmp
USER 10001
WORKDIR /tmp
EXPOSE 8000
# Whether the process answers; whether it would take a request now is /readyz, for a proxy to ask.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
ENTRYPOINT ["vnlp-colab", "serve", "--host", "0.0.0.0", "--port", "8000"]
