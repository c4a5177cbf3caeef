export { fileSource, globSource, type GlobSourceOptions } from './glob-source.ts'
