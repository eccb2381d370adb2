# syntax=docker/dockerfile:1
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.release=${VERSION}" -o /zhbot ./cmd/zhbot
RUN mkdir /data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /zhbot /usr/local/bin/zhbot
# The records go here; mount a volume to keep them.
COPY --from=build --chown=65532:65532 /data /data
WORKDIR /data
USER 65532:65532
ENV PATH=/usr/local/bin
ENTRYPOINT ["zhbot"]
CMD ["run"]
