# syntax=docker/dockerfile:1
# One container with everything: the server, and the PostgreSQL that it runs privately when DATABASE_URL is unset.

FROM rust:1.95-slim-bookworm AS build
WORKDIR /src
COPY . .
ENV SQLX_OFFLINE=true
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/src/target \
    cargo build --release --locked -p watchclock && cp target/release/watchclock /usr/local/bin/

# The data volume belongs to the major version of PostgreSQL in this image (15 in bookworm).
FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates curl postgresql-common \
    && echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.d/watchclock.conf \
    && apt-get install -y --no-install-recommends postgresql-15 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --user-group --home-dir /data --shell /usr/sbin/nologin watchclock \
    && install -d -o watchclock -g watchclock -m 0700 /data
COPY --from=build /usr/local/bin/watchclock /usr/local/bin/

USER watchclock
ENV WATCHCLOCK_DATA_DIR=/data WATCHCLOCK_LISTEN=[::]:8080
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["curl", "-fsS", "-o", "/dev/null", "http://localhost:8080/healthz"]
CMD ["watchclock", "serve"]
