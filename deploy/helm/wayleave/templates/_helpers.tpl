{{- define "wayleave.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "wayleave.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains (include "wayleave.name" .) .Release.Name }}
{{- .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "wayleave.name" .) | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "wayleave.selector" -}}
app.kubernetes.io/name: {{ include "wayleave.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "wayleave.labels" -}}
{{ include "wayleave.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "wayleave.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "wayleave.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{/* The configuration, with what is the chart's. */}}
{{- define "wayleave.config" -}}
{{- $listen := dict "rpc" "0.0.0.0:8545" "admin" "0.0.0.0:8546" }}
{{- if .Values.config.ipfs }}
{{- $_ := set $listen "ipfs" "0.0.0.0:5001" }}
{{- end }}
{{- if .Values.tlsSecret }}
{{- $_ := set $listen "tls" (dict "cert" "/tls/tls.crt" "key" "/tls/tls.key") }}
{{- end }}
{{- $shutdown := dict "delayMs" (mul .Values.shutdown.drain 1000) "graceMs" (mul .Values.shutdown.finish 1000) }}
{{- merge (dict "listen" $listen "dataDir" "/data" "shutdown" $shutdown) (deepCopy .Values.config) | toYaml }}
{{- end }}

{{/* Refuses values that would lose calls. */}}
{{- define "wayleave.check" -}}
{{- $ends := add .Values.shutdown.preStop .Values.shutdown.drain .Values.shutdown.finish 5 }}
{{- if le (int .Values.shutdown.terminationGrace) (int $ends) }}
{{- fail (printf "shutdown.terminationGrace: expected more than preStop, drain, finish and 5 together, %d s, got %d; else Kubernetes kills pods that still serve" (int $ends) (int .Values.shutdown.terminationGrace)) }}
{{- end }}
{{- if and (eq (toString .Values.workers) "auto") (not (dig "limits" "cpu" "" .Values.resources)) }}
{{- fail "workers: auto: expected resources.limits.cpu, too; else it is one for each CPU of the node" }}
{{- end }}
{{- if and .Values.serviceMonitor.enabled (not (and .Values.serviceMonitor.tokenKey .Values.existingSecret)) }}
{{- fail "serviceMonitor.tokenKey: expected a member of existingSecret, as metrics need a token" }}
{{- end }}
{{- end }}
