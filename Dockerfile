# One static program and nothing else: no shell, no libraries, no package manager. `image/build.sh` builds
# it, and uses the folder with its output, dist/, as the context.
FROM scratch
ARG TARGETARCH
ARG VERSION
ARG REVISION
LABEL org.opencontainers.image.title="Portcullis" \
      org.opencontainers.image.description="An admission webhook for a Kubernetes cluster's north-south traffic" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
COPY $TARGETARCH/portcullis /portcullis
COPY $TARGETARCH/portcullis.cdx.json /portcullis.cdx.json
USER 65532:65532
EXPOSE 10250 8080
ENTRYPOINT ["/portcullis"]
