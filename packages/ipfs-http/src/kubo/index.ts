export { createKuboBackend, type KuboBackendOptions } from './kubo-backend.ts'
