# For the scripts of clusters: the address of the registry beside the cluster, by which nodes, Helm and the names of images know it. It has no
# TLS, which they accept of localhost only.
export PORTCULLIS_REGISTRY=${PORTCULLIS_REGISTRY:-localhost:5001}
if [[ ! $PORTCULLIS_REGISTRY =~ ^localhost:[0-9]+$ ]]; then
    echo "PORTCULLIS_REGISTRY is $PORTCULLIS_REGISTRY; it must be localhost with a port, such as localhost:5001" >&2
    exit 2
fi
