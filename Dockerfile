# The notebooks in JupyterLab, with the versions of requirements.lock:
#     docker build --tag five-papers . && docker run --rm --publish 127.0.0.1:8888:8888 five-papers
# The devcontainer is built from it, too, and Binder takes it as it is.
FROM debian:bookworm-slim@sha256:abd67ffcfa541b485a3dff59865ab629aa048a6c613e639d36e7456b0b229241
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git make python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*

ARG NB_USER=reader
ARG NB_UID=1000
RUN useradd --create-home --shell /bin/bash --uid ${NB_UID} ${NB_USER}
ENV HOME=/home/${NB_USER}
WORKDIR ${HOME}/five-papers
RUN chown ${NB_USER} .
USER ${NB_USER}
ENV PATH=${HOME}/five-papers/.venv/bin:${PATH}

# The packages first, so that an edit of the project does not install them anew. `make setup` finds them there.
COPY --chown=${NB_UID} requirements-hashed.lock ./
RUN python3 -m venv .venv \
    && .venv/bin/pip install --no-cache-dir --disable-pip-version-check --quiet \
        --require-hashes --only-binary :all: --requirement requirements-hashed.lock
COPY --chown=${NB_UID} . ./
RUN make setup

EXPOSE 8888
CMD ["make", "lab", "ARGS=--ip=0.0.0.0 --no-browser"]
