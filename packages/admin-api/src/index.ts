export type { UsageDimension, UsagePeriod, UsageSum } from '@wayleave/metering'
export { type AdminApi, type AdminApiOptions, createAdminApi } from './admin-api.ts'
export { type AdminScope, adminScopes, type AdminToken, type Operator } from './admin-token.ts'
export { type AdminClient, allPages, createAdminClient } from './client.ts'
export { AdminError, type AdminErrorCode, type AdminIssue } from './error.ts'
export type { AdminEvents, AdminEventSink } from './events.ts'
export type { GasBlockRecord, GasPort, GasRecord, GasSuggestion, LevelFees, PromiseRecord } from './gas-port.ts'
export { adminPrefix, type AdminRequest, type AdminResponse, maxAdminBody } from './message.ts'
export type { MethodPort, NetworkFamily } from './method-port.ts'
export type { AuditEntry, AuditQuery } from './model/audit.ts'
export type { GasHistory } from './model/gas.ts'
export type {
  CreatedKey,
  CreatedSecret,
  Key,
  KeyFields,
  KeyForm,
  KeyPatch,
  KeyRotation,
  NewKey,
  NewSecret,
  RotatedKey,
  Secret,
} from './model/key.ts'
export type { DroppedCalls, LiveAttempt, LiveCall, LiveCallQuery, LiveOutcome } from './model/live-call.ts'
export type { Cordon } from './model/network.ts'
export type { Items, Page, PageQuery } from './model/page.ts'
export type { Pin } from './model/pin.ts'
export type { Plan, PlanFields, Source } from './model/plan.ts'
export type { JwtKey, NewJwtKey, NewProject, Project, ProjectFields, ProjectPatch } from './model/project.ts'
export type {
  AppliedState,
  DesiredKey,
  DesiredPlan,
  DesiredProject,
  DesiredState,
  ImportedKey,
  ImportedKeys,
  ImportOutcome,
  ImportResult,
  StateChange,
} from './model/state.ts'
export type { OpenTraffic, Traffic, TrafficPoint, TrafficQuery, TrafficStep, TrafficTimes } from './model/traffic.ts'
export type { Usage, UsageQuery } from './model/usage.ts'
export type { OpenApiDocument, OpenApiOperation } from './openapi.ts'
export type { BadBlock, PinPort, PinRecord, PinVerification, PinVerificationPort } from './pin-port.ts'
export type {
  AccountPort,
  CallPort,
  ConfiguredAccounts,
  ConfiguredKey,
  ConfiguredProject,
  GatewayPorts,
  NetworkPort,
  NetworkRecord,
  ProcessPort,
  ProcessRecord,
  TrafficPort,
  UpstreamRecord,
  UsagePort,
} from './ports.ts'
export { type Problem, problemAnswer } from './problem.ts'
export type { AdminClientOptions } from './send-request.ts'
export type {
  RefusedCalls,
  ReplayedUpstream,
  ReplayNetworkRecord,
  ReplayPort,
  ReplayRecord,
  ReplaySide,
} from './replay-port.ts'
export type { StreamPort, StreamRecord } from './stream-port.ts'
