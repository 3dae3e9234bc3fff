{{/* Objects that exist only while a hook of Helm runs. Their label `name` differs, so that the Service does not select their pods. */}}
{{- define "portcullis.hook" -}}
{{- $labels := include "portcullis.labels" .root | fromYaml }}
{{- $_ := set $labels "app.kubernetes.io/name" (printf "portcullis-%s" .hook) }}
labels: {{- toYaml $labels | nindent 2 }}
annotations:
  helm.sh/hook: {{ .hook }}
  helm.sh/hook-weight: {{ .weight | default 0 | quote }}
  helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end }}

{{/* The ServiceAccount of a hook, bound to the ClusterRole of the same name. Their weight is below that of the pod, which needs them. */}}
{{- define "portcullis.hookAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  {{- include "portcullis.hook" . | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: {{ .name }}
  {{- include "portcullis.hook" . | nindent 2 }}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {{ .name }}}
subjects:
- kind: ServiceAccount
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
{{- end }}

{{/* The pod of a hook, which runs the program with these arguments until it succeeds or, without `retries`, once. */}}
{{- define "portcullis.hookPod" -}}
serviceAccountName: {{ .name }}
restartPolicy: {{ ternary "OnFailure" "Never" (hasKey . "retries") }}
{{- include "portcullis.placement" .root }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  seccompProfile: {type: RuntimeDefault}
containers:
- name: portcullis
  image: {{ include "portcullis.image" .root | quote }}
  imagePullPolicy: {{ .root.Values.image.pullPolicy }}
  args: {{- toYaml .args | nindent 2 }}
  resources: {{- toYaml .root.Values.resources | nindent 4 }}
  securityContext: {{- include "portcullis.containerSecurity" .root | nindent 4 }}
{{- end }}
