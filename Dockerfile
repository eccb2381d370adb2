# syntax=docker/dockerfile:1
# For other architectures: docker buildx build --platform linux/amd64,linux/arm64 .
# The compiler runs on the build platform, whatever the target.
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=
ARG COMMIT=
ARG TARGETOS
ARG TARGETARCH
RUN GOOS=${TARGETOS} GOARCH=${TARGETARCH} CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X github.com/zhbot/zhbot/internal/app.release=${VERSION} -X github.com/zhbot/zhbot/internal/app.commit=${COMMIT}" -o /zhbot ./cmd/zhbot
RUN mkdir -p /data/records

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /zhbot /usr/local/bin/zhbot
# The records are written here; mount a volume to keep them.
COPY --from=build --chown=65532:65532 /data /data
WORKDIR /data
USER 65532:65532
ENV PATH=/usr/local/bin
STOPSIGNAL SIGTERM
# Healthy while the Lichess event stream is open.
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 CMD ["zhbot", "health"]
ENTRYPOINT ["zhbot"]
CMD ["run"]
