# One static binary and an empty folder: `cargo xtask image` makes both (under target/image) and calls this.
FROM scratch
COPY target/image/daybook /daybook
# A new volume takes its owner from here: the broker runs as nobody in particular.
COPY --chown=10001:10001 target/image/data /data
USER 10001:10001
VOLUME /data
EXPOSE 9092
ENV KAFKA_LOG_DIRS=/data \
    KAFKA_LISTENERS=PLAINTEXT://0.0.0.0:9092 \
    KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://localhost:9092
ENTRYPOINT ["/daybook"]
