export type { Inspection, Known, Model, Surroundings, TokenIdentity } from './inspection.ts'
export { createValidator, type Validator } from './validator.ts'
