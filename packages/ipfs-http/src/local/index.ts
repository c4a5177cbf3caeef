export { IpfsError } from '../error.ts'
export { createLocalBackend, type LocalBackend, type LocalBackendOptions } from './local-backend.ts'
