// Traefik, another controller that answers the requests of the oracles, pinned like a linter. It has a module of its own, since Contour and
// Traefik share dependencies.
module portcullis.dev/oracles/traefik

go 1.26.0

require github.com/traefik/traefik/v3 v3.7.13
