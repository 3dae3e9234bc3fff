# For scripts that run servers in a network namespace of their own, from which nothing reaches any network.

# Creates the network namespace $1 with the address $2 and a default route, which Docker and Kubernetes expect. The other end of the
# connection is in the same namespace.
make_network() {
    ip netns add "$1"
    ip -n "$1" link set lo up
    ip -n "$1" link add eth0 type veth peer name eth0-peer
    ip -n "$1" link set eth0-peer up
    ip -n "$1" address add "$2/24" dev eth0
    ip -n "$1" link set eth0 up
    ip -n "$1" route add default dev eth0
}
