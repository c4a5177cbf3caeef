export { type ByteBudget, createByteBudget, type ProjectAccount } from './budget/byte-budget.ts'
export { flightAccount } from './budget/flight-account.ts'
export { createGcPacing } from './budget/gc-pacing.ts'
export { Holding } from './budget/holding.ts'
export {
  commonHeaders,
  type HttpAnswer,
  lingerOn,
  nosniff,
  type PageRights,
  plainAnswer,
  prefersJson,
  sendAnswer,
  sendEarly,
  sendPreflight,
  useGet,
} from './listen/answer.ts'
export { type Blocks, createBlocks } from './listen/block-writer.ts'
export { type BodyRefusal, readBody } from './listen/body.ts'
export { clientAddress } from './listen/client-address.ts'
export { createFetchListener, type FetchCaller, type FetchListener } from './listen/fetch-listener.ts'
export { acceptsGzip, type Compressor, createCompressor } from './listen/compress.ts'
export { enterFlight, Flights, flightsOf, leaveFlight, mostUnsent, Unsent } from './listen/in-flight.ts'
export { acceptedEncodings, createInflater, decoderOf, type Inflater } from './listen/inflate.ts'
export { cutLateBody } from './listen/late-body.ts'
export { listenAll } from './listen/listen-all.ts'
export {
  createHttpListener,
  type CreateListener,
  type HttpListener,
  type HttpListenerOptions,
} from './listen/listener.ts'
export { createHttpMount, type HttpMount } from './listen/mount.ts'
export { onceAdmitted } from './listen/once-admitted.ts'
export { onceAnswered } from './listen/once-answered.ts'
export type { OpenTls, TlsMaterial } from './listen/open-tls.ts'
export { listen, ListenError, splitAddress } from './listen/server.ts'
export {
  createStreams,
  type Session,
  type SessionKeeper,
  type StreamEnd,
  type Streams,
  whenGone,
} from './listen/streams.ts'
export { createBufferRelief, streamCost, writeArriving, writeChunks, writeEvents } from './listen/write.ts'
