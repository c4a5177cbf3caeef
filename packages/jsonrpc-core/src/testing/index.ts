export { FakeClock } from './fake-clock.ts'
export { createFrameScanner, type FrameScanner, type FrameScannerOptions } from '../frame-scanner.ts'
export { type HandlerLaw, handlerLaws, type HandlerLawsOptions } from './handler-laws.ts'
export { createMemoryPair, type MemoryPair, type MemoryPairOptions } from './memory-pair.ts'
export {
  createScriptedPeer,
  type PeerAction,
  peerHandler,
  peerHttpPort,
  peerSocketPort,
  type ScriptedPeer,
} from './scripted-peer.ts'
