{{/* Labels of every object. The first two are those of the kustomize base; the others are Helm's. */}}
{{- define "portcullis.labels" -}}
app.kubernetes.io/name: portcullis
app.kubernetes.io/part-of: portcullis
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- end }}

{{/* The image with its registry, and its digest or tag. */}}
{{- define "portcullis.image" -}}
{{- with .Values.image -}}
{{- with .registry }}{{ trimSuffix "/" . }}/{{ end }}{{ .repository }}
{{- if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{/* The port of the webhooks. On the network of a node, the kubelet has the usual one. */}}
{{- define "portcullis.port" -}}
{{- .Values.port | default (ternary 9443 10250 .Values.hostNetwork) }}
{{- end }}

{{/* Where pods may run, and how they get their image. */}}
{{- define "portcullis.placement" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
- name: {{ . }}
{{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 0 }}
{{- end }}
{{- end }}

{{/* What no container of ours needs. */}}
{{- define "portcullis.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* The namespaces whose objects are never checked. */}}
{{- define "portcullis.exempt" -}}
{{- concat (list "kube-system" .Release.Namespace) .Values.exemptNamespaces | toYaml }}
{{- end }}

{{/*
The webhook configuration of a file in files/, which `portcullis manifests` prints, adapted to the release: where its entries call, which
namespaces they leave out, who is cert-manager, and how their caBundle gets there.
*/}}
{{- define "portcullis.webhooks" -}}
{{- $ := .root }}
{{- $configuration := .file | $.Files.Get | fromYaml }}
{{- $_ := include "portcullis.labels" $ | fromYaml | set $configuration.metadata "labels" }}
{{- $files := eq $.Values.certificates.mode "files" }}
{{- if eq $.Values.certificates.mode "cert-manager" }}
{{- $_ := printf "%s/%s" $.Release.Namespace $.Values.certificates.secretName | set $configuration.metadata.annotations "cert-manager.io/inject-ca-from" }}
{{- end }}
{{- $exempt := include "portcullis.exempt" $ | fromYamlArray }}
{{- $account := printf "system:serviceaccount:%s:%s" $.Values.certManager.namespace $.Values.certManager.serviceAccount }}
{{- range $entry := $configuration.webhooks }}
{{- with first $.Values.pathTokens }}
{{- $_ := printf "%s/%s" $entry.clientConfig.service.path . | set $entry.clientConfig.service "path" }}
{{- end }}
{{- range $entry.matchConditions }}
{{- $_ := replace "system:serviceaccount:cert-manager:cert-manager" $account .expression | set . "expression" }}
{{- end }}
{{- $_ := set $entry.clientConfig.service "namespace" $.Release.Namespace }}
{{- range ($entry.namespaceSelector).matchExpressions }}{{ $_ := set . "values" $exempt }}{{ end }}
{{- with ($entry.namespaceSelector).matchLabels }}{{ $_ := set . "kubernetes.io/metadata.name" $.Release.Namespace }}{{ end }}
{{- if and $files $.Values.certificates.caBundle }}{{ $_ := set $entry.clientConfig "caBundle" (b64enc $.Values.certificates.caBundle) }}{{ end }}
{{- end }}
{{- toYaml $configuration }}
{{- end }}
