// By itself, because it loads `ws` in Node: who only needs HTTP does not wait for that.
export { connectSocket } from './socket-port.ts'
export type { WebSocketTransportOptions } from './websocket-options.ts'
export { createWebSocketTransport } from './websocket-transport.ts'
