export { createIpfsClient } from './client/create-ipfs-client.ts'
export type {
  IpfsAddOptions,
  IpfsAdded,
  IpfsBlockApi,
  IpfsBytes,
  IpfsCallOptions,
  IpfsCatOptions,
  IpfsClient,
  IpfsClientOptions,
  IpfsContent,
  IpfsDagApi,
  IpfsEntry,
  IpfsLink,
  IpfsMtime,
  IpfsPin,
  IpfsPinApi,
  IpfsReadOptions,
  IpfsSource,
  IpfsTotals,
  IpfsUpload,
  Verification,
  VerifyMode,
} from './client/client.ts'
export type { Clock } from './clock.ts'
export { IpfsError, type IpfsErrorCode } from './error.ts'
export type { UnixFsProfile } from './unixfs/profile.ts'
