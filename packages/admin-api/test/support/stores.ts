// @boundaries-ignore The tests run on the real stores, which are of the same layer.
export { openStores, type Stores, type StoresOptions } from '../../../stores/src/index.ts'
