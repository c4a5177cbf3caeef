export { createZstd } from './zstd.ts'
