export { type BatchingOptions, createBatchingTransport } from './batching-transport.ts'
export type { CallOptions } from './ask.ts'
export type { ByteAccount } from './byte-account.ts'
export {
  type BreakerState,
  type CircuitBreaker,
  type CircuitBreakerOptions,
  createCircuitBreaker,
} from './circuit-breaker.ts'
export { createRpcClient, type RpcClient, type RpcClientOptions } from './client.ts'
export type { Clock } from './clock.ts'
export { type CloseReason, closeReasons } from './close-reason.ts'
export {
  CallContext,
  type ContextInit,
  createContext,
  type CreateContextOptions,
  type ForkOptions,
  type RpcBatchInfo,
  type RpcContext,
  type RpcFork,
} from './context.ts'
export { systemClock } from './defaults.ts'
export { describeRpcError, RpcError, type RpcErrorCode, type RpcErrorOptions, toRpcError } from './error.ts'
export { defineExtension, type Extension } from './extension.ts'
export { toFetchHandler } from './fetch-handler.ts'
export { createFetchPort } from './fetch-port.ts'
export { printEvent } from './frame.ts'
export type { RpcHandler, RpcMiddleware } from './handler.ts'
export { createHttpBatch, type HttpBatch, type HttpBatchOptions } from './http-batch.ts'
export type { HttpHostOptions } from './http-host.ts'
export type { ArrivingHttpBody, HttpPort, HttpReply, HttpRequest } from './http-port.ts'
export { type AnswerReader, createHttpTransport, type HttpTransportOptions } from './http-transport.ts'
export { createMappedBuffer, type MappedBuffer } from './mapped-buffer.ts'
export { createMethods, type Method, method, type MethodCall, type SchemaOf } from './methods.ts'
export { coalesce, type CoalesceOptions } from './middleware/coalesce.ts'
export { isRateLimit, retry, type RetryOptions } from './middleware/retry.ts'
export { timeout } from './middleware/timeout.ts'
export { type NodeRequest, type NodeResponse, toNodeListener } from './node-listener.ts'
export { collectStream } from './answer-stream.ts'
export { cutParts, endOfString } from './json-scan.ts'
export { isStream, rawJsonFromChunks, rawJsonFromText, rawJsonFromValue } from './raw-json.ts'
export type { BatchReply } from './read-batch.ts'
export type { RpcRequest } from './request.ts'
export type { RpcFailure, RpcMeta, RpcResponse, RpcResult } from './response.ts'
export { createRpcServer, type RpcReply, type RpcServer, type RpcServerOptions } from './server.ts'
export { streamAnswers } from './streamed-answers.ts'
export type { RpcGap, RpcSession, RpcSink, RpcSubscription } from './session.ts'
export type { SocketLike, SocketOptions, SocketPort } from './socket-port.ts'
export { type Gap, subscribe, type Subscriber, type Subscription, type SubscribeOptions } from './subscribe.ts'
export { type StreamTap, tapStream } from './tap-stream.ts'
export type { RpcTransport } from './transport.ts'
export type { PeerWords, Position, RawJson, RawJsonStream, RpcErrorObject } from './wire.ts'
