# Attention Bench for a class: the app, its weights and PyTorch without CUDA. docs/performance.md tells how it is run.
# Build: docker build -t attention-bench .

FROM python:3.11-slim-bookworm@sha256:a36c24f9cbdf4fd0f52d67f0823eeac19c2028c637cecc392d97f980d4fec56b AS libraries
WORKDIR /build
COPY requirements.lock ./
RUN python -m venv /opt/bench \
    && /opt/bench/bin/pip install --no-cache-dir --no-deps --require-hashes --requirement requirements.lock \
       --extra-index-url https://download.pytorch.org/whl/cpu

FROM python:3.11-slim-bookworm@sha256:a36c24f9cbdf4fd0f52d67f0823eeac19c2028c637cecc392d97f980d4fec56b
RUN useradd --uid 10001 --home-dir /data --create-home --shell /usr/sbin/nologin bench
COPY --from=libraries /opt/bench /opt/bench
WORKDIR /app
COPY LICENSE NOTICE app.py ./
COPY .streamlit ./.streamlit
COPY static ./static
COPY models ./models
COPY viz ./viz
COPY scale ./scale
# The root may be read-only: what is fetched lies in the one volume, all else in /tmp. One thread a process computes.
ENV PATH=/opt/bench/bin:$PATH HOME=/data HF_HOME=/data/huggingface MPLCONFIGDIR=/tmp/matplotlib \
    PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 OMP_NUM_THREADS=1
RUN python -m compileall -q /app
USER 10001
VOLUME /data
EXPOSE 8501
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=2)"]
# All addresses: here alone, where only what the container's owner publishes is reached.
CMD ["streamlit", "run", "app.py", "--server.address=0.0.0.0", "--server.port=8501"]
