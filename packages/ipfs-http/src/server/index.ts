export type {
  AddEntry,
  AddEvent,
  AddOptions,
  BackendCall,
  ByteStream,
  DirectoryEntry,
  FileContent,
  FileEntry,
  IpfsBackend,
  IpfsPath,
  PinnedRoot,
  PinProgress,
  SymlinkEntry,
} from '../backend.ts'
export { createMemoryPinLedger, type MemoryPinLedgerOptions } from '../memory-pin-ledger.ts'
export { pinnedRoots } from '../pinned-roots.ts'
export type { IpfsUsage, Pin, PinLedger } from '../pin-ledger.ts'
export type { IpfsAnswer, IpfsHandler, IpfsHandlerOptions, IpfsProject, IpfsRequest } from './api.ts'
export { ipfsCommandOf, ipfsCommands } from './commands.ts'
export { collectAll } from './defaults.ts'
export { createIpfsHandler } from './handler.ts'
export { type ComparedPins, createPinHealer, type PinHealer, type PinHealerOptions } from './pin-healer.ts'
export { type VerifiedBlock, verifyAllPins } from './verify-pins.ts'
export type { PinLeasesOptions } from './pin-leases.ts'
export { createIpfsListener, type IpfsListener, type IpfsListenerOptions } from './listener.ts'
