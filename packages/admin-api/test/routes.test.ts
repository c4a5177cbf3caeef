import { routeCases } from './route-cases.ts'

routeCases(async () => ({ sqlite: ':memory:' }))
