# Puts a caBundle into every clientConfig of rendered webhook configurations:
#   kubectl kustomize manifests/webhooks | awk -v ca="$(base64 <certs/ca.crt | tr -d '\n')" -f manifests/webhooks/ca-bundle.awk
# Without one it prints nothing: a webhook that the API server cannot trust would block every write it is called for.
BEGIN { if (ca == "") { print "ca-bundle.awk: no certificate of an authority" >"/dev/stderr"; exit 1 } }
{ print }
/^ *clientConfig:$/ { sub(/clientConfig:$/, "  caBundle: " ca); print }
