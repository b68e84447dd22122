{{- define "shipgate.name" -}}
{{- if contains "shipgate" .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-shipgate{{ end }}
{{- end }}

{{- define "shipgate.selector" -}}
app.kubernetes.io/name: shipgate
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "shipgate.labels" -}}
{{ include "shipgate.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* The members of a pod's spec that web, worker and migration have in common. */}}
{{- define "shipgate.podSpec" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
volumes:
  - name: temporary
    emptyDir: {}
  - name: data
    emptyDir: {}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{/* The members of the container that web, worker and migration have in common. */}}
{{- define "shipgate.container" -}}
name: shipgate
{{- $image := .Values.image }}
image: {{ $image.repository }}{{ if $image.digest }}@{{ $image.digest }}{{ else }}:{{ $image.tag | default .Chart.AppVersion }}{{ end }}
imagePullPolicy: {{ $image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: temporary, mountPath: /tmp }
  - { name: data, mountPath: /var/lib/shipgate }
{{- end }}

{{- define "shipgate.env" -}}
- name: BASE_URL
  value: {{ .Values.baseUrl | quote }}
{{- range $name, $value := .Values.config }}
- name: {{ $name }}
  {{- /* Helm reads whole numbers of a values file as floats, and would print large ones with an exponent. */}}
  value: {{ if kindIs "float64" $value }}{{ $value | toJson | quote }}{{ else }}{{ $value | quote }}{{ end }}
{{- end }}
{{- end }}
