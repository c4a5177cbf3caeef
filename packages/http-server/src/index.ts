export { type ByteBudget, type ProjectAccount, createByteBudget } from './budget/byte-budget.ts'
export { flightAccount } from './budget/flight-account.ts'
export { createGcPacing } from './budget/gc-pacing.ts'
export { Holding } from './budget/holding.ts'
export {
  type HttpAnswer,
  type HttpExchange,
  type PageRights,
  commonHeaders,
  lingerOn,
  nosniff,
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
export { type Compressor, acceptsGzip, createCompressor } from './listen/compress.ts'
export { type RequestHead, readHead } from './listen/head.ts'
export { Flights, Unsent, enterFlight, flightsOf, leaveFlight, mostUnsent } from './listen/in-flight.ts'
export { type Inflater, acceptedEncodings, createInflater, decoderOf } from './listen/inflate.ts'
export { cutLateBody } from './listen/late-body.ts'
export { listenAll } from './listen/listen-all.ts'
export { type HttpListener, type HttpListenerOptions, createHttpListener } from './listen/listener.ts'
export { onceAdmitted } from './listen/once-admitted.ts'
export { onceAnswered } from './listen/once-answered.ts'
export { type OpenTls, type TlsMaterial } from './listen/open-tls.ts'
export { ListenError, listen, splitAddress } from './listen/server.ts'
export {
  type Session,
  type SessionKeeper,
  type StreamEnd,
  type Streams,
  createStreams,
  whenGone,
} from './listen/streams.ts'
export { createBufferRelief, streamCost, writeArriving, writeChunks, writeEvents } from './listen/write.ts'
