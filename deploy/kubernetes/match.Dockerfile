# Two builds in one image, to play against each other: zhbot and zhbot-before.
#
#   docker build -t zhbot:before .    # before the change
#   docker build -t zhbot:after .     # after it
#   docker build -t zhbot:match -f deploy/kubernetes/match.Dockerfile .
ARG BEFORE=zhbot:before
ARG AFTER=zhbot:after
FROM ${BEFORE} AS before
FROM ${AFTER}
COPY --from=before /usr/local/bin/zhbot /usr/local/bin/zhbot-before
