export { type BatchingOptions, createBatchingTransport } from './batching-transport.ts'
export {
  type CallOptions,
  createRpcClient,
  type RpcClient,
  type RpcClientOptions,
  type Subscriber,
  type Subscription,
} from './client.ts'
export type { Clock } from './clock.ts'
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
export { describeRpcError } from './describe.ts'
export { RpcError, type RpcErrorCode, type RpcErrorOptions, toRpcError } from './error.ts'
export { createFetchPort } from './fetch-port.ts'
export type { RpcHandler, RpcMiddleware } from './handler.ts'
export type { HttpPort, HttpReply, HttpRequest } from './http-port.ts'
export { createHttpTransport, type HttpTransportOptions } from './http-transport.ts'
export { coalesce, type CoalesceOptions } from './middleware/coalesce.ts'
export { collectStream } from './answer-stream.ts'
export {
  isStream,
  type RawJson,
  rawJsonFromChunks,
  rawJsonFromText,
  rawJsonFromValue,
  type RawJsonStream,
} from './raw-json.ts'
export type { RpcRequest } from './request.ts'
export type { Position, RpcErrorObject, RpcFailure, RpcMeta, RpcResponse, RpcResult } from './response.ts'
export { createRpcServer, type RpcReply, type RpcServer, type RpcServerOptions } from './server.ts'
export type { RpcSession, RpcSink, RpcSubscription } from './session.ts'
export { connectSocket, type SocketLike, type SocketOptions, type SocketPort } from './socket-port.ts'
export type { WebSocketTransportOptions } from './websocket-options.ts'
export { createWebSocketTransport } from './websocket-transport.ts'
export type { RpcTransport } from './transport.ts'
